#include "lower/lower_planned.h"

#include <numeric>

#include <fmt/format.h>

#include "lower/elementwise.h"
#include "lower/group/group_lowering.h"
#include "lower/lane_options.h"
#include "lower/launch_buffers.h"
#include "lower/lower_scalar.h"
#include "lower/rows/row_lowering.h"
#include "lower/scalar_refusals.h"
#include "lower/task_lowering.h"
#include "lower/traversal.h"
#include "lower/value_plan.h"
#include "lower/vector/vector_lowering.h"
#include "realize/contraction.h"
#include "realize/materialization.h"
#include "support/result.h"

namespace tilewright::lower {

namespace {

using namespace tile;

/// What the lowering of every launch works with.
struct Lowering {
  const proof::Subject& subject;
  const sets::Context& context;
  kernel::Builder& builder;
  std::map<ObjectId, ObjectPlace>& objects;

  const Program& program() const { return subject.program; }
};

Result<void> lower_as_scalar(Lowering& lowering, const plan::LaunchPlan& launch, const std::string& name) {
  const OpId region = lowering.subject.walk.launches[launch.launch];
  LaneOptions lanes;
  if (launch.lanes)
    lanes = {static_cast<std::uint16_t>(launch.lanes->lanes), launch.lanes->masks,
             static_cast<std::uint16_t>(launch.lanes->registers)};
  const ValuePlan values(lowering.program(), lanes.lanes >= kLeastLanes);
  TaskLowering(lowering.program(), values, lowering.builder, lowering.objects, lanes)
      .lower_launch(name, std::get<RegionOp>(lowering.program().op(region).payload));
  return {};
}

/// A width that is no multiple of a subgroup has no matrix operations, so that any smaller unit will do.
kernel::Group group_of(const plan::LaunchPlan& launch) {
  const std::int64_t subgroup = std::gcd(launch.threads, realize::kSubgroupSize);
  return {static_cast<std::int32_t>(launch.threads), static_cast<std::int32_t>(subgroup)};
}

Result<void> lower_as_group(Lowering& lowering, const plan::LaunchPlan& launch, const std::string& name) {
  TW_TRY_VOID(check_group(lowering.subject, launch));
  const auto materialization = realize::materialize(lowering.subject, launch.launch);
  TW_CHECK(materialization.has_value());
  const OpId region = lowering.subject.walk.launches[launch.launch];
  TW_TRY(const ProgramWalk walk,
         program_walk(lowering.program(), std::get<RegionOp>(lowering.program().op(region).payload), launch));
  const auto task = lowering.builder.begin_kernel(name, walk.task_extents(), group_of(launch));
  const std::vector<kernel::ValueId> at = walk.coordinates(lowering.builder, task);
  GroupLowering group(lowering.subject, launch, *materialization, lowering.builder, lowering.objects);
  TW_TRY_VOID(group.lower(at));
  lowering.builder.end_kernel();
  return {};
}

/// The facts are found anew, and with them the proofs that allow what the plan asks for.
Result<void> lower_as_vectors(Lowering& lowering, const plan::LaunchPlan& launch, const std::string& name) {
  const auto facts = realize::contraction(lowering.subject, launch.launch, lowering.context);
  TW_CHECK(facts.has_value() && launch.vector.has_value());
  lower_contraction(lowering.program(), *facts, launch.vector->mapping, name, lowering.builder, lowering.objects);
  return {};
}

Result<void> lower_launch(Lowering& lowering, const plan::LaunchPlan& launch, const std::string& name) {
  switch (launch.mapping) {
    case plan::LaunchMapping::Scalar:
      return lower_as_scalar(lowering, launch, name);
    case plan::LaunchMapping::Elementwise:
      return lower_elementwise(lowering.subject, launch, name, lowering.builder, lowering.objects);
    case plan::LaunchMapping::RowReduction:
      return lower_row_reduction(lowering.subject, launch, name, lowering.builder, lowering.objects);
    case plan::LaunchMapping::Cooperative:
      return lower_as_group(lowering, launch, name);
    case plan::LaunchMapping::Vector:
      return lower_as_vectors(lowering, launch, name);
  }
  return {};
}

}  // namespace

Result<kernel::Program> lower_planned(const proof::Subject& subject, const LaunchLayout& layout, const plan::Plan& plan,
                                      const sets::Context& context) {
  const Program& program = subject.program;
  TW_CHECK(program.bound() && plan.launches.size() == subject.walk.launches.size());
  TW_TRY_VOID(check_scalar(program));
  kernel::Builder builder(program.name());
  TW_TRY(auto objects, declare_buffers(program, layout, builder));
  Lowering lowering{subject, context, builder, objects};
  for (const plan::LaunchPlan& launch : plan.launches)
    TW_TRY_VOID(lower_launch(lowering, launch, fmt::format("{}_{}", program.name(), launch.launch)));
  kernel::Program lowered = builder.finish();
  if (plan.target == "cpu") TW_TRY_VOID(check_task_memory(program, lowered));
  return lowered;
}

}  // namespace tilewright::lower
