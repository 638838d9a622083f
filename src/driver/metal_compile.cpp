#include "driver/metal_compile.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/plan_call.h"
#include "driver/plan_needs.h"
#include "driver/stage_clock.h"
#include "kernel/verifier.h"
#include "lower/lower_planned.h"
#include "sync/synchronize.h"
#include "tile/bind.h"

namespace tilewright::driver {

namespace {

constexpr const char* kDirectStores = "direct_accumulator_store";

Result<LaunchRules> rules_of(const PlanReport& planned, const CompileOptions& options) {
  const bool noalias = options.noalias || planned.request.switches.noalias || needs_noalias(planned.planned.plan);
  return launch_rules(planned.bound, options.layouts, noalias);
}

proof::Subject subject_of(const PlanReport& planned) {
  return proof::make_subject(planned.bound, proof::launch_assumptions(planned.request.switches.noalias));
}

/// A plan that was made here knows the layout; a stored one may ask for what it does not have.
Result<void> check_layout(const MetalKernel& kernel) {
  const std::vector<std::string> faults =
      rows_that_are_not_compact(kernel.planned.planned.plan, subject_of(kernel.planned), kernel.rules);
  if (faults.empty()) return {};
  return failure(DiagCode::ArgumentStrides,
                 fmt::format("the plan stores whole fragments, whose rows or columns have to follow each other; {}",
                             fmt::join(faults, ", ")),
                 fmt::format("plan with {}=false, or give these buffers another layout", kDirectStores));
}

/// What is known of the launch when its fences are decided on.
sync::KernelRequest fences_of(const plan::LaunchPlan& launch) {
  sync::KernelRequest request;
  request.coalesce = launch.coalesce_group_barriers;
  request.elide = launch.elide_independent_subgroup_barriers;
  request.subgroups_are_programs = launch.rows && launch.rows->mapping.programs_per_group > 1;
  request.premises.distinct_buffers = {
      {proof::Guarantor::Launch, "a buffer that is written overlaps no other; every launch compares their ranges"}};
  const auto uses = [&](std::string_view family) {
    return std::ranges::any_of(launch.proofs, [&](const plan::ProofUse& use) { return use.family == family; });
  };
  const bool direct = uses("output.direct") || uses("epilogue.same_owner");
  if (uses("map.exact_cover") && direct)
    request.premises.disjoint_parts = {
        {proof::Guarantor::Proof, "map.exact_cover: subgroups have rectangles of their own"}};
  return request;
}

Result<void> synchronize(MetalKernel& kernel) {
  sync::SyncRequest request;
  for (const plan::LaunchPlan& launch : kernel.planned.planned.plan.launches)
    request.kernels.push_back(fences_of(launch));
  TW_TRY(sync::Synchronized done, sync::synchronize(kernel.lowered, request));
  kernel.lowered = std::move(done.program);
  kernel.fences = std::move(done.facts);
  return {};
}

/// Names of the coordinates where the tasks of the kernel are the programs of its launch.
std::vector<std::string> coordinates_of(const tile::Program& program, std::size_t launch,
                                        const kernel::Kernel& kernel) {
  const tile::OpId id = program.block(program.root()).ops[launch];
  const auto& region = std::get<tile::RegionOp>(program.op(id).payload);
  std::vector<std::string> names;
  std::vector<std::int64_t> extents;
  for (tile::CoordId id : program.list(region.coords)) {
    names.push_back(program.coords()[id].name);
    extents.push_back(program.index().as_constant(program.coords()[id].extent).value_or(-1));
  }
  return extents == kernel.task_extents ? names : std::vector<std::string>{};
}

std::string bindings_text(const PlanReport& planned) {
  std::vector<std::string> parts;
  for (const std::string& name : planned.names) {
    if (const auto number = planned.bindings.numbers.find(name); number != planned.bindings.numbers.end())
      parts.push_back(fmt::format("{}={}", name, number->second));
    if (const auto type = planned.bindings.types.find(name); type != planned.bindings.types.end())
      parts.push_back(fmt::format("{}={}", name, data_type_name(type->second)));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Premise: its rules are those of the plan.
Result<void> lower_and_synchronize(MetalKernel& kernel, std::vector<StageTime>& times) {
  TW_TRY(kernel.layout, launch_layout(kernel.planned.bound, kernel.rules));
  kernel.layout.names_matrices = kernel.tensor_bindings == TensorBindings::Handle;
  const proof::Subject subject = subject_of(kernel.planned);
  const sets::Context context;
  TW_TRY(kernel.lowered, timed(times, "lower", [&] {
           return lower::lower_planned(subject, kernel.layout, kernel.planned.planned.plan, context);
         }));
  TW_TRY_VOID(timed(times, "verify kernel", [&] { return kernel::verify(kernel.lowered); }));
  return timed(times, "synchronize", [&] { return synchronize(kernel); });
}

artifact::FenceRecord record_of(const sync::KernelFences& fences) {
  artifact::FenceRecord record{fences.sites_before, fences.sites_after, {}, {}};
  if (!fences.independent_subgroups) return record;
  record.independent_subgroups = fences.independent_subgroups->kind == proof::Finding::Kind::Proved;
  if (!*record.independent_subgroups) record.reason = fences.independent_subgroups->reason;
  return record;
}

emit_msl::EmitOptions planned_options(const MetalKernel& kernel) {
  const plan::Plan& plan = kernel.planned.planned.plan;
  emit_msl::EmitOptions options = text_options(kernel);
  options.target = plan.target;
  options.plan = plan::print_plan(plan);
  options.plan_digest = hash_text(plan::plan_digest(plan));
  for (const sync::KernelFences& fences : kernel.fences) options.fences.push_back(record_of(fences));
  return options;
}

}  // namespace

Result<std::vector<artifact::FenceRecord>> fence_records(const PlanReport& planned) {
  MetalKernel kernel;
  kernel.planned = planned;
  TW_TRY(kernel.rules, rules_of(planned, {}));
  std::vector<StageTime> times;
  TW_TRY_VOID(lower_and_synchronize(kernel, times));
  std::vector<artifact::FenceRecord> records;
  for (const sync::KernelFences& fences : kernel.fences) records.push_back(record_of(fences));
  return records;
}

emit_msl::EmitOptions text_options(const MetalKernel& kernel) {
  const PlanReport& planned = kernel.planned;
  emit_msl::EmitOptions options;
  options.tensor_handles = kernel.tensor_bindings == TensorBindings::Handle;
  options.device = planned.device.name;
  const target::DeviceLimits& limits = planned.device.limits;
  if (limits.max_threads_per_group) options.limits.workers_per_group = limits.max_threads_per_group->value;
  if (limits.shared_memory_bytes) options.limits.shared_bytes = limits.shared_memory_bytes->value;
  if (limits.max_buffers) options.limits.buffers = limits.max_buffers->value;
  options.bindings = bindings_text(planned);
  for (std::size_t i = 0; i < kernel.lowered.kernels.size(); ++i)
    options.coordinates.push_back(coordinates_of(planned.bound, i, kernel.lowered.kernels[i]));
  return options;
}

Result<lower::LaunchLayout> launch_layout(const tile::Program& bound, const LaunchRules& rules) {
  lower::LaunchLayout layout;
  for (const auto& [id, strides] : rules.strides) {
    // An axis of one point is never stepped along: its stride must not reach the address arithmetic.
    const std::vector<std::int64_t> extents = tile::bound_extents(bound, id);
    std::vector<std::int64_t> used = strides;
    for (std::size_t d = 0; d < used.size(); ++d)
      if (extents[d] <= 1) used[d] = 0;
    TW_TRY(layout.buffers[id], lower::make_buffer_layout(extents, used));
  }
  return layout;
}

Result<MetalKernel> compile_metal(const Program& program, const Bindings& bindings, const CompileOptions& options,
                                  std::vector<StageTime>& times) {
  MetalKernel kernel;
  kernel.emulation = options.emulation;
  kernel.tensor_bindings = options.tensor_bindings;
  kernel.device_is_named = !options.device.empty();
  const auto plan = [&]() -> Result<void> {
    TW_TRY(kernel.planned, plan_report(program, bindings, plan_options(options), given_plan(options)));
    TW_TRY(kernel.rules, rules_of(kernel.planned, options));
    TW_TRY_VOID(check_layouts_once(kernel.planned.bound, kernel.rules));
    return check_layout(kernel);
  };
  TW_TRY_VOID(timed(times, "plan", plan));
  TW_TRY_VOID(lower_and_synchronize(kernel, times));
  TW_TRY(kernel.text, timed(times, "emit", [&] { return emit_msl::emit(kernel.lowered, planned_options(kernel)); }));
  return kernel;
}

}  // namespace tilewright::driver
