// How the tasks of a kernel become groups of a launch.
#pragma once

#include <array>
#include <cstdint>

#include <tilewright/errors.h>

#include "emit/msl/emit.h"

namespace tilewright::emit_msl {

/// One group a task; a kernel of one worker has one thread a task. A domain of two dimensions is a launch of two where
/// each group is a task; every other one is a row of tasks by their ordinal.
struct LaunchGrid {
  std::int64_t tasks = 0;
  std::array<std::int64_t, 3> groups{};  ///< x, y, z; all 0 without tasks
  std::int64_t workers = 0;              ///< of a group
  bool thread_a_task = false;
  bool two_dimensional = false;
  bool guarded = false;  ///< some threads have no task
};

/// Failure: GridTooLarge.
Result<LaunchGrid> launch_grid(const kernel::Kernel& kernel);

/// Of max_total_threads_per_threadgroup.
std::int64_t declared_workers(const LaunchGrid& grid);

}  // namespace tilewright::emit_msl
