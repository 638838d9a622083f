// Runs a kernel program in the interpreter and its Metal text on the emulator, and compares every byte of every buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/msl/emit.h"
#include "kernel/interpreter.h"
#include "kernel/program.h"
#include "runtime/msl_emulator/emulator.h"

namespace tilewright::emit_msl {

/// One block of bytes for each buffer; those of temporaries are empty.
class BufferBytes {
 public:
  /// Bytes from a seed: any bit pattern, truth values 0 and 1. Seed 0: zeros.
  explicit BufferBytes(const kernel::Program& program, std::uint64_t seed = 0);

  void set_bytes(kernel::BufferId buffer, const std::vector<std::byte>& bytes) { blocks_[buffer.index] = bytes; }
  template <class T>
  void set(kernel::BufferId buffer, const std::vector<T>& elements) {
    const auto* data = reinterpret_cast<const std::byte*>(elements.data());
    blocks_[buffer.index].assign(data, data + elements.size() * sizeof(T));
  }
  std::vector<std::vector<std::byte>>& blocks() { return blocks_; }
  std::vector<std::byte*> bases();
  /// Empty: equal, all NaNs of a type being equal; `ulps`: how far floats may be apart.
  std::string difference(const kernel::Program& program, const BufferBytes& other, int ulps = 0) const;

 private:
  std::vector<std::vector<std::byte>> blocks_;
};

struct Emulated {
  std::vector<msl_emulator::LaunchResult> launches;  ///< of those with tasks
  std::string fault;                                 ///< empty: every launch ended without a report
};
/// How a text is run.
struct Emulation {
  std::uint32_t schedules = 1;
  std::uint64_t seed = 0;  ///< of schedules and of the layouts of cooperative tensors
  msl_emulator::DeviceModel device = {};
};
/// Runs all launches of the text; the buffers in place.
Emulated run_emulated(const artifact::Artifact& artifact, BufferBytes& memory, const Emulation& emulation = {});

/// Empty when interpreter and emulator agree and nothing is reported; else what went wrong, with the text.
std::string compare_with_interpreter(const kernel::Program& program, const BufferBytes& initial, int ulps = 0,
                                     std::uint32_t schedules = 1);
/// What both counted, of a comparison in which they agreed.
struct CountsOfBoth {
  std::vector<kernel::Counts> interpreted;
  std::vector<msl_emulator::LaunchResult> emulated;  ///< of launches with tasks
};
std::string compare_with_interpreter(const kernel::Program& program, const BufferBytes& initial, int ulps,
                                     const Emulation& emulation, CountsOfBoth* counts = nullptr);

}  // namespace tilewright::emit_msl
