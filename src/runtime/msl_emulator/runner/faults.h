// Signals of the processor and of the host: explained in a report before the runner ends.
//
// An access of the arena beside an object has been reported by the checks and must do no harm: it gets an empty page.
#pragma once

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

/// For the process, before the sandbox closes.
void install_fault_handlers(Engine& engine);
/// For each thread: a stack of its own for the handlers, since that of a lane may be used up.
void install_fault_stack();

}  // namespace tilewright::msl_emulator::runner
