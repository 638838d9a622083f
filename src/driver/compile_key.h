// Everything that decides what compile() gives, as one text that is quick to make: no planning, no lowering.
#pragma once

#include <string>

#include <tilewright/compile.h>

namespace tilewright::driver {

/// Equal for calls that give kernels of equal behaviour in one process; calls that differ in the program's text, a
/// binding, a layout or any option have other keys. The cache itself is no part of it.
std::string compile_key(const Program& program, const Bindings& bindings, const CompileOptions& options);

}  // namespace tilewright::driver
