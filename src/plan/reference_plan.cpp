// The plan that is made without a search: background 3.7, "early reference exit" and "reference width".
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plan/planning_call.h"
#include "plan/width_search.h"
#include "support/counted.h"

namespace tilewright::plan {

namespace {

/// Why no search is made; empty when one is.
std::string reason_for_reference(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  if (!options.enabled) return "the planner is not enabled";
  if (workload.matrices.empty()) return "there is no matrix operation";
  if (limits.max_threads < realize::kSubgroupSize)
    return fmt::format("groups of the target have at most {}, fewer than a subgroup of {}",
                       counted(static_cast<std::uint64_t>(limits.max_threads), "thread"), realize::kSubgroupSize);
  if (options.threads_per_group % realize::kSubgroupSize != 0)
    return fmt::format("a width of {} is no number of complete subgroups of {}", options.threads_per_group,
                       realize::kSubgroupSize);
  return {};
}

std::int64_t reference_width(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  if (options.threads_per_group != 0) return options.threads_per_group;
  const std::int64_t complete = limits.max_threads / realize::kSubgroupSize;
  std::int64_t width = std::min(workload.max_independent_elements, limits.max_threads);
  width = std::max(width, realize::kSubgroupSize * std::min(workload.max_collective_outputs, complete));
  const bool whole_subgroups = !workload.matrices.empty() || workload.max_collective_outputs > 0;
  if (!whole_subgroups || complete == 0) return width;
  const std::int64_t subgroups = width / realize::kSubgroupSize + (width % realize::kSubgroupSize != 0 ? 1 : 0);
  return realize::kSubgroupSize * std::min(subgroups, complete);
}

/// Of one atom at a time, or of a group without matrices. Not priced when the score is no finite number.
PlanCost reference_cost(const PlanContext& context, std::int64_t subgroups) {
  PlanCost cost;
  double operations = 0;
  for (const realize::MatrixWorkload& matrix : context.workload.matrices) {
    const OperationCost operation =
        context.basis.operation(matrix, {.family = matrix.family}, subgroups, context.priors);
    add_features(cost, operation.cost);
    operations += operation.cost.score;
  }
  cost.independent_elements += static_cast<double>(common_elements(context.workload));
  const GroupScore score = group_score(context, operations, subgroups);
  if (!std::isfinite(score.kernel)) return cost;
  cost.priced = true;
  cost.score = score.program;
  cost.concurrent_waves = score.waves;
  cost.kernel_score = score.kernel;
  return cost;
}

}  // namespace

std::optional<Solution> reference_solution(const PlanningCall& call, const GroupWorkload& workload,
                                           const Limits& limits, const PlannerOptions& options) {
  const std::string reason = reason_for_reference(workload, limits, options);
  if (reason.empty()) return std::nullopt;
  Solution solution;
  const std::int64_t bytes = charged_bytes(workload.shared_memory_bytes, limits);
  if (!workload.matrices.empty() && call.family == realize::AtomFamily::MetalMpp) {
    solution.refusal = PlanRefusal{PlanConstraint::NoReference,
                                   {{"operations", static_cast<std::int64_t>(workload.matrices.size())},
                                    {"threads_per_group", options.threads_per_group},
                                    {"max_threads", limits.max_threads},
                                    {"subgroup_size", realize::kSubgroupSize}},
                                   fmt::format("{}, and metal.mpp has no reference realization", reason)};
    return solution;
  }
  if (bytes > limits.shared_memory_bytes) {
    solution.refusal = PlanRefusal{PlanConstraint::SharedCapacity,
                                   {{"shared_memory_bytes", bytes}, {"limit", limits.shared_memory_bytes}},
                                   fmt::format("{}, and the reference realization needs {} bytes of shared memory, the "
                                               "limit is {}",
                                               reason, bytes, limits.shared_memory_bytes)};
    return solution;
  }
  GroupChoice choice;
  choice.threads = reference_width(workload, limits, options);
  choice.shared_memory_bytes = bytes;
  choice.cost_basis = call.basis->name;
  const bool scalar = workload.matrices.empty() || choice.threads % realize::kSubgroupSize != 0;
  choice.reference = scalar ? ReferenceKind::Scalar : ReferenceKind::OneAtom;
  if (!scalar) choice.matrices.assign(workload.matrices.size(), {.family = call.family});
  if (!scalar || workload.matrices.empty()) {
    const std::int64_t subgroups = (choice.threads - 1) / realize::kSubgroupSize + 1;
    choice.cost = reference_cost({workload, limits, options, *call.basis, call.priors}, subgroups);
  }
  choice.why = "the reference is kept: " + reason;
  solution.choice = std::move(choice);
  return solution;
}

}  // namespace tilewright::plan
