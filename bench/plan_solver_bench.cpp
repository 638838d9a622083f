// Time of the solver alone, all facts given: gemm with 32 widths, attention-like groups, a family of 27 captures.
#include <benchmark/benchmark.h>

#include <vector>

#include "plan/solver.h"

namespace tilewright::plan {
namespace {

using realize::AtomFamily;
using realize::MatrixWorkload;

PlannerOptions shipped_options() {
  PlannerOptions options;
  options.cost = load_cost_priors(TILEWRIGHT_SOURCE_DIR "/profiles/costs/priors-v1.json").value();
  return options;
}

const Limits kM1{.max_threads = 1024, .shared_memory_bytes = 32768};

/// M = 512, N = 2048, K = 1024.
GroupWorkload gemm(AtomFamily family, std::int64_t bm, std::int64_t bn, std::int64_t bk) {
  const std::int64_t steps = 1024 / bk;
  return {.programs = (512 / bm) * (2048 / bn),
          .independent_elements = steps * (bm * bk + bk * bn + bm * bn) + 2 * bm * bn,
          .max_independent_elements = bm * bn,
          .shared_memory_bytes = 4 * (bm * bk + bk * bn + 2 * bm * bn),
          .matrices = {{.family = family,
                        .rows = bm,
                        .columns = bn,
                        .contraction = bk,
                        .executions = steps,
                        .accumulator_iterations = steps,
                        .has_direct_output = true,
                        .recurrence_elements = steps * bm * bn,
                        .direct_output_elements = 2 * bm * bn}}};
}

/// Scores, weighted values and a projection of one query block over 64 blocks of keys; storage is tight.
GroupWorkload attention(AtomFamily family, std::size_t operations) {
  GroupWorkload group{.programs = 256, .independent_elements = 500'000, .max_independent_elements = 2048};
  const MatrixWorkload all[] = {
      {.family = family, .rows = 32, .columns = 32, .contraction = 64, .executions = 64, .accumulator_iterations = 1},
      {.family = family,
       .rows = 32,
       .columns = 64,
       .contraction = 32,
       .executions = 64,
       .accumulator_iterations = 64,
       .recurrence_elements = 131'072},
      {.family = family,
       .rows = 32,
       .columns = 64,
       .contraction = 64,
       .accumulator_iterations = 1,
       .has_direct_output = true,
       .recurrence_elements = 2048,
       .direct_output_elements = 4096}};
  for (std::size_t i = 0; i < operations; ++i) group.matrices.push_back(all[i]);
  group.shared_memory_bytes = operations == 2 ? 40'960 : 57'344;
  return group;
}

void report(benchmark::State& state, const Solution& solution) {
  state.counters["widths"] = static_cast<double>(solution.optimality.widths);
  state.counters["combinations"] = static_cast<double>(solution.optimality.combinations.value_or(0));
}

void run(benchmark::State& state, const GroupWorkload& workload) {
  const PlannerOptions options = shipped_options();
  for (auto _ : state) benchmark::DoNotOptimize(solve(workload, kM1, options));
  const auto solution = solve(workload, kM1, options);
  if (!solution || !solution->choice) return state.SkipWithError("no plan");
  report(state, *solution);
}

void gemm_simdgroup(benchmark::State& state) { run(state, gemm(AtomFamily::Simdgroup8x8, 32, 64, 32)); }
void gemm_mpp(benchmark::State& state) { run(state, gemm(AtomFamily::MetalMpp, 32, 64, 32)); }
void attention_two(benchmark::State& state) { run(state, attention(AtomFamily::Simdgroup8x8, 2)); }
void attention_three(benchmark::State& state) { run(state, attention(AtomFamily::Simdgroup8x8, 3)); }
void attention_mpp(benchmark::State& state) { run(state, attention(AtomFamily::MetalMpp, 3)); }

void family_of_27(benchmark::State& state) {
  std::vector<GroupWorkload> captures;
  for (const std::int64_t bm : {32, 64, 128})
    for (const std::int64_t bn : {32, 64, 128})
      for (const std::int64_t bk : {8, 16, 32}) captures.push_back(gemm(AtomFamily::Simdgroup8x8, bm, bn, bk));
  const PlannerOptions options = shipped_options();
  for (auto _ : state)
    for (const GroupWorkload& capture : captures) benchmark::DoNotOptimize(solve(capture, kM1, options));
  state.counters["captures"] = static_cast<double>(captures.size());
}

BENCHMARK(gemm_simdgroup)->Unit(benchmark::kMicrosecond);
BENCHMARK(gemm_mpp)->Unit(benchmark::kMicrosecond);
BENCHMARK(attention_two)->Unit(benchmark::kMicrosecond);
BENCHMARK(attention_three)->Unit(benchmark::kMicrosecond);
BENCHMARK(attention_mpp)->Unit(benchmark::kMicrosecond);
BENCHMARK(family_of_27)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright::plan
