// Pipelines: windows 1 and 2, late prefetch, and loops that are short, ragged or have several axes.
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::lower::testing {
namespace {

std::int64_t prefetch_of(const PlannedRun& run) { return launch_of(run).pipelines[0].prefetch_scalars_per_lane; }

TEST(Pipelines, WindowTwoHasTwoVersionsInSharedStorage) {
  const MatrixText text{.stages = true};
  const auto one = run_planned("p M=64 N=64 K=64", {{"pipeline_window", "1"}}, text.text());
  const auto two = run_planned("p M=64 N=64 K=64", {{"pipeline_window", "2"}}, text.text());
  ASSERT_TRUE(one && two);
  EXPECT_EQ(launch_of(*one).pipelines[0].window, 1);
  EXPECT_EQ(launch_of(*two).pipelines[0].window, 2);
  std::int64_t elements = 0;
  for (const kernel::Allocation& allocation : two->kernels.allocations)
    if (allocation.name == "a" || allocation.name == "b") elements += allocation.count;
  EXPECT_EQ(elements, 2 * (32 * 16 + 16 * 32));
}

TEST(Pipelines, ShortAndRaggedLoops) {
  const MatrixText text{.stages = true};
  for (const char* window : {"1", "2"})
    for (const char* depth : {"0", "1", "16", "17", "32", "33", "47", "48", "80"})
      run_planned(std::string("p M=40 N=33 K=") + depth, {{"pipeline_window", window}}, text.text());
}

TEST(Pipelines, CopiesOfTheNextIterationWaitInRegisters) {
  const MatrixText text{.stages = true};
  const auto held = run_planned("p M=64 N=64 K=64", {}, text.text());
  ASSERT_TRUE(held);
  EXPECT_GT(prefetch_of(*held), 0);
  const auto ordered = run_planned("p M=64 N=64 K=64", {{"max_pipeline_prefetch_scalars_per_lane", "0"}}, text.text());
  ASSERT_TRUE(ordered);
  EXPECT_EQ(prefetch_of(*ordered), 0);
  // The same elements are read, no more often.
  EXPECT_EQ(held->counts[0].of(kernel::MemoryKind::Buffer), ordered->counts[0].of(kernel::MemoryKind::Buffer));
  for (const char* threads : {"64", "96", "128", "192"})
    for (const char* depth : {"16", "17", "48"})
      run_planned(std::string("p M=40 N=33 K=") + depth, {{"threads_per_group", threads}}, text.text());
}

constexpr const char* kTwoAxes = R"(program p(M, N, K, R) {
  in A: f32[R, M, K]
  in B: f32[R, K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, 16), j in ceildiv(N, 16) {
    axis m: 16, n: 16, k: 8
    acc[m, n] = 0.0
    pipeline r in R, s in ceildiv(K, 8) {
      stage
      a[m, k] = A[r, i*16 + m, s*8 + k]
      w = B[r, s*8, j*16]
      b[k, n] = B[r, s*8 + k, j*16 + n]
      stage
      acc = mma(a, b, acc)
      acc = acc + w
    }
    C[i*16 + m, j*16 + n] = acc
  }
})";

/// The iterations of both axes in one order, and a number that goes from the producer to the consumer.
TEST(Pipelines, SeveralAxesAndNumbersThatFlow) {
  for (const char* window : {"1", "2"}) {
    const auto run = run_planned("p M=20 N=17 K=19 R=3", {{"pipeline_window", window}}, kTwoAxes);
    ASSERT_TRUE(run);
    EXPECT_EQ(launch_of(*run).pipelines[0].window, window[0] - '0');
  }
}

constexpr const char* kSwaps = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  out D: f32[M, N]
  parallel i in ceildiv(M, 16), j in ceildiv(N, 16) {
    axis m: 16, n: 16, k: 8
    x[m, n] = 1.0
    y[m, n] = 2.0
    count[] = 0.0
    pipeline s in ceildiv(K, 8) {
      stage
      a[m, k] = A[i*16 + m, s*8 + k]
      b[k, n] = B[s*8 + k, j*16 + n]
      stage
      old = x
      x = mma(a, b, y)
      y = old
      count = count + 1.0
    }
    C[i*16 + m, j*16 + n] = x * count
    D[i*16 + m, j*16 + n] = y
  }
})";

TEST(Pipelines, CarriesChangeAtOnce) {
  for (const char* window : {"1", "2"})
    for (const char* depth : {"0", "8", "16", "23"})
      run_planned(std::string("p M=20 N=17 K=") + depth, {{"pipeline_window", window}}, kSwaps);
}

}  // namespace
}  // namespace tilewright::lower::testing
