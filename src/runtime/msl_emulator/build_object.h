// Rewritten text -> shared object, with or without instrumented memory accesses.
#pragma once

#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/process.h"
#include "support/result.h"

namespace tilewright::msl_emulator {

/// One program to run; `writes` is what it makes.
struct BuildStage {
  std::vector<std::string> command;
  std::string what;  ///< for messages: "clang"
};

/// The programs that turn `folder`/kernel.in into `folder`/kernel.so, in order. Accesses are instrumented before
/// anything is optimised, so that every access of the source is seen.
std::vector<BuildStage> build_stages(const Toolchain& toolchain, Dialect dialect, bool checks,
                                     const std::string& folder);

/// Only whether the text is right: no code is made.
BuildStage syntax_stage(const Toolchain& toolchain, Dialect dialect, const std::string& folder);

/// Names of the files in the folder.
inline constexpr const char* kRewrittenName = "/kernel.in";
inline constexpr const char* kObjectName = "/kernel.so";

}  // namespace tilewright::msl_emulator
