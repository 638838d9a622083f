#include "plan/row_reduction_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "support/check.h"
#include "support/counted.h"

namespace tilewright::plan {

using realize::RowCandidate;
using realize::RowMapping;

namespace {

class RowPlanner {
 public:
  RowPlanner(const realize::RowReductionWorkload& workload, const Limits& limits, const PlannerOptions& options,
             const CostPriors& priors, RowWidths widths)
      : workload_(workload), limits_(limits), options_(options), priors_(priors), widths_(widths) {}

  Result<RowReductionChoice> run() {
    if (options_.reduction_programs_per_group > most_packed()) return too_many_packed();
    enumerate();
    TW_TRY_VOID(choose());
    if (!choice_.chosen && asks_for_exact_reductions(options_)) return std::unexpected(Diags{unrealizable()});
    if (choice_.chosen) choice_.plan = plan_of(choice_.candidates[*choice_.chosen]);
    return std::move(choice_);
  }

 private:
  /// The most programs that a group of this target and launch can have.
  std::int64_t most_packed() const {
    const std::int64_t of_threads = limits_.max_threads / realize::kSubgroupSize;
    return std::max<std::int64_t>(std::min({realize::kMostPackedPrograms, of_threads, workload_.programs}), 1);
  }

  std::unexpected<Diags> too_many_packed() const {
    return failure(
        DiagCode::RowReductionOption,
        fmt::format("reduction_programs_per_group is {}", options_.reduction_programs_per_group),
        fmt::format("it accepts 0 .. {} for {} in groups of {} threads", most_packed(),
                    counted(static_cast<std::uint64_t>(workload_.programs), "program"), limits_.max_threads));
  }

  void enumerate() {
    const RowMapping like{1, 1, options_.reduction_lane_elements, options_.reduction_unroll_factor,
                          options_.cache_reduction_inputs};
    const realize::RowBudget budget{limits_.max_threads, limits_.subgroup_size, limits_.shared_memory_bytes,
                                    options_.max_reduction_striped_scalars_per_worker};
    for (RowCandidate& candidate : realize::row_candidates(workload_, like, budget)) {
      const std::int64_t q = options_.reduction_programs_per_group, threads = options_.threads_per_group;
      if (q != 0 && candidate.mapping.programs_per_group != q) continue;
      if (threads != 0 && candidate.threads != threads) continue;
      const auto subgroups = static_cast<std::uint64_t>(candidate.mapping.subgroups_per_program);
      const bool is_eligible = threads != 0 || widths_ == RowWidths::All || std::has_single_bit(subgroups);
      choice_.candidates.push_back({std::move(candidate), is_eligible, std::nullopt, 0});
    }
  }

  std::int64_t waves() const {
    const std::int64_t wave = priors_.preferred_concurrent_programs;
    return workload_.programs / wave + (workload_.programs % wave == 0 ? 0 : 1);
  }

  double score_of(const RowCandidate& candidate) const {
    const auto number = [](std::int64_t count) { return static_cast<double>(count); };
    return priors_.subgroup_reduction_scalar_round * number(candidate.scalar_rounds) +
           priors_.subgroup_reduction_collective * number(workload_.collectives) *
               number(candidate.mapping.subgroups_per_program) +
           priors_.subgroup_reduction_group_setup / number(candidate.mapping.programs_per_group) +
           priors_.subgroup_reduction_global_access_byte * number(candidate.global_bytes_per_worker) +
           priors_.subgroup_reduction_private_access_byte * number(candidate.private_bytes_per_worker);
  }

  Result<void> choose() {
    choice_.candidates_considered = static_cast<std::int64_t>(choice_.candidates.size());
    for (PricedRowCandidate& priced : choice_.candidates) {
      if (priced.candidate.refusal) {
        ++choice_.candidates_rejected;
        continue;
      }
      priced.score = score_of(priced.candidate);
      priced.kernel_score = *priced.score * static_cast<double>(waves());
      if (!std::isfinite(priced.kernel_score))
        return failure(DiagCode::RowReductionScore, "the score of a mapping exceeds what can be compared",
                       "give smaller coefficients");
    }
    choice_.chosen = lowest(true);
    if (choice_.chosen) return {};
    choice_.chosen = lowest(false);
    if (choice_.chosen)
      for (PricedRowCandidate& priced : choice_.candidates) priced.is_eligible = true;
    return {};
  }

  /// Candidates stand by S, then Q: the first of equals is the one to keep.
  std::optional<std::size_t> lowest(bool among_eligible) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < choice_.candidates.size(); ++i) {
      const PricedRowCandidate& priced = choice_.candidates[i];
      if (!priced.score || (among_eligible && !priced.is_eligible)) continue;
      if (!best || priced.kernel_score < choice_.candidates[*best].kernel_score) best = i;
    }
    return best;
  }

  RowReductionPlan plan_of(const PricedRowCandidate& priced) const {
    const RowCandidate& candidate = priced.candidate;
    RowReductionPlan plan;
    plan.mapping = candidate.mapping;
    plan.programs = workload_.programs;
    plan.threads = candidate.threads;
    plan.shared_memory_bytes = candidate.shared_memory_bytes;
    plan.reduction_subgroups_per_program = candidate.mapping.subgroups_per_program;
    plan.reduction_programs_per_group = candidate.mapping.programs_per_group;
    plan.reduction_operations = workload_.collectives;
    plan.reduction_elements = workload_.elements;
    plan.reduction_unroll_factor = candidate.mapping.unroll_factor;
    plan.reduction_lane_elements = candidate.mapping.lane_elements;
    plan.reduction_threadgroups = candidate.threadgroups;
    plan.reduction_scalar_rounds = candidate.scalar_rounds;
    const double steps =
        static_cast<double>(candidate.scalar_rounds) * static_cast<double>(candidate.mapping.workers());
    plan.reduction_lane_utilization = steps > 0 ? static_cast<double>(candidate.useful_steps) / steps : 0;
    plan.reduction_payload_accesses_known = workload_.payload_known;
    plan.reduction_payload_accesses_per_program = candidate.payload_accesses_per_program;
    plan.reduction_payload_accesses_per_worker = candidate.payload_accesses_per_worker;
    plan.striped_storage_scalars_per_worker = candidate.striped_scalars_per_worker;
    plan.score = *priced.score;
    plan.concurrent_waves = waves();
    plan.kernel_score = priced.kernel_score;
    return plan;
  }

  /// Each constraint once, with the numbers of its first candidate.
  Diag unrealizable() const {
    Diag diag{DiagCode::RowReductionUnrealizable, "no row-reduction mapping meets the exact options", {}, {}, {}};
    std::set<std::string_view> told;
    for (const PricedRowCandidate& priced : choice_.candidates)
      if (told.insert(priced.candidate.refusal->code).second)
        diag.notes.push_back({realize::refusal_text(*priced.candidate.refusal), {}});
    if (choice_.candidates.empty())
      diag.notes.push_back({fmt::format("groups have 32 S workers for 1 program, or 32 Q for Q programs; asked for are "
                                        "{} threads and {} programs (0 leaves it open)",
                                        options_.threads_per_group, options_.reduction_programs_per_group),
                            {}});
    diag.hint = "leave the options of row reductions at their defaults, or change those that the notes name";
    return diag;
  }

  const realize::RowReductionWorkload& workload_;
  const Limits& limits_;
  const PlannerOptions& options_;
  const CostPriors& priors_;
  RowWidths widths_;
  RowReductionChoice choice_;
};

}  // namespace

bool asks_for_exact_reductions(const PlannerOptions& options) {
  return options.reduction_programs_per_group != 0 || options.reduction_unroll_factor != 1 ||
         options.reduction_lane_elements != 1 || options.cache_reduction_inputs;
}

Result<RowReductionChoice> plan_row_reduction(const realize::RowReductionWorkload& workload, const Limits& limits,
                                              const PlannerOptions& options, const CostPriors& priors,
                                              RowWidths widths) {
  TW_CHECK(workload.programs >= 1);
  return RowPlanner(workload, limits, options, priors, widths).run();
}

std::string row_choice_text(const RowReductionChoice& choice) {
  std::string text;
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const PricedRowCandidate& priced = choice.candidates[i];
    const RowCandidate& candidate = priced.candidate;
    text += fmt::format("{} S {} Q {}: ", choice.chosen == i ? "*" : " ", candidate.mapping.subgroups_per_program,
                        candidate.mapping.programs_per_group);
    if (candidate.refusal)
      text += realize::refusal_text(*candidate.refusal);
    else
      text += fmt::format("rounds {}, shared {} bytes, score {}, kernel {}{}", candidate.scalar_rounds,
                          candidate.shared_memory_bytes, *priced.score, priced.kernel_score,
                          priced.is_eligible ? "" : " (on request)");
    text += "\n";
  }
  return text;
}

}  // namespace tilewright::plan
