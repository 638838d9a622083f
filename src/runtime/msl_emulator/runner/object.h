// The compiled kernel in the address space of the runner.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/msl_emulator/runner/shadow.h"

namespace tilewright::msl_emulator::runner {

struct LoadedObject {
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool contains(std::uint64_t address, std::uint64_t bytes) const {
      return address >= begin && address <= end && bytes <= end - address;
    }
  };

  std::uint64_t base = 0;
  Range code;
  std::array<Range, 8> parts{};  ///< all segments
  std::uint32_t part_count = 0;
  void (*entry)(void**) = nullptr;
  unsigned long (*element)(unsigned int) = nullptr;
  std::atomic<Site>* code_sites = nullptr;  ///< by offset in `code`; 0: no number yet

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    for (std::uint32_t i = 0; i < part_count; ++i)
      if (parts[i].contains(address, bytes)) return true;
    return false;
  }
};

/// Loads the shared object without running anything of it; ends the runner with a message when that fails.
LoadedObject load_object(const char* path, std::uint32_t entry);

}  // namespace tilewright::msl_emulator::runner
