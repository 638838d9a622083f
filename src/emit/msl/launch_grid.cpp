#include "emit/msl/launch_grid.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/result.h"

namespace tilewright::emit_msl {

namespace {

/// Positions in a grid are numbers of 32 bits.
constexpr std::int64_t kPositions = std::int64_t{1} << 32;
/// Of kernels of one worker.
constexpr std::int64_t kThreads = 256;

/// The verifier keeps the product far inside 64 bits.
std::int64_t count_tasks(const kernel::Kernel& kernel) {
  std::int64_t tasks = 1;
  for (std::int64_t extent : kernel.task_extents) tasks *= extent;
  return std::ranges::find(kernel.task_extents, 0) != kernel.task_extents.end() ? 0 : tasks;
}

std::unexpected<Diags> too_large(const kernel::Kernel& kernel, std::int64_t found, const char* what) {
  return failure(DiagCode::GridTooLarge,
                 fmt::format("kernel {} needs {} {}; a grid of Metal numbers {}", kernel.name, found, what, kPositions),
                 "use larger tiles, or launch a part of the problem at a time");
}

}  // namespace

Result<LaunchGrid> launch_grid(const kernel::Kernel& kernel) {
  LaunchGrid grid;
  grid.tasks = count_tasks(kernel);
  grid.thread_a_task = kernel.group.workers == 1;
  if (grid.thread_a_task) {
    grid.workers = std::clamp<std::int64_t>(grid.tasks, 1, kThreads);
    if (grid.tasks > kPositions) return too_large(kernel, grid.tasks, "threads, one a task,");
    const std::int64_t groups = (grid.tasks + grid.workers - 1) / grid.workers;
    grid.guarded = groups * grid.workers != grid.tasks;
    if (grid.tasks != 0) grid.groups = {groups, 1, 1};
    return grid;
  }
  grid.workers = kernel.group.workers;
  grid.two_dimensional = kernel.task_extents.size() == 2;
  const std::int64_t longest =
      grid.two_dimensional ? std::max(kernel.task_extents[0], kernel.task_extents[1]) : grid.tasks;
  // The number of groups along a dimension is one of 32 bits too.
  if (grid.tasks != 0 && longest >= kPositions) return too_large(kernel, longest, "groups in one dimension");
  if (grid.tasks == 0) return grid;
  if (grid.two_dimensional)
    grid.groups = {kernel.task_extents[1], kernel.task_extents[0], 1};
  else
    grid.groups = {grid.tasks, 1, 1};
  return grid;
}

// A declared bound of exactly 32 has made Apple's compiler miscompile staging loads (cubek PR 645); a larger bound is
// as true.
std::int64_t declared_workers(const LaunchGrid& grid) { return grid.workers == 32 ? 64 : grid.workers; }

}  // namespace tilewright::emit_msl
