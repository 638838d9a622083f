// Preprocessed MSL -> text that clang compiles: the driver of the rewriter's parts. See docs/emulator.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/front/tokens.h"

namespace tilewright::msl_emulator {

struct RewriteRequest {
  Dialect dialect{};
  std::string shim_folder;
  std::map<std::string, std::string> constants;
  std::vector<std::string> kernels;
};

struct RewrittenText {
  std::string text;            ///< with the definitions of the address-space words in front and the launcher behind
  std::vector<Entry> entries;  ///< in the order of emu_entry_<i>
  std::string beyond_opencl;   ///< "line 12 takes a function as template argument"; empty when nothing is
};

/// Errors as compile(): KernelCompile, KernelNotModelled, KernelUnknown, KernelBinding, places without their source
/// line.
Result<RewrittenText> rewrite(std::string preprocessed, const RewriteRequest& request);

}  // namespace tilewright::msl_emulator
