#include "plan/solver.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "plan/planning_call.h"
#include "plan/ranking.h"
#include "plan/width_search.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::plan {

namespace {

using realize::kMatrixConstraints;
using realize::kSubgroupSize;
using realize::MatrixConstraint;
using realize::OperationScope;

struct ConstraintInfo {
  std::string_view name;
  DiagCode code;
  std::string_view hint;
};
constexpr ConstraintInfo kConstraints[] = {
    {"no_legal_mapping", DiagCode::PlanNoMapping,
     "choose other tile sizes or another width; the candidates tell which constraint each one breaks"},
    {"shared_capacity", DiagCode::PlanSharedCapacity,
     "choose smaller tiles, or let accumulators stay in fragments (retain_accumulators, direct_accumulator_store)"},
    {"score_not_finite", DiagCode::PlanScore, "choose smaller coefficients"},
    {"no_reference", DiagCode::PlanNoReference, "choose a width of complete subgroups, or another target"},
};

Result<std::vector<std::int64_t>> widths_of(const Limits& limits, const PlannerOptions& options) {
  if (options.threads_per_group != 0) return std::vector<std::int64_t>{options.threads_per_group};
  const std::int64_t count = limits.max_threads / kSubgroupSize;
  if (count > options.max_thread_candidates)
    return failure(DiagCode::SearchBudget,
                   fmt::format("the target has {} widths of complete subgroups, max_thread_candidates allows {}; a "
                               "part of the space is never searched",
                               count, options.max_thread_candidates),
                   fmt::format("set threads_per_group, or max_thread_candidates to {}", count));
  std::vector<std::int64_t> widths;
  for (std::int64_t subgroups = 1; subgroups <= count; ++subgroups) widths.push_back(subgroups * kSubgroupSize);
  return widths;
}

std::unexpected<Diags> frontier_budget(std::int64_t threads) {
  return failure(
      DiagCode::SearchBudget,
      fmt::format("the search at {} threads needs more than {} states; a part of the space is never searched", threads,
                  kMaxFrontierStates),
      "plan a program with fewer matrix operations in a group");
}

/// Candidates, and how many were refused by which rule.
void count_candidates(Solution& solution, std::array<std::uint64_t, kMatrixConstraints>& refused) {
  for (const WidthRecord& width : solution.widths)
    for (const auto& candidates : width.matrices)
      for (const CandidateRecord& candidate : candidates) {
        if (candidate.distribution.is_collective()) {
          if (!candidate.refusal) ++solution.candidates_unpriced;
          continue;
        }
        ++solution.candidates_considered;
        if (!candidate.refusal) continue;
        ++solution.candidates_rejected;
        ++refused[static_cast<std::size_t>(candidate.refusal->constraint())];
      }
}

std::optional<std::uint64_t> combinations_of(const std::vector<WidthSearch>& searches) {
  std::uint64_t sum = 0;
  for (const WidthSearch& search : searches) {
    if (search.problem.operations.empty()) continue;
    std::uint64_t product = 1;
    for (const auto& options : search.problem.operations)
      if (__builtin_mul_overflow(product, std::uint64_t{options.size()}, &product)) return std::nullopt;
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

void describe_space(Solution& solution, const std::vector<WidthSearch>& searches) {
  std::array<std::uint64_t, kMatrixConstraints> refused{};
  count_candidates(solution, refused);
  Optimality& optimality = solution.optimality;
  optimality.widths = searches.size();
  optimality.combinations = combinations_of(searches);
  std::uint64_t dominated = 0, over_capacity = 0, not_finite = 0;
  for (const WidthSearch& search : searches) {
    dominated += search.outcome.dominated;
    over_capacity += search.outcome.over_capacity;
    not_finite += search.outcome.not_finite;
    optimality.largest_frontier = std::max(optimality.largest_frontier, search.outcome.largest_frontier);
  }
  const auto add = [&](std::string_view rule, std::uint64_t count) {
    if (count > 0) optimality.pruned.push_back({std::string(rule), count});
  };
  for (std::size_t i = 0; i < kMatrixConstraints; ++i)
    add(constraint_name(static_cast<MatrixConstraint>(i)), refused[i]);
  add("dominated", dominated);
  add(constraint_name(PlanConstraint::SharedCapacity), over_capacity);
  add(constraint_name(PlanConstraint::ScoreNotFinite), not_finite);
}

/// How far a width is from a plan: mapping, capacity, score; of two that lack storage, the bytes.
std::pair<int, std::int64_t> distance_of(const PlanRefusal& refusal) {
  switch (refusal.constraint) {
    case PlanConstraint::ScoreNotFinite:
      return {0, 0};
    case PlanConstraint::SharedCapacity:
      return {1, refusal.numbers.at(0).value};
    case PlanConstraint::NoLegalMapping:
    case PlanConstraint::NoReference:
      return {2, 0};
  }
  return {2, 0};
}

/// The refusal of the width that came closest to a plan; the first of equals.
PlanRefusal summary_of(const std::vector<WidthRecord>& widths) {
  TW_CHECK(!widths.empty());
  const auto closest = std::min_element(widths.begin(), widths.end(), [](const auto& a, const auto& b) {
    return distance_of(*a.refusal) < distance_of(*b.refusal);
  });
  PlanRefusal refusal = *closest->refusal;
  if (widths.size() > 1) {
    refusal.text += fmt::format(" (no width of {} has a plan)", widths.size());
    refusal.numbers.push_back({"widths", static_cast<std::int64_t>(widths.size())});
  }
  return refusal;
}

/// Searches every width and ranks what they found.
Result<Solution> searched(const PlanContext& context, const std::vector<std::int64_t>& widths) {
  Solution solution;
  std::vector<WidthSearch> searches;
  for (const std::int64_t threads : widths) {
    searches.push_back(search_width(context, threads));
    if (searches.back().outcome.over_budget) return frontier_budget(threads);
  }
  auto ranking = ranked_plans(context, searches, kRankedPlans);
  if (!ranking) return frontier_budget(widths.back());
  solution.ranking = std::move(*ranking);
  for (WidthSearch& search : searches) solution.widths.push_back(std::move(search.record));
  describe_space(solution, searches);
  if (solution.ranking.empty()) {
    solution.refusal = summary_of(solution.widths);
    return solution;
  }
  const RankedPlan& best = solution.ranking.front();
  const auto at = std::find_if(solution.widths.begin(), solution.widths.end(),
                               [&](const WidthRecord& width) { return width.threads == best.threads; });
  const WidthSearch& search = searches[static_cast<std::size_t>(at - solution.widths.begin())];
  GroupChoice choice;
  choice.threads = best.threads;
  choice.shared_memory_bytes = best.shared_memory_bytes;
  choice.matrices = best.matrices;
  choice.cost_basis = context.basis.name;
  choice.cost = cost_of(context, *at, search.problem, *search.outcome.best);
  choice.optimized = true;
  choice.why = fmt::format("lowest kernel score of every legal plan: {}", best.kernel_score);
  if (solution.ranking.size() > 1) {
    Optimality& optimality = solution.optimality;
    optimality.runner_up = solution.ranking[1];
    optimality.runner_up_distance = solution.ranking[1].kernel_score - best.kernel_score;
    choice.why += optimality.runner_up_distance == 0
                      ? std::string(
                            "; others have it too, and of equals the one with fewer threads, then less shared "
                            "memory, then fewer rows of subgroups is kept")
                      : fmt::format("; the next one has {}", solution.ranking[1].kernel_score);
  }
  solution.choice = std::move(choice);
  return solution;
}

/// The collective map, because it was asked for: nothing ranks it.
Result<Solution> unpriced(const PlanContext& context) {
  const std::int64_t threads = context.options.threads_per_group;
  if (threads == 0)
    return failure(DiagCode::UnpricedWidth,
                   "mpp_operation_scope group expects an exact threads_per_group, found 0: the map has no price by "
                   "which widths could be compared",
                   "set threads_per_group");
  Solution solution;
  std::vector<WidthSearch> searches{search_width(context, threads)};
  solution.widths.push_back(searches[0].record);
  describe_space(solution, searches);
  WidthRecord& width = solution.widths[0];
  width.refusal.reset();
  width.best.reset();
  GroupChoice choice;
  std::int64_t released = 0;
  for (std::size_t i = 0; i < width.matrices.size(); ++i) {
    const CandidateRecord& candidate = width.matrices[i].back();
    if (candidate.refusal) {
      std::vector<NamedNumber> numbers{{"threads", threads}};
      const auto broken = candidate.refusal->numbers();
      numbers.insert(numbers.end(), broken.begin(), broken.end());
      width.refusal = solution.refusal =
          PlanRefusal{PlanConstraint::NoLegalMapping, std::move(numbers),
                      "cannot be one operation of the whole group: " + realize::refusal_text(*candidate.refusal), i};
      return solution;
    }
    choice.matrices.push_back(candidate.distribution);
    add_features(choice.cost, candidate.cost);
    released += candidate.released_bytes;
  }
  choice.shared_memory_bytes = charged_bytes(context.workload.shared_memory_bytes - released, context.limits);
  if (choice.shared_memory_bytes > context.limits.shared_memory_bytes) {
    width.refusal = solution.refusal = PlanRefusal{
        PlanConstraint::SharedCapacity,
        {{"shared_memory_bytes", choice.shared_memory_bytes}, {"limit", context.limits.shared_memory_bytes}},
        fmt::format("one operation of the whole group needs {} bytes of shared memory, the limit is {}",
                    choice.shared_memory_bytes, context.limits.shared_memory_bytes)};
    return solution;
  }
  choice.threads = threads;
  choice.cost_basis = context.basis.name;
  choice.optimized = true;
  choice.why = "asked for by mpp_operation_scope; it has no price";
  solution.choice = std::move(choice);
  return solution;
}

}  // namespace

std::string_view constraint_name(PlanConstraint constraint) {
  return kConstraints[static_cast<std::size_t>(constraint)].name;
}

std::string refusal_text(const PlanRefusal& refusal, std::string_view subject) {
  if (!refusal.matrix) return refusal.text;
  const std::string own = fmt::format("matrix operation {}", *refusal.matrix);
  return fmt::format("{} {}", subject.empty() ? std::string_view(own) : subject, refusal.text);
}

std::string_view reference_kind_name(ReferenceKind kind) {
  switch (kind) {
    case ReferenceKind::None:
      return "none";
    case ReferenceKind::OneAtom:
      return "one_atom";
    case ReferenceKind::Scalar:
      return "scalar";
  }
  return {};
}

Diag refusal_diag(const PlanRefusal& refusal) {
  const ConstraintInfo& info = kConstraints[static_cast<std::size_t>(refusal.constraint)];
  return {info.code, "no plan: " + refusal_text(refusal), {}, std::string(info.hint), {}};
}

realize::AtomFamily family_of(const GroupWorkload& workload, const PlannerOptions& options) {
  if (!workload.matrices.empty()) return workload.matrices[0].family;
  const CostBasis* basis = find_cost_basis(options.cost_basis);
  return basis != nullptr ? basis->family : realize::AtomFamily::Simdgroup8x8;
}

Result<PlanningCall> begin_planning(realize::AtomFamily family, const Limits& limits, const PlannerOptions& options) {
  TW_TRY_VOID(validate(options, limits, family));
  PlanningCall call{family, find_cost_basis(options.cost_basis), options.cost};
  if (call.basis == nullptr) call.basis = &default_cost_basis(family);
  if (options.cost_policy != nullptr) {
    TW_TRY(call.priors, options.cost_policy->coefficients(options.cost, {call.basis->name, limits}));
  }
  TW_TRY_VOID(validate(call.priors));
  return call;
}

Result<Solution> plan_group(const PlanningCall& call, const GroupWorkload& workload, const Limits& limits,
                            const PlannerOptions& options) {
  TW_TRY_VOID(validate(workload));
  if (auto reference = reference_solution(call, workload, limits, options)) return std::move(*reference);
  const PlanContext context{workload, limits, options, *call.basis, call.priors};
  if (options.mpp_operation_scope == realize::operation_scope_name(OperationScope::Group)) return unpriced(context);
  TW_TRY(const std::vector<std::int64_t> widths, widths_of(limits, options));
  return searched(context, widths);
}

Result<Solution> solve(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  TW_TRY(const PlanningCall call, begin_planning(family_of(workload, options), limits, options));
  return plan_group(call, workload, limits, options);
}

}  // namespace tilewright::plan
