// Every plan of a small group, by nested loops and formulas of its own: what the solver is compared with. Shares no
// code with src/plan or src/realize beyond the structs of inputs and results.
#pragma once

#include <vector>

#include "plan/solver.h"

namespace tilewright::plan {

/// All plans, cheapest first, in the order that the solver promises: kernel score, threads, sum of the
/// operations' scores, shared bytes, subgroups_m of each operation.
struct ExhaustiveResult {
  std::vector<RankedPlan> plans;
  std::uint64_t combinations = 0;  ///< before any was left out for its storage
};

/// Whatever storage they need. Premise: the inputs are valid, and the planner would search.
ExhaustiveResult all_plans(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options);
/// Those that need no more than this.
ExhaustiveResult fitting_plans(const ExhaustiveResult& all, std::int64_t limit_bytes);

}  // namespace tilewright::plan
