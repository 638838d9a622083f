// Pipeline windows: what may overlap, at which cost, and which of the two windows is kept.
#include "planned.h"

namespace tilewright::plan {
namespace {

std::string piped(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  const std::string text = R"(program p(M, N, K) {
    in A: f32[M, K]
    in B: f32[K, N]
    out C: f32[M, N]
    parallel i in ceildiv(M, 32), j in ceildiv(N, 32) {
      acc[m: 32, n: 32] = 0.0
      pipeline s in ceildiv(K, 32) {
        stage
        a[m, k: 32] = A[i*32 + m, s*32 + k]
        b[k, n] = B[s*32 + k, j*32 + n]
        stage
        acc = mma(a, b, acc)
      }
      C[i*32 + m, j*32 + n] = acc
    }
  })";
  return changes.empty() ? text : replaced(text, changes);
}
const Sizes kPipedSizes{{"M", 64}, {"N", 64}, {"K", 128}};

LaunchReport report_of(const std::string& text, const Sizes& sizes, const Settings& settings = {}) {
  return planned(text, sizes, planning_request(Family::Simdgroup, settings)).launches[0];
}

std::string refusal_of(const std::string& text, const Sizes& sizes = kPipedSizes) {
  const LaunchReport report = report_of(text, sizes);
  const Trial* chosen = report.chosen();
  if (chosen == nullptr || chosen->facts.windows.empty()) return "no pipeline";
  const realize::PipelineWindow& window = chosen->facts.windows[0];
  return window.refusal ? std::string(window.refusal->code) : "overlaps";
}

TEST(PipelineWindow, BothArePlannedAndTheLowerScoreIsKept) {
  const LaunchReport report = report_of(piped(), kPipedSizes);
  ASSERT_EQ(report.trials.size(), 2u);
  ASSERT_TRUE(report.trials[0].solution->choice && report.trials[1].solution->choice);
  EXPECT_TRUE(report.trials[0].overlapped.empty());
  EXPECT_EQ(report.trials[1].overlapped.size(), 1u);
  // A second version of a and b, and no residency: prologue, steady state and drain keep the reference's storage.
  EXPECT_EQ(report.trials[1].facts.workload.shared_memory_bytes,
            report.trials[0].facts.workload.shared_memory_bytes + 2 * 32 * 32 * 4);
  EXPECT_FALSE(report.trials[1].facts.workload.matrices[0].has_recurrence());
  EXPECT_TRUE(report.trials[0].chosen);
  EXPECT_LT(report.trials[0].solution->choice->cost.kernel_score, report.trials[1].solution->choice->cost.kernel_score);
}

TEST(PipelineWindow, EachRefusalHasItsCode) {
  EXPECT_EQ(refusal_of(piped()), "overlaps");
  EXPECT_EQ(refusal_of(piped({{"        stage\n", ""}})), "no_cut");
  EXPECT_EQ(refusal_of(piped({{"        stage\n        acc", "        acc"}})), "no_cut");
  EXPECT_EQ(refusal_of(piped(), {{"M", 64}, {"N", 64}, {"K", 32}}), "trips");
  EXPECT_EQ(refusal_of(piped(), {{"M", 64}, {"N", 64}, {"K", 33}}), "overlaps");
  EXPECT_EQ(refusal_of(piped({{"s in ceildiv(K, 32) {", "s in ceildiv(K, 32) window 1 {"}})), "window_one");
  EXPECT_EQ(refusal_of(piped({{"        stage\n        acc = mma(a, b, acc)",
                               "        acc = mma(a, b, acc)\n        stage\n        x = acc"}})),
            "producer_reads");
}

TEST(PipelineWindow, ASecondVersionThatDoesNotFitIsRefused) {
  const std::string wide = piped({{"[m: 32, n: 32]", "[m: 32, n: 64]"},
                                  {"ceildiv(N, 32)", "ceildiv(N, 64)"},
                                  {"j*32", "j*64"},
                                  {"k: 32", "k: 64"},
                                  {"ceildiv(K, 32)", "ceildiv(K, 64)"},
                                  {"s*32", "s*64"}});
  // a 8 KiB, b 16 KiB, C and D 8 KiB each: 40 KiB in the reference; the rest of 32 KiB is 0.
  EXPECT_EQ(refusal_of(wide, {{"M", 64}, {"N", 64}, {"K", 256}}), "capacity");
}

TEST(PipelineWindow, LatePrefetchHoldsTheNextCopiesInScalars) {
  const auto prefetch = [&](const Settings& settings) {
    const PlannedProgram made = planned(piped(), kPipedSizes, planning_request(Family::Simdgroup, settings));
    return made.plan.launches[0].pipelines.at(0).prefetch_scalars_per_lane;
  };
  EXPECT_EQ(prefetch({{"threads_per_group", "128"}}), 2 * 32 * 32 / 128);
  EXPECT_EQ(prefetch({{"threads_per_group", "64"}}), 2 * 32 * 32 / 64);
  EXPECT_EQ(prefetch({{"threads_per_group", "64"}, {"max_pipeline_prefetch_scalars_per_lane", "31"}}), 0);
  EXPECT_EQ(prefetch({{"threads_per_group", "128"}, {"max_pipeline_prefetch_scalars_per_lane", "0"}}), 0);
  EXPECT_EQ(prefetch({{"threads_per_group", "128"}, {"retain_accumulators", "false"}}), 0);
}

}  // namespace
}  // namespace tilewright::plan
