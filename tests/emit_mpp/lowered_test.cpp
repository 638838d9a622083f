// Planned programs as tensor operations: their text on the emulator against the same kernels in the interpreter, bit
// for bit on exact numbers, and the counts of both against the plan.
#include <algorithm>

#include "case_count.h"
#include "emit_mpp/planned_text.h"
#include "lower_group/matrix_text.h"

namespace tilewright::emit_msl {
namespace {

using lower::testing::MatrixText;
using lower::testing::PlannedRun;
using lower::testing::Settings;

void expect_counts(const PlannedRun& run, std::uint64_t seed = 0) {
  const auto operations = run_both(run, seed);
  if (!operations) return;
  EXPECT_GT(operations->planned, 0);
  EXPECT_EQ(operations->interpreted, operations->planned);
  EXPECT_EQ(operations->emulated, operations->planned);
}

/// Where subgroups have nothing to multiply, no operation is made.
void expect_fewer_operations(const PlannedRun& run, std::uint64_t seed) {
  const auto operations = run_both(run, seed);
  if (!operations) return;
  EXPECT_EQ(operations->interpreted, operations->planned);
  EXPECT_LT(operations->emulated, operations->planned);
}

class LoweredOrientations : public ::testing::TestWithParam<int> {};

TEST_P(LoweredOrientations, AgreeAndCount) {
  const int bits = GetParam();
  if (bits >= case_count(16, 8)) GTEST_SKIP() << "a share of them with sanitizers";
  const MatrixText text{.lhs_transposed = (bits & 1) != 0,
                        .rhs_transposed = (bits & 2) != 0,
                        .out_transposed = (bits & 4) != 0,
                        .stages = bits % 3 == 0,
                        .start = (bits & 8) != 0 ? "R" : "0.0"};
  if (const auto run = lower::testing::lower_line("p M=64 N=96 K=40", {}, text.text(), "metal-mpp"))
    expect_counts(*run, static_cast<std::uint64_t>(bits));
}
INSTANTIATE_TEST_SUITE_P(All, LoweredOrientations, ::testing::Range(0, 16));

struct Line {
  const char* line;
  Settings settings = {};
  bool has_empty_rectangles = false;
};

const Settings kCollective{{"mpp_operation_scope", "group"}, {"threads_per_group", "64"}};
const Settings kCollectiveFused{
    {"mpp_operation_scope", "group"}, {"threads_per_group", "96"}, {"fuse_matrix_epilogues", "true"}};

class LoweredLines : public ::testing::TestWithParam<Line> {};

TEST_P(LoweredLines, AgreeAndCount) {
  const Line& line = GetParam();
  SCOPED_TRACE(line.line);
  const auto run = lower::testing::lower_line(line.line, line.settings, "", "metal-mpp");
  if (!run) return;
  if (line.has_empty_rectangles)
    expect_fewer_operations(*run, 5);
  else
    expect_counts(*run, 5);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoweredLines,
    ::testing::Values(
        Line{"gemm M=64 N=64 K=7 BM=32 BN=32 BK=16"}, Line{"gemm M=32 N=32 K=8 BM=32 BN=32 BK=16"},
        Line{"gemm M=32 N=32 K=24 BM=32 BN=32 BK=16"}, Line{"gemm M=32 N=32 K=1033 BM=32 BN=32 BK=512"},
        Line{"gemm M=70 N=60 K=61 BM=32 BN=32 BK=16", {}, true}, Line{"gemm M=5 N=3 K=61 BM=64 BN=64", {}, true},
        Line{"gemm_nt M=66 N=33 K=17 view:A=strides:40x1 view:C=offset:3,strides:50x1", {}, true},
        Line{"gemm_tn M=64 N=64 K=32 T=f16"}, Line{"gemm_tt M=64 N=64 K=20 T=bf16 BM=32 BN=32"},
        Line{"gemm M=64 N=64 K=32", {{"noalias", "false"}}}, Line{"gemm M=65 N=33 K=17", {{"noalias", "false"}}},
        Line{"gemm M=64 N=64 K=32", {{"direct_accumulator_store", "false"}}},
        Line{"gemm M=64 N=64 K=32", {{"retain_accumulators", "false"}}},
        Line{"gemm M=128 N=64 K=64 BM=64 BN=64 BK=64", {{"threads_per_group", "64"}}},
        Line{"batched_gemm G=2 M=32 N=64 K=20 BM=32 BN=32"}, Line{"gemm M=64 N=64 K=40 BM=64 BN=64 BK=16", kCollective},
        Line{"gemm M=65 N=33 K=17 BM=32 BN=32 BK=32", kCollective},
        Line{"gemm_tt M=64 N=64 K=20 T=bf16 BM=32 BN=32", kCollectiveFused}),
    [](const auto& info) { return "Line" + std::to_string(info.index); });

/// An operand of 640 KiB is read where it lies.
TEST(Lowered, LargeTilesNeedNoSharedMemory) {
  const auto run = lower::testing::lower_line("gemm M=128 N=32 K=1024 BM=128 BN=32 BK=1024", {}, "", "metal-mpp");
  ASSERT_TRUE(run);
  EXPECT_EQ(lower::testing::launch_of(*run).shared_memory_bytes, 0);
  EXPECT_TRUE(run->kernels.allocations.size() == 0);
  expect_counts(*run);
}

}  // namespace
}  // namespace tilewright::emit_msl
