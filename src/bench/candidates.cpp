#include "bench/candidates.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/problem_bindings.h"
#include "driver/plan.h"
#include "plan/vector_plan.h"

namespace tilewright::bench {

namespace {

/// The cheapest ones by the model, and some of the others down to this many times its lowest score.
constexpr std::size_t kMostTimed = 24;
constexpr double kWorstScore = 3;

/// Half of them the cheapest, the others evenly from the rest.
std::vector<const plan::VectorCandidate*> picked(const plan::VectorChoice& choice) {
  std::vector<const plan::VectorCandidate*> all;
  const double least = choice.candidates[choice.chosen].cost.score;
  for (const plan::VectorCandidate& candidate : choice.candidates)
    if (candidate.cost.score <= kWorstScore * least) all.push_back(&candidate);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return a->cost.score != b->cost.score ? a->cost.score < b->cost.score : a < b;
  });
  const std::size_t first = std::min(all.size(), kMostTimed / 2);
  const std::size_t step = (all.size() - first) / (kMostTimed - first) + 1;
  std::vector<const plan::VectorCandidate*> timed(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < all.size(); i += step) timed.push_back(all[i]);
  return timed;
}

}  // namespace

CandidateList planner_candidates(const Problem& problem) {
  const auto program = Program::load(program_file(problem.program));
  if (!program) return {{}, program.error().front().message};
  PlanOptions options;
  options.target = "cpu";
  Bindings bindings = bindings_of(problem);
  for (const ParamInfo& param : program->params())
    if (!param.is_type()) bindings.numbers.emplace(param.name, param.default_value);
  const auto report = driver::plan_report(*program, bindings, options);
  if (!report) return {{}, report.error().front().message};
  const plan::PlannedProgram& planned = report->planned;
  if (planned.launches.size() != 1 || !planned.launches[0].vector)
    return {{}, "the planner lists candidates for single products, and this program is none"};
  CandidateList list;
  for (const plan::VectorCandidate* candidate : picked(*planned.launches[0].vector)) {
    plan::Plan plan = planned.plan;
    plan.launches[0].vector = plan::VectorPlan{candidate->mapping, candidate->cost};
    plan.launches[0].cost.score = plan.launches[0].cost.kernel_score = candidate->cost.score;
    list.candidates.push_back({plan::vector_mapping_text(candidate->mapping), {}, plan::print_plan(plan)});
  }
  return list;
}

}  // namespace tilewright::bench
