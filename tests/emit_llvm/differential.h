// Runs a kernel program in the interpreter and as machine code, and compares every byte of every buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/llvm/emit.h"
#include "kernel/program.h"

namespace tilewright::emit_llvm {

inline constexpr std::array kScalars = {kernel::ScalarType::I1,  kernel::ScalarType::I32,  kernel::ScalarType::I64,
                                        kernel::ScalarType::F16, kernel::ScalarType::BF16, kernel::ScalarType::F32};

/// Memory of one program's buffers, each between guard bytes. Buffers may share a block to overlap.
class Arena {
 public:
  /// Every buffer in a block of its own, filled with zero bytes.
  explicit Arena(const kernel::Program& program);

  /// `bytes` become the contents of the buffer.
  void set_bytes(kernel::BufferId buffer, const void* data, std::size_t size);
  template <class T>
  void set(kernel::BufferId buffer, const std::vector<T>& elements) {
    set_bytes(buffer, elements.data(), elements.size() * sizeof(T));
  }
  /// Element 0 of `buffer` is element `offset_bytes` of the block of `owner` from now on.
  void overlap(kernel::BufferId buffer, kernel::BufferId owner, std::size_t offset_bytes);
  /// Bytes from a seed: any bit pattern; truth values are 0 and 1.
  void fill(std::uint64_t seed);

  std::vector<std::byte*> bases();
  std::string difference(const Arena& other) const;  ///< empty: equal, all NaNs of a type being equal
  std::string broken_guard() const;                  ///< empty: no byte beside a buffer has changed

 private:
  struct Block {
    std::vector<std::byte> bytes;
    kernel::ScalarType scalar{};
    std::size_t size = 0;
    std::string name;
  };
  std::vector<Block> blocks_;                                ///< by buffer
  std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< by buffer: block, offset
};

/// A processor and options to try.
struct Variant {
  std::string name;
  EmitOptions options;
  int threads = 1;
};
/// The host with and without IR passes, and older processors of its architecture.
std::vector<Variant> variants();
Variant host_variant(int threads = 1);

/// Empty when interpreter and machine code agree on every variant and no guard is broken; else what went wrong.
std::string compare_with_interpreter(const kernel::Program& program, const Arena& initial,
                                     const std::vector<Variant>& variants);

/// Expects that of all variants().
void expect_agreement(const kernel::Program& program, const Arena& initial);

/// Only the machine code; the result in place. Empty: it ran.
std::string run_compiled(const kernel::Program& program, Arena& arena, const Variant& variant);

}  // namespace tilewright::emit_llvm
