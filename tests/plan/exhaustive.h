// Every plan of a small group, by nested loops and formulas of its own: what the solver is compared with. Shares no
// code with src/plan or src/realize beyond the structs of inputs and results.
#pragma once

#include <vector>

#include "plan/solver.h"

namespace tilewright::plan {

/// All plans that fit, cheapest first, in the order that the solver promises: kernel score, threads, sum of the
/// operations' scores, shared bytes, subgroups_m of each operation.
struct ExhaustiveResult {
  std::vector<RankedPlan> plans;
  std::uint64_t combinations = 0;  ///< fitting or not
  std::uint64_t ties = 0;          ///< plans with the kernel score of the first, itself included
};

/// Premise: the inputs are valid, and the planner would search.
ExhaustiveResult all_plans(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options);

}  // namespace tilewright::plan
