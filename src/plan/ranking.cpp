#include "plan/ranking.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::plan {

namespace {

/// A part of the space of one width: for each operation the options that it may take, and the cheapest plan in it.
struct SpacePart {
  std::size_t width = 0;
  std::vector<std::vector<std::uint32_t>> allowed;
  FrontierPick best;  ///< options are positions in the whole problem of the width
  double kernel_score = 0;
};

bool comes_before(const SpacePart& a, const SpacePart& b) {
  if (a.kernel_score != b.kernel_score) return a.kernel_score < b.kernel_score;
  if (a.width != b.width) return a.width < b.width;
  if (a.best.score != b.best.score) return a.best.score < b.best.score;
  if (a.best.released_bytes != b.best.released_bytes) return a.best.released_bytes > b.best.released_bytes;
  return a.best.options < b.best.options;
}

class PlanRanking {
 public:
  PlanRanking(const PlanContext& context, std::span<const WidthSearch> widths) : context_(context), widths_(widths) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i].record.best) add_width(i);
  }

  std::optional<std::vector<RankedPlan>> first(std::size_t count) {
    std::vector<RankedPlan> plans;
    while (plans.size() < count && !parts_.empty() && !over_budget_) {
      const auto found = std::min_element(parts_.begin(), parts_.end(), comes_before);
      const SpacePart part = std::move(*found);
      parts_.erase(found);
      plans.push_back(plan_of(context_, widths_[part.width], part.best));
      if (plans.size() < count) split(part);
    }
    if (over_budget_) return std::nullopt;
    return plans;
  }

 private:
  void add_width(std::size_t width) {
    SpacePart part{width, {}, *widths_[width].outcome.best, widths_[width].record.best->kernel_score};
    for (const auto& options : widths_[width].problem.operations) {
      std::vector<std::uint32_t>& all = part.allowed.emplace_back(options.size());
      for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    }
    parts_.push_back(std::move(part));
  }

  /// Everything of the part but its best: operations before i as in the best, i different, the others free.
  void split(const SpacePart& part) {
    for (std::size_t i = 0; i < part.allowed.size(); ++i) {
      if (part.allowed[i].size() < 2) continue;
      SpacePart rest{part.width, part.allowed, {}, 0};
      for (std::size_t before = 0; before < i; ++before) rest.allowed[before] = {part.best.options[before]};
      std::erase(rest.allowed[i], part.best.options[i]);
      add(std::move(rest));
    }
  }

  void add(SpacePart part) {
    const FrontierProblem& whole = widths_[part.width].problem;
    FrontierProblem problem{{}, whole.shared_memory_bytes, whole.subgroups};
    for (std::size_t i = 0; i < part.allowed.size(); ++i) {
      auto& options = problem.operations.emplace_back();
      for (const std::uint32_t option : part.allowed[i]) options.push_back(whole.operations[i][option]);
    }
    FrontierOutcome outcome = search_frontier(problem, context_.limits);
    over_budget_ = over_budget_ || outcome.over_budget;
    if (!outcome.best) return;
    part.best = std::move(*outcome.best);
    for (std::size_t i = 0; i < part.allowed.size(); ++i) part.best.options[i] = part.allowed[i][part.best.options[i]];
    part.kernel_score = group_score(context_, part.best.score, whole.subgroups).kernel;
    if (std::isfinite(part.kernel_score)) parts_.push_back(std::move(part));
  }

  const PlanContext& context_;
  std::span<const WidthSearch> widths_;
  std::vector<SpacePart> parts_;
  bool over_budget_ = false;
};

}  // namespace

std::optional<std::vector<RankedPlan>> ranked_plans(const PlanContext& context, std::span<const WidthSearch> widths,
                                                    std::size_t count) {
  return PlanRanking(context, widths).first(count);
}

}  // namespace tilewright::plan
