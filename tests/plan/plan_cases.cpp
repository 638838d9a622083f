#include "plan/plan_cases.h"

#include "support/files.h"

namespace tilewright::plan {

namespace {

constexpr const char* kPriorsPath = TILEWRIGHT_SOURCE_DIR "/profiles/costs/priors-v1.json";

}  // namespace

std::string shipped_priors_text() { return read_file(kPriorsPath).value(); }

const CostPriors& shipped_priors() {
  static const CostPriors kPriors = load_cost_priors(kPriorsPath).value();
  return kPriors;
}

PlannerOptions shipped_options() {
  PlannerOptions options;
  options.cost = shipped_priors();
  return options;
}

PlannerOptions options_with(const std::vector<std::pair<std::string, std::string>>& settings) {
  PlannerOptions options = shipped_options();
  for (const auto& [name, value] : settings) {
    const auto result = set_option(options, name, value);
    EXPECT_TRUE(result) << render(result.error());
  }
  return options;
}

Limits metal_limits() { return {.max_threads = 256, .shared_memory_bytes = 32768}; }

GroupWorkload example_group() {
  return {.programs = 512,
          .independent_elements = 167'936,
          .max_independent_elements = 2048,
          .shared_memory_bytes = 28 * 1024,
          .matrices = {{.rows = 32,
                        .columns = 64,
                        .contraction = 32,
                        .executions = 32,
                        .accumulator_iterations = 32,
                        .has_direct_output = true,
                        .recurrence_elements = 65'536,
                        .direct_output_elements = 4'096}}};
}

GroupWorkload mpp_group(std::int64_t rows, std::int64_t columns, std::int64_t contraction, std::int64_t programs,
                        bool overwrites) {
  return {.programs = programs,
          .independent_elements = 0,
          .shared_memory_bytes = 8 * rows * columns,
          .matrices = {{.family = realize::AtomFamily::MetalMpp,
                        .rows = rows,
                        .columns = columns,
                        .contraction = contraction,
                        .executions = 1,
                        .accumulator_iterations = 1,
                        .has_direct_output = true,
                        .overwrites_accumulator = overwrites}}};
}

GroupChoice solved(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  const auto solution = solve(workload, limits, options);
  EXPECT_TRUE(solution) << render(solution.error());
  if (!solution) return {};
  EXPECT_TRUE(solution->choice) << solution->refusal->text;
  EXPECT_NE(solution->choice.has_value(), solution->refusal.has_value());
  return solution->choice.value_or(GroupChoice{});
}

}  // namespace tilewright::plan
