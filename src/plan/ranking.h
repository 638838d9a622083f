// The cheapest plans of the whole space, in order. Internal to src/plan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "plan/width_search.h"

namespace tilewright::plan {

/// The `count` cheapest plans over all widths (fewer when the space has fewer), the choice first. Exact, though the
/// searches keep only frontiers: each plan that was found splits the rest of its part of the space into disjoint parts
/// (the first operation in which a plan differs from it), and each part is searched anew. Order: kernel score, threads,
/// then the order of search_frontier. Nothing when a search grows over its budget.
std::optional<std::vector<RankedPlan>> ranked_plans(const PlanContext& context, std::span<const WidthSearch> widths,
                                                    std::size_t count);

}  // namespace tilewright::plan
