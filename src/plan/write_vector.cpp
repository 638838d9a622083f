#include <utility>

#include <fmt/format.h>

#include "plan/launch_planner.h"
#include "support/counted.h"

namespace tilewright::plan {

void write_vector(const proof::Subject&, const realize::Contraction& contraction, const VectorChoice& choice,
                  PlannedLaunch& launch) {
  const VectorCandidate& taken = choice.candidates[choice.chosen];
  LaunchPlan& plan = launch.plan;
  plan.mapping = LaunchMapping::Vector;
  plan.threads = 1;
  plan.vector = VectorPlan{taken.mapping, taken.cost};
  plan.cost_basis = "cpu_vector_v1";
  plan.cost.priced = true;
  plan.cost.score = plan.cost.kernel_score = taken.cost.score;
  plan.optimized = true;
  const auto use = [&](const auto& token) {
    plan.proofs.push_back({token.certificate().family, tile::OpId{token.certificate().operation}});
  };
  if (contraction.closed) use(*contraction.closed);
  for (const auto& token : contraction.forwardable) use(token);
  for (const auto& token : contraction.covers) use(token);
  launch.report.findings = contraction.findings;
  launch.report.why = fmt::format(
      "one product of {} x {} x {}{}: {}", contraction.row.extent, contraction.column.extent, contraction.depth.extent,
      contraction.batch_count == 1 ? std::string() : fmt::format(", {} times", contraction.batch_count),
      vector_mapping_text(taken.mapping));
}

}  // namespace tilewright::plan
