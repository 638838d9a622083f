// Memory while a kernel program runs, and what went wrong with it: shared by the interpreters of one worker and of
// groups.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/interpreter.h"
#include "kernel/lanes.h"
#include "kernel/program.h"

namespace tilewright::kernel {

/// One buffer or allocation.
struct Object {
  std::byte* base = nullptr;
  std::uint64_t count = 0;
  std::size_t element_bytes = 0;
  ScalarType scalar{};
  MemoryKind kind{};
  bool tracked = false;               ///< contents start indeterminate
  std::vector<std::byte> own;         ///< of allocations and temporaries
  std::vector<std::uint8_t> written;  ///< by element, when tracked

  void make_own();
  /// Gives the memory of an allocation back.
  void drop_own() { own = {}; }
  void forget_contents() { written.assign(count, 0); }
  Lane get(std::uint64_t element) const {
    Lane lane = 0;
    std::memcpy(&lane, base + element * element_bytes, element_bytes);
    return lane;
  }
  void put(std::uint64_t element, Lane lane) {
    std::memcpy(base + element * element_bytes, &lane, element_bytes);
    if (tracked) written[element] = 1;
  }
};
static_assert(std::endian::native == std::endian::little, "get and put move the low bytes of a lane");

/// All memory of a program, in the order of its ids.
struct Objects {
  Objects(const Program& program, std::span<std::byte* const> buffers);

  Object& at(MemoryRef memory) {
    return memory.buffer.valid() ? buffers[memory.buffer.index] : allocations[memory.allocation.index];
  }

  std::vector<Object> buffers, allocations;
};

/// Faults of a run: one an operation, at most kMaxFaults.
class FaultLog {
 public:
  explicit FaultLog(const Program& program) : program_(program), reported_(program.ops.size(), false) {}

  bool stopped() const { return diags_.size() >= kMaxFaults; }
  /// Whether the operation has no fault yet; then it is marked, and the caller adds it.
  bool claim(OpId op);
  void add(DiagCode code, std::string message);
  /// "kernel gemm, task (0, 1): 'load A[%3]'".
  std::string where(const Kernel& kernel, std::span<const std::int64_t> task, OpId op) const;
  bool empty() const { return diags_.empty(); }
  Diags take() { return std::move(diags_); }

 private:
  const Program& program_;
  std::vector<bool> reported_;  ///< by operation
  Diags diags_;
};

}  // namespace tilewright::kernel
