// Closes the runner off, before any code of a kernel runs: system calls that reach beyond the process are gone.
#pragma once

#include <cstdint>

namespace tilewright::msl_emulator::runner {

/// Limits of the process: no files, no further processes, so much processor time, little more address space than now.
void limit_resources(std::uint64_t cpu_seconds);
/// For all threads of the process: only futexes, memory without execution, clocks and the end of the process.
void forbid_system_calls();

}  // namespace tilewright::msl_emulator::runner
