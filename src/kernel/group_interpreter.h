// Kernels whose tasks are run by groups of workers: the part of the interpreter that runs them in lockstep.
#pragma once

#include "kernel/interpreter.h"
#include "kernel/objects.h"

namespace tilewright::kernel {

/// Runs all tasks of the kernel; what went wrong stands in the log.
Counts run_groups(const Program& program, const Kernel& kernel, Objects& objects, FaultLog& faults);

}  // namespace tilewright::kernel
