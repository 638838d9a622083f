// A planning call: what is checked and asked once, and the planning of one group with it. Internal to src/plan.
#pragma once

#include "plan/cost_basis.h"
#include "plan/solver.h"

namespace tilewright::plan {

struct PlanningCall {
  realize::AtomFamily family{};
  const CostBasis* basis = nullptr;
  CostPriors priors;  ///< what the policy answered, or the caller's; valid
};

/// The family of a group's matrices; of one without, that of the basis asked for, else the reference family.
realize::AtomFamily family_of(const GroupWorkload& workload, const PlannerOptions& options);

/// Validates limits, options and coefficients, and consults the policy: once.
Result<PlanningCall> begin_planning(realize::AtomFamily family, const Limits& limits, const PlannerOptions& options);

/// Premise: the matrices of the workload are of the family of the call.
Result<Solution> plan_group(const PlanningCall& call, const GroupWorkload& workload, const Limits& limits,
                            const PlannerOptions& options);

/// The plan without a search; nothing when one is to be made.
std::optional<Solution> reference_solution(const PlanningCall& call, const GroupWorkload& workload,
                                           const Limits& limits, const PlannerOptions& options);

}  // namespace tilewright::plan
