#include "plan/width_search.h"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "realize/matrix_candidates.h"
#include "support/check.h"

namespace tilewright::plan {

namespace {

using realize::MatrixCandidate;
using realize::MatrixWorkload;

CandidateRecord record_of(const PlanContext& context, const MatrixWorkload& matrix, const MatrixCandidate& candidate,
                          const realize::GroupShape& group) {
  CandidateRecord record;
  record.distribution = candidate.distribution;
  record.refusal = candidate.refusal;
  if (record.refusal) return record;
  record.released_bytes = realize::released_bytes(matrix, candidate.distribution);
  if (candidate.distribution.is_collective()) {
    // What can be counted of a map that has no price.
    record.cost.fragment_scalars_per_lane = realize::fragment_scalars_per_lane(matrix, candidate.distribution, group);
    record.cost.metal_mpp_operations = static_cast<double>(matrix.executions);
  } else {
    record.cost =
        context.basis.operation(matrix, candidate.distribution, group.threads / realize::kSubgroupSize, context.priors)
            .cost;
  }
  return record;
}

std::vector<CandidateRecord> candidates_of(const PlanContext& context, const MatrixWorkload& matrix,
                                           const realize::CandidateRequest& request) {
  std::vector<CandidateRecord> records;
  for (const MatrixCandidate& candidate : realize::matrix_candidates(matrix, request))
    records.push_back(record_of(context, matrix, candidate, request.group));
  if (matrix.family == realize::AtomFamily::MetalMpp)
    records.push_back(record_of(context, matrix, realize::collective_candidate(matrix, request), request.group));
  return records;
}

std::vector<FrontierOption> options_of(const std::vector<CandidateRecord>& records) {
  std::vector<FrontierOption> options;
  for (std::uint32_t i = 0; i < records.size(); ++i)
    if (!records[i].refusal && records[i].cost.priced)
      options.push_back({records[i].cost.score, records[i].released_bytes, i});
  return options;
}

PlanRefusal no_mapping(std::size_t matrix, std::int64_t threads) {
  return {PlanConstraint::NoLegalMapping,
          {{"threads", threads}},
          fmt::format("has no legal mapping onto {} threads", threads),
          matrix};
}

PlanRefusal width_refusal(const WidthSearch& width, const Limits& limits) {
  if (width.outcome.not_finite == 0 && !width.outcome.best)
    return {PlanConstraint::SharedCapacity,
            {{"shared_memory_bytes", width.outcome.least_shared_bytes},
             {"limit", limits.shared_memory_bytes},
             {"threads", width.record.threads}},
            fmt::format("{} threads need at least {} bytes of shared memory, the limit is {}", width.record.threads,
                        width.outcome.least_shared_bytes, limits.shared_memory_bytes)};
  return {PlanConstraint::ScoreNotFinite,
          {{"threads", width.record.threads}},
          fmt::format("the kernel score of every plan of {} threads that fits is too large a number",
                      width.record.threads)};
}

}  // namespace

std::int64_t common_elements(const GroupWorkload& workload) {
  std::int64_t common = workload.independent_elements;
  for (const MatrixWorkload& matrix : workload.matrices)
    common -= matrix.recurrence_elements + matrix.direct_output_elements;
  TW_CHECK(common >= 0);
  return common;
}

GroupScore group_score(const PlanContext& context, double operations, std::int64_t subgroups) {
  GroupScore score;
  score.program = context.basis.program_score(operations, static_cast<double>(common_elements(context.workload)),
                                              subgroups, context.priors);
  score.waves = context.basis.waves(context.workload.programs, subgroups, context.priors);
  score.kernel = score.program * score.waves;
  return score;
}

RankedPlan plan_of(const PlanContext& context, const WidthSearch& width, const FrontierPick& pick) {
  RankedPlan plan;
  plan.threads = width.record.threads;
  for (std::size_t i = 0; i < pick.options.size(); ++i) {
    const FrontierOption& option = width.problem.operations[i][pick.options[i]];
    plan.matrices.push_back(width.record.matrices[i][option.candidate].distribution);
  }
  plan.shared_memory_bytes = charged_bytes(context.workload.shared_memory_bytes - pick.released_bytes, context.limits);
  plan.kernel_score = group_score(context, pick.score, width.problem.subgroups).kernel;
  return plan;
}

PlanCost cost_of(const PlanContext& context, const WidthRecord& width, const FrontierProblem& problem,
                 const FrontierPick& pick) {
  PlanCost cost;
  for (std::size_t i = 0; i < pick.options.size(); ++i)
    add_features(cost, width.matrices[i][problem.operations[i][pick.options[i]].candidate].cost);
  cost.independent_elements += static_cast<double>(common_elements(context.workload));
  const GroupScore score = group_score(context, pick.score, problem.subgroups);
  cost.priced = true;
  cost.score = score.program;
  cost.concurrent_waves = score.waves;
  cost.kernel_score = score.kernel;
  return cost;
}

WidthSearch search_width(const PlanContext& context, std::int64_t threads) {
  const realize::CandidateRequest request{{threads, context.limits.subgroup_size},
                                          context.options.max_fragment_scalars_per_lane,
                                          context.options.retain_accumulators,
                                          context.options.direct_accumulator_store};
  WidthSearch width;
  width.record.threads = threads;
  width.problem.shared_memory_bytes = context.workload.shared_memory_bytes;
  width.problem.subgroups = threads / realize::kSubgroupSize;
  std::vector<std::vector<FrontierOption>> operations;
  for (const MatrixWorkload& matrix : context.workload.matrices) {
    width.record.matrices.push_back(candidates_of(context, matrix, request));
    operations.push_back(options_of(width.record.matrices.back()));
    if (operations.back().empty() && !width.record.refusal)
      width.record.refusal = no_mapping(operations.size() - 1, threads);
  }
  if (width.record.refusal) return width;
  width.problem.operations = std::move(operations);
  width.outcome = search_frontier(width.problem, context.limits);
  if (width.outcome.over_budget) return width;
  if (width.outcome.best) {
    RankedPlan plan = plan_of(context, width, *width.outcome.best);
    if (std::isfinite(plan.kernel_score))
      width.record.best = std::move(plan);
    else
      ++width.outcome.not_finite;
  }
  if (!width.record.best) {
    width.record.refusal = width_refusal(width, context.limits);
    width.outcome.best.reset();
  }
  return width;
}

}  // namespace tilewright::plan
