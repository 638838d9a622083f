#include "plan/frontier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/solver.h"
#include "support/checked_math.h"

namespace tilewright::plan {

namespace {

/// A choice for the first operations; `parent` is a state of the level before.
struct FrontierState {
  double score = 0;
  std::int64_t released_bytes = 0;
  std::uint32_t parent = 0, option = 0;
};
using FrontierLevel = std::vector<FrontierState>;

/// Every state with every option, in the order of the choices.
FrontierLevel extended(const FrontierLevel& level, const std::vector<FrontierOption>& options) {
  FrontierLevel next;
  next.reserve(level.size() * options.size());
  for (std::uint32_t parent = 0; parent < level.size(); ++parent)
    for (std::uint32_t option = 0; option < options.size(); ++option)
      next.push_back({level[parent].score + options[option].score,
                      level[parent].released_bytes + options[option].released_bytes, parent, option});
  return next;
}

/// Before in the order of preference; the position decides between equals, so that the order is total.
bool is_better(const FrontierState& a, std::size_t position_a, const FrontierState& b, std::size_t position_b) {
  if (a.score != b.score) return a.score < b.score;
  if (a.released_bytes != b.released_bytes) return a.released_bytes > b.released_bytes;
  return position_a < position_b;
}

/// Without the dominated states; the order of the rest is kept.
FrontierLevel undominated(const FrontierLevel& level) {
  std::vector<std::uint32_t> order(level.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return is_better(level[a], a, level[b], b); });
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t i : order)
    if (kept.empty() || level[i].released_bytes > level[kept.back()].released_bytes) kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  FrontierLevel rest;
  rest.reserve(kept.size());
  for (const std::uint32_t i : kept) rest.push_back(level[i]);
  return rest;
}

FrontierPick pick_of(const std::vector<FrontierLevel>& levels, std::uint32_t last) {
  const FrontierState& end = levels.back()[last];
  FrontierPick pick{std::vector<std::uint32_t>(levels.size() - 1), end.score, end.released_bytes};
  for (std::size_t i = levels.size() - 1; i > 0; --i) {
    pick.options[i - 1] = levels[i][last].option;
    last = levels[i][last].parent;
  }
  return pick;
}

}  // namespace

std::int64_t charged_bytes(std::int64_t bytes, const Limits& limits) {
  const std::int64_t rest = bytes % limits.shared_granule_bytes;
  if (rest == 0) return bytes;
  return checked_add(bytes, limits.shared_granule_bytes - rest).value_or(INT64_MAX);
}

FrontierOutcome search_frontier(const FrontierProblem& problem, const Limits& limits) {
  FrontierOutcome outcome;
  std::vector<FrontierLevel> levels{{FrontierState{}}};
  for (const std::vector<FrontierOption>& options : problem.operations) {
    const FrontierLevel all = extended(levels.back(), options);
    levels.push_back(undominated(all));
    outcome.dominated += all.size() - levels.back().size();
    outcome.largest_frontier = std::max<std::uint64_t>(outcome.largest_frontier, levels.back().size());
    outcome.over_budget = levels.back().size() > kMaxFrontierStates;
    if (outcome.over_budget) return outcome;
  }
  const FrontierLevel& complete = levels.back();
  outcome.least_shared_bytes = problem.shared_memory_bytes;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < complete.size(); ++i) {
    const std::int64_t bytes = charged_bytes(problem.shared_memory_bytes - complete[i].released_bytes, limits);
    outcome.least_shared_bytes = i == 0 ? bytes : std::min(outcome.least_shared_bytes, bytes);
    if (bytes > limits.shared_memory_bytes)
      ++outcome.over_capacity;
    else if (!std::isfinite(complete[i].score))
      ++outcome.not_finite;
    else if (!best || is_better(complete[i], i, complete[*best], *best))
      best = i;
  }
  if (best) outcome.best = pick_of(levels, *best);
  return outcome;
}

}  // namespace tilewright::plan
