// compile() for those who only look at what it makes.
#pragma once

#include <cstdint>

#include <tilewright/compile.h>

namespace tilewright::driver {

/// Run: as compile(). Look: every text and number of the kernel is there, but it cannot run, and what only running
/// needs (a loaded object, the tools of the emulator) is not asked for.
enum class Purpose : std::uint8_t { Run, Look };

Result<Kernel> compile_for(const Program& program, const Bindings& bindings, const CompileOptions& options,
                           Purpose purpose);

}  // namespace tilewright::driver
