// The solver: from a group workload, the limits of a target and options to the cheapest legal plan, with a reason for
// everything that was not chosen. A pure function; no clock, no IR, nothing global.
//
// The space: every number of complete subgroups that the target allows (or the one width asked for), and for each
// operation at each width the candidates of realize::matrix_candidates. A rectangle is resident when a recurrence is
// proved and retain_accumulators is on, and direct when that is proved too and direct_accumulator_store is on.
// Operations share one thing, the storage of the group; so the search keeps, operation by operation, the Pareto
// frontier over (score, released bytes), and is exact for the additive bases (seed 1, "enumeration plus Pareto dynamic
// programming"; background 3.7). Work that no choice can remove is added once at the end; work that a choice removes
// is priced before anything is dropped.
// Ties: fewer threads, then less shared storage, then smaller subgroups_m, operation by operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/cost_features.h"
#include "plan/group_workload.h"
#include "plan/limits.h"
#include "plan/options.h"
#include "realize/matrix_distribution.h"
#include "support/result.h"

namespace tilewright::plan {

/// Why a width, or the whole search, has no plan.
enum class PlanConstraint : std::uint8_t {
  NoLegalMapping,  ///< some operation has no legal candidate at this width
  SharedCapacity,  ///< every combination of candidates needs more shared storage than the limit
  ScoreNotFinite,  ///< the scores of all that fit exceed the doubles
  NoReference,     ///< no planning was to be done, and the family has no reference realization
};
std::string_view constraint_name(PlanConstraint constraint);  ///< "shared_capacity"

struct PlanRefusal {
  PlanConstraint constraint{};
  std::vector<NamedNumber> numbers;
  std::string text;                        ///< a sentence with the numbers; of a matrix without its subject
  std::optional<std::size_t> matrix = {};  ///< the one that stands in the way, as the workload numbers them
  bool operator==(const PlanRefusal&) const = default;
};
/// "matrix operation 0 has no legal mapping onto 96 threads". Who knows the program has a better name for the first
/// words, and gives it as `subject`.
std::string refusal_text(const PlanRefusal& refusal, std::string_view subject = {});

/// One candidate of one operation at one width.
struct CandidateRecord {
  realize::MatrixDistribution distribution;
  std::optional<realize::MatrixRefusal> refusal;  ///< the candidate is not legal
  PlanCost cost;                                  ///< of a legal candidate; not priced: no basis can price the map
  std::int64_t released_bytes = 0;                ///< of a legal candidate
  bool operator==(const CandidateRecord&) const = default;
};

/// A complete plan of the group, chosen or not.
struct RankedPlan {
  std::int64_t threads = 0;
  std::vector<realize::MatrixDistribution> matrices;
  std::int64_t shared_memory_bytes = 0;
  double kernel_score = 0;
  bool operator==(const RankedPlan&) const = default;
};

struct WidthRecord {
  std::int64_t threads = 0;
  std::vector<std::vector<CandidateRecord>> matrices;  ///< one list an operation
  std::optional<PlanRefusal> refusal;                  ///< no plan has this width
  std::optional<RankedPlan> best;                      ///< the cheapest of this width
  bool operator==(const WidthRecord&) const = default;
};

/// What the family's reference does when the planner does not plan.
enum class ReferenceKind : std::uint8_t {
  None,     ///< the plan was searched for
  OneAtom,  ///< whole subgroups, one atom at a time
  Scalar,   ///< no matrix operation
};
std::string_view reference_kind_name(ReferenceKind kind);  ///< "none", "one_atom", "scalar"

struct GroupChoice {
  std::int64_t threads = 0;
  std::int64_t shared_memory_bytes = 0;
  std::vector<realize::MatrixDistribution> matrices;  ///< one an operation; empty when the reference is scalar
  std::string cost_basis;
  PlanCost cost;
  bool optimized = false;  ///< false: the reference was kept, without a search
  ReferenceKind reference = ReferenceKind::None;
  std::string why;  ///< one sentence
  bool operator==(const GroupChoice&) const = default;
};

/// How many candidates or combinations a rule removed.
struct PruneCount {
  std::string rule;
  std::uint64_t count = 0;
  bool operator==(const PruneCount&) const = default;
};

/// What the claim of optimality rests on.
struct Optimality {
  std::uint64_t widths = 0;                   ///< enumerated
  std::optional<std::uint64_t> combinations;  ///< of legal, priced candidates, over all widths; nothing: beyond 2^64
  std::vector<PruneCount> pruned;             ///< in a fixed order, only rules that removed something
  std::uint64_t largest_frontier = 0;         ///< states kept at once
  std::optional<RankedPlan> runner_up;        ///< the cheapest plan that is not the chosen one; exact
  double runner_up_distance = 0;              ///< its kernel score minus that of the choice
  bool operator==(const Optimality&) const = default;
};

struct Solution {
  std::optional<GroupChoice> choice;
  std::optional<PlanRefusal> refusal;       ///< exactly one of the two is there
  std::uint64_t candidates_considered = 0;  ///< factors of G, and the one-atom map, per operation and width
  std::uint64_t candidates_rejected = 0;    ///< of those, the ones that are not legal
  std::uint64_t candidates_unpriced = 0;    ///< legal maps beside those, which no basis can price
  std::vector<WidthRecord> widths;          ///< ascending; empty without a search
  std::vector<RankedPlan> ranking;          ///< the cheapest plans of the whole space, the choice first; exact
  Optimality optimality;
  bool operator==(const Solution&) const = default;
};

/// Entries of Solution::ranking at most: the choice and its five nearest losers.
inline constexpr std::size_t kRankedPlans = 6;
/// States of one frontier at most.
inline constexpr std::size_t kMaxFrontierStates = 65'536;

/// Faults of the inputs are errors: what the three validate() functions and the policy say, SearchBudget (more widths
/// than max_thread_candidates, or a frontier above kMaxFrontierStates; never a part of the space), UnpricedWidth (the
/// collective asked for without an exact width). A space without a legal plan is a Solution with a refusal.
Result<Solution> solve(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options);

/// The refusal as a diagnostic: PlanNoMapping, PlanSharedCapacity, PlanScore, PlanNoReference.
Diag refusal_diag(const PlanRefusal& refusal);

}  // namespace tilewright::plan
