// The choice of a row-reduction mapping: prices, exact options, and what a plan reports.
//
//   score        = scalar_round * rounds + collective * R * S + group_setup / Q
//                  + global_access_byte * global bytes a worker + private_access_byte * private bytes a worker
//   waves        = ceil(P / preferred_concurrent_programs)
//   kernel_score = score * waves
//
// (background 3.3, 6 and 8). rounds is the sum over all sweeps of a program of the steps of its busiest worker: one
// sweep a fold, one a store, and one a value that is kept between sweeps. R counts the folds of a program: rows times
// executions. S is the number of subgroups of a program, Q of programs in a group, P of programs.
//
// Every (S, Q) is listed and priced, at most 39 of them. The choice is made among those whose S is a power of two,
// unless a width is exact, any count of subgroups is asked for, or none of them is legal: that is the one reading under
// which the formula gives all twelve published scores (which are scores before the factor of waves);
// docs/row-reductions.md has the table, and which scores would be lower otherwise. The lowest kernel score wins; ties
// keep the smaller S, then the smaller Q.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/cost_priors.h"
#include "plan/limits.h"
#include "plan/options.h"
#include "realize/row_reduction.h"
#include "support/result.h"

namespace tilewright::plan {

/// Which mappings the choice is among, when no width is exact.
enum class RowWidths : std::uint8_t {
  PowersOfTwo,  ///< of the subgroups of a program
  All,
};

/// Some option asks for a row reduction that the defaults do not. Then a launch without a legal candidate is an error
/// here, and neither a grid of elements nor automatic cooperative admission takes place (background 4.11).
bool asks_for_exact_reductions(const PlannerOptions& options);

struct PricedRowCandidate {
  realize::RowCandidate candidate;
  bool is_eligible = true;      ///< takes part in the choice
  std::optional<double> score;  ///< of a legal one
  double kernel_score = 0;      ///< with it
};

/// The report of a choice (names of background 3.2).
struct RowReductionPlan {
  realize::RowMapping mapping;
  std::int64_t programs = 0;
  std::int64_t threads = 0;
  std::int64_t shared_memory_bytes = 0;
  std::int64_t reduction_subgroups_per_program = 0;
  std::int64_t reduction_programs_per_group = 0;
  std::int64_t reduction_operations = 0;  ///< R
  std::int64_t reduction_elements = 0;    ///< folded by one program
  std::int64_t reduction_unroll_factor = 0;
  std::int64_t reduction_lane_elements = 0;
  std::int64_t reduction_threadgroups = 0;
  std::int64_t reduction_scalar_rounds = 0;
  double reduction_lane_utilization = 0;  ///< steps that do something, of all steps of all workers
  bool reduction_payload_accesses_known = false;
  std::int64_t reduction_payload_accesses_per_program = 0;
  std::int64_t reduction_payload_accesses_per_worker = 0;
  std::int64_t striped_storage_scalars_per_worker = 0;
  double score = 0;
  std::int64_t concurrent_waves = 1;
  double kernel_score = 0;
};

struct RowReductionChoice {
  std::vector<PricedRowCandidate> candidates;  ///< by S, then Q; every one of the space
  std::optional<std::size_t> chosen;           ///< index; none when no candidate is legal
  std::optional<RowReductionPlan> plan;        ///< of the chosen one
  std::int64_t candidates_considered = 0;
  std::int64_t candidates_rejected = 0;
};

/// Premise: limits, options and coefficients are valid (begin_planning). Errors: RowReductionOption
/// (reduction_programs_per_group beyond what the launch and a group have, with the range), RowReductionUnrealizable (an
/// exact request that no candidate meets, with each constraint that was broken), RowReductionScore. Without an exact
/// request a launch for which nothing is legal is a choice of nothing: the caller goes on to its next family.
Result<RowReductionChoice> plan_row_reduction(const realize::RowReductionWorkload& workload, const Limits& limits,
                                              const PlannerOptions& options, const CostPriors& priors,
                                              RowWidths widths = RowWidths::PowersOfTwo);

/// One line a candidate: its features and score, or why it is refused. The chosen one is marked.
std::string row_choice_text(const RowReductionChoice& choice);

}  // namespace tilewright::plan
