#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "plan/launch_planner.h"
#include "support/counted.h"

namespace tilewright::plan {

void write_rows(const proof::Subject& subject, const realize::RowReductionWorkload& workload,
                const RowReductionChoice& choice, PlannedLaunch& launch) {
  const RowReductionPlan& rows = *choice.plan;
  LaunchPlan& plan = launch.plan;
  plan.mapping = LaunchMapping::RowReduction;
  plan.threads = rows.threads;
  plan.shared_memory_bytes = rows.shared_memory_bytes;
  plan.rows = RowPlan{rows.mapping, rows.striped_storage_scalars_per_worker};
  plan.cost_basis = "subgroup_reduction";
  plan.cost.priced = true;
  plan.cost.score = rows.score;
  plan.cost.concurrent_waves = static_cast<double>(rows.concurrent_waves);
  plan.cost.kernel_score = rows.kernel_score;
  plan.optimized = true;
  const tile::OpId region = subject.walk.launches[workload.launch];
  const auto use = [&](const auto& token, const std::string& question) {
    plan.proofs.push_back({token.certificate().family, region});
    using Family = typename std::decay_t<decltype(token)>::Family;
    launch.report.findings.push_back(proof::finding_of(proof::Verdict<Family>(token), region.index, question, {}));
  };
  for (const auto& token : workload.store_proofs) use(token, "a store of the row reduction writes no element twice");
  // Programs, then each length of elements (RowCandidate::covers).
  std::string_view what = "program";
  for (const auto& cover : choice.candidates[*choice.chosen].candidate.covers) {
    use(cover->proof, fmt::format("the mapping deals out each of {} exactly once",
                                  counted(static_cast<std::uint64_t>(cover->map.map.outputs[0]), what)));
    what = "element";
  }
  const bool promised = std::any_of(workload.premises.begin(), workload.premises.end(), [](const auto& premise) {
    return premise.by == proof::Guarantor::Caller || premise.by == proof::Guarantor::Launch;
  });
  if (promised) launch.needs.emplace_back("noalias");
  const PricedRowCandidate* lower = nullptr;
  for (const PricedRowCandidate& candidate : choice.candidates)
    if (candidate.score && !candidate.is_eligible && candidate.kernel_score < rows.kernel_score &&
        (lower == nullptr || candidate.kernel_score < lower->kernel_score))
      lower = &candidate;
  launch.report.why = fmt::format(
      "a row reduction, {} a program and {} a group: the lowest kernel score of all mappings whose subgroups are a "
      "power "
      "of two{}",
      counted(static_cast<std::uint64_t>(rows.mapping.subgroups_per_program), "subgroup"),
      counted(static_cast<std::uint64_t>(rows.mapping.programs_per_group), "program"),
      lower == nullptr
          ? ""
          : fmt::format(" (threads_per_group={} would score {})", lower->candidate.threads, lower->kernel_score));
}

}  // namespace tilewright::plan
