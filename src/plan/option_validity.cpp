#include <algorithm>

#include <fmt/format.h>

#include "plan/cost_basis.h"
#include "plan/options.h"

namespace tilewright::plan {

namespace {

void add_option_fault(Diags& faults, std::string message, std::string hint = {}) {
  faults.push_back({DiagCode::BadOption, std::move(message), {}, std::move(hint), {}});
}

void add_limit_fault(Diags& faults, std::string message) {
  faults.push_back({DiagCode::LimitsInvalid, "limits of the target: " + std::move(message), {}, {}, {}});
}

/// What set_option would refuse: the value of each row is read back from its text.
void check_ranges(Diags& faults, const PlannerOptions& options) {
  PlannerOptions copy;
  for (const OptionValue& value : option_values(options)) {
    if (value.name.starts_with("cost.")) continue;
    auto result = set_option(copy, value.name, option_value_text(value));
    if (!result) faults.insert(faults.end(), result.error().begin(), result.error().end());
  }
}

void check_limits(Diags& faults, const Limits& limits) {
  if (limits.max_threads < 1)
    add_limit_fault(faults, fmt::format("max_threads is expected to be at least 1, found {}", limits.max_threads));
  if (limits.subgroup_size != realize::kSubgroupSize)
    add_limit_fault(faults, fmt::format("subgroup_size is expected to be {}, found {}", realize::kSubgroupSize,
                                        limits.subgroup_size));
  if (limits.shared_memory_bytes < 0)
    add_limit_fault(
        faults, fmt::format("shared_memory_bytes is expected to be at least 0, found {}", limits.shared_memory_bytes));
  if (limits.shared_granule_bytes < 1)
    add_limit_fault(faults, fmt::format("shared_granule_bytes is expected to be at least 1, found {}",
                                        limits.shared_granule_bytes));
}

void check_family(Diags& faults, const PlannerOptions& options, realize::AtomFamily family) {
  const std::int64_t least = realize::least_fragment_budget(family);
  if (options.max_fragment_scalars_per_lane < least)
    add_option_fault(faults, fmt::format("max_fragment_scalars_per_lane expects at least {} for {}, found {}", least,
                                         realize::atom_family_name(family), options.max_fragment_scalars_per_lane));
  const CostBasis* basis = find_cost_basis(options.cost_basis);
  if (basis != nullptr && basis->family != family)
    add_option_fault(faults,
                     fmt::format("cost_basis {} prices {}, but the matrix operations are of {}", basis->name,
                                 realize::atom_family_name(basis->family), realize::atom_family_name(family)),
                     fmt::format("leave cost_basis at auto, or set it to {}", default_cost_basis(family).name));
  if (options.mpp_operation_scope == "group" && family != realize::AtomFamily::MetalMpp)
    add_option_fault(faults, fmt::format("mpp_operation_scope group exists in metal.mpp alone; the matrix operations "
                                         "are of {}",
                                         realize::atom_family_name(family)));
}

}  // namespace

PlannerOptions effective_options(PlannerOptions options) {
  if (options.enabled) return options;
  options.fuse_gpu_elementwise = options.map_gpu_cooperative_programs = options.metal_subgroup_reductions = false;
  options.retain_accumulators = options.direct_accumulator_store = options.fuse_matrix_epilogues = false;
  options.coalesce_group_barriers = options.elide_independent_subgroup_barriers = false;
  options.pad_shared_rows = false;
  options.pipeline_window = 0;
  options.max_copy_batch = 1;
  options.max_pipeline_prefetch_scalars_per_lane = 0;
  return options;
}

Result<void> validate(const PlannerOptions& options, const Limits& limits, realize::AtomFamily family) {
  Diags faults;
  check_limits(faults, limits);
  check_ranges(faults, options);
  if (faults.empty()) check_family(faults, options, family);
  if (options.threads_per_group > limits.max_threads)
    faults.push_back({DiagCode::ThreadLimit,
                      fmt::format("threads_per_group expects 0 to {}, the most that the target has, found {}",
                                  limits.max_threads, options.threads_per_group),
                      {},
                      "0 lets the planner choose",
                      {}});
  if (!options.enabled && (options.program_order_rows != 1 || options.program_order_columns != 1))
    add_option_fault(faults,
                     fmt::format("program_order_rows {} and program_order_columns {} expect enabled true, found false",
                                 options.program_order_rows, options.program_order_columns),
                     "without the planner programs run in row-major order");
  if (options.enabled && options.elide_independent_subgroup_barriers && !options.coalesce_group_barriers)
    add_option_fault(faults, "elide_independent_subgroup_barriers expects coalesce_group_barriers true, found false",
                     "set coalesce_group_barriers to true");
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<void> validate(const PlannerOptions& options, const CompileSwitches& switches) {
  Diags faults;
  if (options.max_cpu_vector_lanes != PlannerOptions{}.max_cpu_vector_lanes && !switches.auto_vectorize)
    add_option_fault(
        faults,
        fmt::format("max_cpu_vector_lanes {} expects auto_vectorize true, found false", options.max_cpu_vector_lanes),
        "set auto_vectorize to true");
  for (const OptionValue& value : option_values(switches)) {
    CompileSwitches copy;
    auto result = set_option(copy, value.name, option_value_text(value));
    if (!result) faults.insert(faults.end(), result.error().begin(), result.error().end());
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

}  // namespace tilewright::plan
