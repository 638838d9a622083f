// Kernels for Metal without Metal: launches on the emulator, and the same kernels in the interpreter.
#pragma once

#include <string>
#include <vector>

#include "driver/metal_compile.h"
#include "kernel/interpreter.h"

namespace tilewright::driver {

/// Runs every launch in order on the emulator, in the memory of the arguments; launches without tasks are left out.
/// Errors: those of the emulator; EmulatorReport with every report (the memory is then what the kernels left),
/// EmulatorTimeout.
Result<std::vector<msl_emulator::LaunchResult>> emulate_kernel(const MetalKernel& kernel, const CheckedLaunch& launch,
                                                               int workers);

/// Compiles the text for the emulator, unless that has been done.
Result<void> load_metal(const MetalKernel& kernel);

/// What one kernel did.
struct KernelCounts {
  std::string name;
  kernel::Counts interpreted;
  std::optional<msl_emulator::Counters> emulated;  ///< none for a kernel without tasks
};
struct MetalRun {
  std::vector<KernelCounts> kernels;
  /// Where the interpreter left other bytes than the emulator, in the arguments' outputs; empty: nowhere. NaNs are
  /// equal.
  std::string difference;
};

/// Emulates `compiled` on the arguments, interprets the same kernels on copies of them, and compares. The interpreter
/// rounds no operand of a relaxed atom, where the device may. Premise: its target is one of Metal. Errors: those of
/// Kernel::run and of kernel::interpret.
Result<MetalRun> run_metal(const Kernel& compiled, const Arguments& arguments);

}  // namespace tilewright::driver
