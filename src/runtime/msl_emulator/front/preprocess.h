// clang -E over a kernel's text, and what it may read.
#pragma once

#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/front/clang_messages.h"
#include "support/result.h"

namespace tilewright::msl_emulator {

/// __METAL_VERSION__ of the first language version with tensors.
inline constexpr int kTensorVersion = 400;

struct Preprocessed {
  std::string text;
  std::vector<std::string> files;  ///< canonical paths of what was read beside the text and the shim
  bool uses_tensors = false;       ///< a header of MPP or of tensors was included
};

/// The language of a dialect, as clang's arguments.
std::vector<std::string> language_arguments(Dialect dialect);
/// The canonical folders from which a request may read: of the file, of the include paths, of the shim.
std::vector<std::string> readable_folders(const CompileRequest& request, const Toolchain& toolchain);

/// KernelCompile: clang's errors; an include of a file outside those folders, whose content no message shows.
Result<Preprocessed> preprocess(const std::string& text, const CompileRequest& request, Dialect dialect,
                                const Toolchain& toolchain, const std::string& scratch_folder, SourceFiles& files);

}  // namespace tilewright::msl_emulator
