// Before the groups: memory, workers, arguments. After them: the counts.
#pragma once

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

/// Loads the object and maps everything. Runs no code of the kernel.
void set_up(Engine& engine);
/// Asks the kernel for the sizes of its elements, which decide the granules. Code of the kernel: after the sandbox.
void ask_for_elements(Engine& engine);
/// Adds the counts of the workers in the answer.
void gather(Engine& engine);

}  // namespace tilewright::msl_emulator::runner
