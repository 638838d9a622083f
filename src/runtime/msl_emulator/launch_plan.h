// A launch that has been checked against the kernel and the device: the job of the runner, and whose bytes are where.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/msl_emulator/emulator.h"
#include "runtime/msl_emulator/runner/job.h"

namespace tilewright::msl_emulator {

/// One buffer of the runner: the bytes of one or several bindings.
struct SlotPlan {
  std::span<std::byte> bytes;
  std::uint32_t index = 0;  ///< of the first binding
  std::string name;         ///< of the kernel's parameter, or the label of the binding
  bool read_only = false;
};

struct LaunchPlan {
  const Entry* entry = nullptr;
  std::unique_ptr<runner::Job> job;
  std::vector<SlotPlan> slots;
  std::uint64_t data_bytes = 0;         ///< of the data file
  std::uint64_t threadgroup_bytes = 0;  ///< given by the host
  std::uint64_t group_count = 0;
};

/// KernelUnknown, KernelBinding, LaunchSize: with the numbers.
Result<LaunchPlan> plan_launch(const CompiledLibrary& library, const LaunchRequest& request);

MemoryEstimate estimate_of(const LaunchPlan& plan);
/// Bytes of memory that a launch may use.
std::uint64_t memory_limit_of(const LaunchRequest& request);

}  // namespace tilewright::msl_emulator
