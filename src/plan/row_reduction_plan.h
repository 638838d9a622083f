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

#include "realize/row_reduction.h"
#include "support/result.h"

namespace tilewright::plan {

/// Prior coefficients, by the names that they have in the data of cost bases.
struct RowReductionPriors {
  double subgroup_reduction_scalar_round = 1;
  double subgroup_reduction_collective = 2;
  double subgroup_reduction_group_setup = 16;
  double subgroup_reduction_global_access_byte = 0;
  double subgroup_reduction_private_access_byte = 0;
  std::int64_t preferred_concurrent_programs = 64;
};

/// The options of a planning call that concern row reductions, by their names; 0 leaves a choice to the planner.
struct RowReductionRequest {
  std::int64_t reduction_programs_per_group = 0;               ///< 0; 1 .. 8 is exact
  std::int64_t reduction_unroll_factor = 1;                    ///< 1 .. 16
  std::int64_t reduction_lane_elements = 1;                    ///< 1, 2, 4, 8
  bool cache_reduction_inputs = false;                         ///< cannot be done: an error
  std::int64_t max_reduction_striped_scalars_per_worker = 64;  ///< at least 1
  std::int64_t threads_per_group = 0;                          ///< 0; else exact
  bool any_subgroup_count = false;                             ///< choose among all S, not among powers of two

  /// Some option asks for more than the defaults do. Then a launch without a legal candidate is an error here, and
  /// automatic cooperative admission does not take place (background 4.11).
  bool is_exact() const;
};

/// Of the target.
struct RowReductionLimits {
  std::int64_t max_threads = 256;
  std::int64_t subgroup_size = 32;
  std::int64_t shared_memory_bytes = 0;
};

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

/// Errors: RowReductionCoefficient, RowReductionWave, RowReductionLimits, RowReductionOption (a value outside of its
/// range, which is named), RowReductionUnrealizable (an exact request that no candidate meets, with each constraint
/// that was broken), RowReductionScore. Without an exact request a launch for which nothing is legal is a choice of
/// nothing: the caller goes on to its next family.
Result<RowReductionChoice> plan_row_reduction(const realize::RowReductionWorkload& workload,
                                              const RowReductionLimits& limits, const RowReductionRequest& request = {},
                                              const RowReductionPriors& priors = {});

/// One line a candidate: its features and score, or why it is refused. The chosen one is marked.
std::string row_choice_text(const RowReductionChoice& choice);

}  // namespace tilewright::plan
