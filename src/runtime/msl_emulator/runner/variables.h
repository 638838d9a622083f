// Threadgroup memory: where the variables of a kernel lie in the slot of a worker.
#pragma once

#include <cstdint>

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

/// The address of the variable with that key, laid out at its first use, with red zones around it. A launch whose
/// variables exceed the device's limit ends with a report.
void* threadgroup_variable(Worker& worker, const void* key, std::uint64_t bytes, std::uint64_t alignment,
                           const char* name);

}  // namespace tilewright::msl_emulator::runner
