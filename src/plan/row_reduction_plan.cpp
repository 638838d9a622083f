#include "plan/row_reduction_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "support/check.h"

namespace tilewright::plan {

using realize::RowCandidate;
using realize::RowConstraint;
using realize::RowMapping;
using realize::RowNumber;

namespace {

struct NamedPrior {
  std::string_view name;
  double value;
};

std::vector<NamedPrior> prices_of(const RowReductionPriors& priors) {
  return {{"subgroup_reduction_scalar_round", priors.subgroup_reduction_scalar_round},
          {"subgroup_reduction_collective", priors.subgroup_reduction_collective},
          {"subgroup_reduction_group_setup", priors.subgroup_reduction_group_setup},
          {"subgroup_reduction_global_access_byte", priors.subgroup_reduction_global_access_byte},
          {"subgroup_reduction_private_access_byte", priors.subgroup_reduction_private_access_byte}};
}

/// An option, its value and what it accepts.
struct OptionRange {
  std::string_view name;
  std::int64_t value;
  bool is_inside;
  std::string range;
};

class RowPlanner {
 public:
  RowPlanner(const realize::RowReductionWorkload& workload, const RowReductionLimits& limits,
             const RowReductionRequest& request, const RowReductionPriors& priors)
      : workload_(workload), limits_(limits), request_(request), priors_(priors) {}

  Result<RowReductionChoice> run() {
    check_priors();
    check_limits();
    check_options();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    enumerate();
    choose();
    if (!diags_.empty()) return std::unexpected(std::move(diags_));
    if (!choice_.chosen && request_.is_exact()) return std::unexpected(Diags{unrealizable()});
    if (choice_.chosen) choice_.plan = plan_of(choice_.candidates[*choice_.chosen]);
    return std::move(choice_);
  }

 private:
  void fault(DiagCode code, std::string message, std::string hint) {
    diags_.push_back(Diag{code, std::move(message), {}, std::move(hint), {}});
  }

  void check_priors() {
    for (const NamedPrior& prior : prices_of(priors_))
      if (!std::isfinite(prior.value) || prior.value < 0)
        fault(DiagCode::RowReductionCoefficient, fmt::format("{} is {}", prior.name, prior.value),
              "give a finite number of at least 0");
    if (priors_.preferred_concurrent_programs < 1)
      fault(DiagCode::RowReductionWave,
            fmt::format("preferred_concurrent_programs is {}", priors_.preferred_concurrent_programs),
            "give a number of at least 1");
  }

  void check_limits() {
    if (limits_.max_threads < 1 || limits_.subgroup_size < 1 || limits_.shared_memory_bytes < 0)
      fault(DiagCode::RowReductionLimits,
            fmt::format("the limits of the target are {} threads, subgroups of {} and {} bytes", limits_.max_threads,
                        limits_.subgroup_size, limits_.shared_memory_bytes),
            "give at least 1 thread, subgroups of at least 1, and no negative size");
  }

  /// The most programs that a group of this target and launch can have.
  std::int64_t most_packed() const {
    const std::int64_t of_threads = limits_.max_threads / realize::kRowSubgroupSize;
    return std::max<std::int64_t>(std::min({realize::kMostPackedPrograms, of_threads, workload_.programs}), 1);
  }

  void check_options() {
    const std::int64_t q = request_.reduction_programs_per_group, v = request_.reduction_lane_elements;
    const std::int64_t u = request_.reduction_unroll_factor, threads = request_.threads_per_group;
    const std::int64_t stripes = request_.max_reduction_striped_scalars_per_worker;
    const OptionRange options[] = {
        {"reduction_programs_per_group", q, q >= 0 && q <= most_packed(),
         fmt::format("0 .. {} for {} programs in groups of {} threads", most_packed(), workload_.programs,
                     limits_.max_threads)},
        {"reduction_unroll_factor", u, u >= 1 && u <= realize::kMostRowUnroll,
         fmt::format("1 .. {}", realize::kMostRowUnroll)},
        {"reduction_lane_elements", v, v == 1 || v == 2 || v == 4 || v == 8, "1, 2, 4 or 8"},
        {"max_reduction_striped_scalars_per_worker", stripes, stripes >= 1, "at least 1"},
        {"threads_per_group", threads, threads >= 0 && threads <= limits_.max_threads,
         fmt::format("0 .. {}", limits_.max_threads)},
    };
    for (const OptionRange& option : options)
      if (!option.is_inside)
        fault(DiagCode::RowReductionOption, fmt::format("{} is {}", option.name, option.value),
              fmt::format("it accepts {}", option.range));
  }

  void enumerate() {
    const RowMapping like{1, 1, request_.reduction_lane_elements, request_.reduction_unroll_factor,
                          request_.cache_reduction_inputs};
    const realize::RowBudget budget{limits_.max_threads, limits_.subgroup_size, limits_.shared_memory_bytes,
                                    request_.max_reduction_striped_scalars_per_worker};
    for (RowCandidate& candidate : realize::row_candidates(workload_, like, budget)) {
      const std::int64_t q = request_.reduction_programs_per_group, threads = request_.threads_per_group;
      if (q != 0 && candidate.mapping.programs_per_group != q) continue;
      if (threads != 0 && candidate.threads != threads) continue;
      const auto subgroups = static_cast<std::uint64_t>(candidate.mapping.subgroups_per_program);
      const bool is_eligible = threads != 0 || request_.any_subgroup_count || std::has_single_bit(subgroups);
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

  void choose() {
    choice_.candidates_considered = static_cast<std::int64_t>(choice_.candidates.size());
    for (PricedRowCandidate& priced : choice_.candidates) {
      if (priced.candidate.refusal) {
        ++choice_.candidates_rejected;
        continue;
      }
      priced.score = score_of(priced.candidate);
      priced.kernel_score = *priced.score * static_cast<double>(waves());
      if (!std::isfinite(priced.kernel_score)) {
        fault(DiagCode::RowReductionScore, "the score of a mapping exceeds what can be compared",
              "give smaller coefficients");
        return;
      }
    }
    choice_.chosen = lowest(true);
    if (choice_.chosen) return;
    choice_.chosen = lowest(false);
    if (choice_.chosen)
      for (PricedRowCandidate& priced : choice_.candidates) priced.is_eligible = true;
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
    std::map<RowConstraint, std::string> told;
    for (const PricedRowCandidate& priced : choice_.candidates)
      told.emplace(priced.candidate.refusal->constraint,
                   realize::row_candidate_refusal_text(*priced.candidate.refusal));
    for (const auto& [constraint, text] : told) diag.notes.push_back({text, {}});
    if (choice_.candidates.empty())
      diag.notes.push_back({fmt::format("groups have 32 S workers for 1 program, or 32 Q for Q programs; asked for are "
                                        "{} threads and {} programs (0 leaves it open)",
                                        request_.threads_per_group, request_.reduction_programs_per_group),
                            {}});
    diag.hint = "leave the options of row reductions at their defaults, or change those that the notes name";
    return diag;
  }

  const realize::RowReductionWorkload& workload_;
  const RowReductionLimits& limits_;
  const RowReductionRequest& request_;
  const RowReductionPriors& priors_;
  RowReductionChoice choice_;
  Diags diags_;
};

}  // namespace

bool RowReductionRequest::is_exact() const {
  return reduction_programs_per_group != 0 || reduction_unroll_factor != 1 || reduction_lane_elements != 1 ||
         cache_reduction_inputs;
}

Result<RowReductionChoice> plan_row_reduction(const realize::RowReductionWorkload& workload,
                                              const RowReductionLimits& limits, const RowReductionRequest& request,
                                              const RowReductionPriors& priors) {
  TW_CHECK(workload.programs >= 1);
  return RowPlanner(workload, limits, request, priors).run();
}

std::string row_choice_text(const RowReductionChoice& choice) {
  std::string text;
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const PricedRowCandidate& priced = choice.candidates[i];
    const RowCandidate& candidate = priced.candidate;
    text += fmt::format("{} S {} Q {}: ", choice.chosen == i ? "*" : " ", candidate.mapping.subgroups_per_program,
                        candidate.mapping.programs_per_group);
    if (candidate.refusal)
      text += realize::row_candidate_refusal_text(*candidate.refusal);
    else
      text += fmt::format("rounds {}, shared {} bytes, score {}, kernel {}{}", candidate.scalar_rounds,
                          candidate.shared_memory_bytes, *priced.score, priced.kernel_score,
                          priced.is_eligible ? "" : " (on request)");
    text += "\n";
  }
  return text;
}

}  // namespace tilewright::plan
