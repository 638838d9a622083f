// One width of the search: its candidates, priced, and the cheapest plan. Internal to src/plan.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/cost_basis.h"
#include "plan/cost_priors.h"
#include "plan/frontier.h"
#include "plan/solver.h"

namespace tilewright::plan {

/// What a planning call works with, once its inputs are validated and the policy was asked.
struct PlanContext {
  const GroupWorkload& workload;
  const Limits& limits;
  const PlannerOptions& options;
  const CostBasis& basis;
  const CostPriors& priors;
};

struct WidthSearch {
  WidthRecord record;
  FrontierProblem problem;  ///< without operations when one has no candidate
  FrontierOutcome outcome;  ///< of the problem
};

/// Every candidate of every operation at this width, and for metal.mpp the collective after them; then the search.
/// Premise: threads is a positive number of complete subgroups.
WidthSearch search_width(const PlanContext& context, std::int64_t threads);

/// Elements of the group that no candidate removes.
std::int64_t common_elements(const GroupWorkload& workload);

/// A pick as a plan, with its kernel score.
RankedPlan plan_of(const PlanContext& context, const WidthSearch& width, const FrontierPick& pick);

/// All features and scores of a plan of this width.
PlanCost cost_of(const PlanContext& context, const WidthRecord& width, const FrontierProblem& problem,
                 const FrontierPick& pick);

/// score x waves of a program whose operations have this score.
struct GroupScore {
  double program = 0, waves = 1, kernel = 0;
};
GroupScore group_score(const PlanContext& context, double operations, std::int64_t subgroups);

}  // namespace tilewright::plan
