// Lanes that wait for each other: collectives and barriers.
#pragma once

#include <cstdint>

#include "runtime/msl_emulator/runner/engine.h"

namespace tilewright::msl_emulator::runner {

/// The lanes of the mask cannot go on.
inline void stop_running(Worker& worker, Subgroup& subgroup, std::uint32_t lanes) {
  subgroup.runnable &= ~lanes;
  if (subgroup.runnable == 0) worker.runnable_subgroups &= ~subgroup.bit();
}
inline void start_running(Worker& worker, Subgroup& subgroup, std::uint32_t lanes) {
  subgroup.runnable |= lanes;
  worker.runnable_subgroups |= subgroup.bit();
}

/// Reports that the worker's range of intervals is used up, and ends the launch.
[[noreturn]] void report_interval_limit(Worker& worker);

/// Runs a function that makes clock.now grow by one.
template <class Step>
void advance_interval(Worker& worker, Step step) {
  if (worker.clock.now == worker.last_interval) [[unlikely]]
    report_interval_limit(worker);
  step();
}

/// Nothing in the group can run. A lane that may go on: part of a SIMD group at an operation for which that is legal;
/// null: the group is done or, after a report, given up.
Lane* resolve_stall(Worker& worker);

void meet_subgroup(Worker& worker, const Meeting& meeting, void* argument, std::uint32_t flags);
void meet_group(Worker& worker, const Meeting& meeting, void* argument, std::uint32_t flags);

}  // namespace tilewright::msl_emulator::runner
