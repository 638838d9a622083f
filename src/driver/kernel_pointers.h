// From checked arguments to the pointers that the code of a kernel takes.
#pragma once

#include <span>
#include <vector>

#include "driver/kernel_impl.h"

namespace tilewright::driver {

/// One a binding of the code; null for temporaries. Premise: the kernel is one of the CPU.
std::vector<void*> kernel_pointers(const Kernel::Impl& impl, const CheckedLaunch& launch);

/// Runs the code once on threads of the caller. OutOfMemory.
Result<void> run_on(Executor& executor, const runtime_cpu::LoadedArtifact& code, std::span<void* const> pointers);

}  // namespace tilewright::driver
