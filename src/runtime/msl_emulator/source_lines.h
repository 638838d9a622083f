// From addresses in a compiled kernel to lines of its source, by the debug information that the compiler left.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"

namespace tilewright::msl_emulator {

struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};

/// By address. Of functions inlined into each other the innermost outside the shim counts. Empty, with a note, when
/// llvm-symbolizer-19 is not found or fails.
std::map<std::uint64_t, SourceLine> find_source_lines(const CompiledLibrary& library, const Toolchain& toolchain,
                                                      const std::vector<std::uint64_t>& addresses,
                                                      std::vector<std::string>& notes);

}  // namespace tilewright::msl_emulator
