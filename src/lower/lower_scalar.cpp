#include "lower/lower_scalar.h"

#include <fmt/format.h>

#include "lower/launch_buffers.h"
#include "lower/scalar_refusals.h"
#include "lower/task_lowering.h"
#include "lower/value_plan.h"
#include "support/checked_math.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright::lower {

namespace {

using namespace tile;

/// Memory of one task of the kernel.
Result<void> check_memory(const Program& bound, const kernel::Program& program, const kernel::Kernel& kernel) {
  std::optional<std::int64_t> total = 0;
  for (kernel::AllocationId id : kernel.allocations) {
    const kernel::Allocation& allocation = program.allocations[id];
    const auto bytes =
        checked_mul(allocation.count, static_cast<std::int64_t>(kernel::scalar_bytes(allocation.scalar)));
    total = total && bytes ? checked_add(*total, *bytes) : std::nullopt;
  }
  if (total && *total <= kMaxTaskBytes) return {};
  return failure(
      DiagCode::TileTooLarge,
      fmt::format("one instance of kernel '{}' of '{}' needs {} bytes for its tiles, the limit is {}", kernel.name,
                  bound.name(), total ? std::to_string(*total) : "more than 2^63", kMaxTaskBytes),
      "use smaller tiles");
}

}  // namespace

Result<kernel::Program> lower_scalar(const Program& bound, const LaunchLayout& layout) {
  return lower_lanes(bound, layout, {});
}

Result<kernel::Program> lower_lanes(const Program& bound, const LaunchLayout& layout, const LaneOptions& lanes) {
  TW_CHECK(bound.bound());
  TW_TRY_VOID(check_scalar(bound));
  kernel::Builder builder(bound.name());
  TW_TRY(auto objects, declare_buffers(bound, layout, builder));
  const ValuePlan plan(bound, lanes.lanes >= kLeastLanes);
  std::size_t ordinal = 0;
  for (OpId id : bound.block(bound.root()).ops) {
    const auto* launch = std::get_if<RegionOp>(&bound.op(id).payload);
    TW_CHECK(launch != nullptr && launch->kind == RegionKind::Parallel);
    TaskLowering(bound, plan, builder, objects, lanes)
        .lower_launch(fmt::format("{}_{}", bound.name(), ordinal++), *launch);
  }
  kernel::Program program = builder.finish();
  TW_TRY_VOID(check_task_memory(bound, program));
  return program;
}

Result<void> check_task_memory(const Program& bound, const kernel::Program& program) {
  for (const kernel::Kernel& kernel : program.kernels) TW_TRY_VOID(check_memory(bound, program, kernel));
  return {};
}

}  // namespace tilewright::lower
