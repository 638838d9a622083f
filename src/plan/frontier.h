// The search at one width: which candidate each operation takes. Internal to src/plan.
//
// States are partial choices, operation by operation, with (score, released bytes). A state is dropped when another has
// a score no larger and released bytes no smaller; of equals the one whose candidates come first stays. What the other
// operations add does not depend on the state, so a dropped one completes no better plan. When a cost ever depends on
// two operations at once, a state has to carry what it depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/limits.h"

namespace tilewright::plan {

/// A legal, priced candidate of one operation.
struct FrontierOption {
  double score = 0;
  std::int64_t released_bytes = 0;
  std::uint32_t candidate = 0;  ///< its position among all candidates of the operation
};

struct FrontierProblem {
  std::vector<std::vector<FrontierOption>> operations;  ///< options in the order of the candidates
  std::int64_t shared_memory_bytes = 0;                 ///< before anything is released
  std::int64_t subgroups = 1;
};

/// One option an operation.
struct FrontierPick {
  std::vector<std::uint32_t> options;  ///< positions in FrontierProblem::operations[i]
  double score = 0;                    ///< sum, in the order of the operations
  std::int64_t released_bytes = 0;
};

struct FrontierOutcome {
  std::optional<FrontierPick> best;  ///< the least score that fits; then most released; then the first options
  std::uint64_t dominated = 0;       ///< states dropped
  std::uint64_t over_capacity = 0;   ///< complete states that need more than the limit
  std::uint64_t not_finite = 0;      ///< complete states that fit and whose score is no finite number
  std::uint64_t largest_frontier = 0;
  std::int64_t least_shared_bytes = 0;  ///< of all complete states
  bool over_budget = false;             ///< more than kMaxFrontierStates states: nothing was decided
};

FrontierOutcome search_frontier(const FrontierProblem& problem, const Limits& limits);

/// Rounded up to the granule of the limits; INT64_MAX when that does not fit.
std::int64_t charged_bytes(std::int64_t bytes, const Limits& limits);

}  // namespace tilewright::plan
