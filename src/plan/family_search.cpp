#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plan/planning_call.h"
#include "plan/solver.h"

namespace tilewright::plan {

namespace {

/// Exactly the tie rules of the solver, over plans of different captures.
bool is_cheaper(const GroupChoice& a, const GroupChoice& b) {
  if (a.cost.priced != b.cost.priced) return a.cost.priced;
  if (a.cost.kernel_score != b.cost.kernel_score) return a.cost.kernel_score < b.cost.kernel_score;
  if (a.threads != b.threads) return a.threads < b.threads;
  if (a.shared_memory_bytes != b.shared_memory_bytes) return a.shared_memory_bytes < b.shared_memory_bytes;
  return std::lexicographical_compare(a.matrices.begin(), a.matrices.end(), b.matrices.begin(), b.matrices.end(),
                                      [](const auto& x, const auto& y) { return x.subgroups_m < y.subgroups_m; });
}

Result<realize::AtomFamily> family_of_captures(std::span<const Capture> captures, const PlannerOptions& options) {
  const Capture* first = nullptr;
  for (const Capture& capture : captures) {
    if (capture.workload.matrices.empty()) continue;
    if (first == nullptr) first = &capture;
    if (capture.workload.matrices[0].family != first->workload.matrices[0].family)
      return failure(DiagCode::GroupFamilies,
                     fmt::format("capture '{}' is of {}, capture '{}' of {}; their scores cannot be compared",
                                 first->label, realize::atom_family_name(first->workload.matrices[0].family),
                                 capture.label, realize::atom_family_name(capture.workload.matrices[0].family)));
  }
  return family_of(first != nullptr ? first->workload : GroupWorkload{}, options);
}

/// Whether there is a best one to speak of: a price, or no rival.
bool is_ranked(const FamilySearch& search, std::size_t best) {
  if (search.solutions[best].choice->cost.priced) return true;
  return std::count_if(search.solutions.begin(), search.solutions.end(),
                       [](const Solution& solution) { return solution.choice.has_value(); }) == 1;
}

}  // namespace

Result<FamilySearch> search_family(std::span<const Capture> captures, const Limits& limits,
                                   const PlannerOptions& options) {
  TW_TRY(const realize::AtomFamily family, family_of_captures(captures, options));
  TW_TRY(const PlanningCall call, begin_planning(family, limits, options));
  FamilySearch search;
  for (const Capture& capture : captures) {
    auto solution = plan_group(call, capture.workload, limits, options);
    if (!solution) {
      for (Diag& fault : solution.error())
        fault.message = fmt::format("capture '{}': {}", capture.label, fault.message);
      return std::unexpected(std::move(solution).error());
    }
    search.solutions.push_back(std::move(*solution));
  }
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < search.solutions.size(); ++i)
    if (search.solutions[i].choice &&
        (!best || is_cheaper(*search.solutions[i].choice, *search.solutions[*best].choice)))
      best = i;
  if (best && is_ranked(search, *best)) search.best = best;
  return search;
}

}  // namespace tilewright::plan
