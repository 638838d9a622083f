// Whether a compiled kernel is what it should be: entry points, and nothing that runs or reaches beyond them.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace tilewright::msl_emulator {

/// The shared object asks the loader for nothing but the runner's functions and the mathematical library, runs nothing
/// when it is loaded, and has no thread-local storage. KernelNotModelled: it does. KernelCompile: it is no shared
/// object.
Result<void> check_object(const std::string& path);

/// Whether the runner or the libraries that it is linked with define a function of this name for kernels.
bool may_be_undefined(std::string_view symbol);

}  // namespace tilewright::msl_emulator
