// Finds the programs that the emulator needs at run time.
#pragma once

#include <string>

#include "runtime/msl_emulator/emulator.h"
#include "support/result.h"

namespace tilewright::msl_emulator {

/// clang-19 and opt-19 from the folders of PATH, then from /usr/lib/llvm-19/bin. ToolMissing names what is not there
/// and the Debian package that holds it.
Result<Toolchain> find_toolchain(std::string shim_folder, std::string runner, std::string cache_folder);
/// The same with a given PATH, "" for none. For tests of what is missing.
Result<Toolchain> find_toolchain_in(const std::string& path, const std::string& llvm_folder, std::string shim_folder,
                                    std::string runner, std::string cache_folder);

}  // namespace tilewright::msl_emulator
