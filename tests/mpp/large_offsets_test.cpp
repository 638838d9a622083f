// Offsets past 2^32, without the memory: what the planner counts, what the kernels compute in 64 bits, what the text
// says, and what is refused by name.
#include <gtest/gtest.h>

#include "driver/kernel_impl.h"
#include "driver/run.h"
#include "kernel/index_ranges.h"
#include "programs/request_line.h"

namespace tilewright::mpp {
namespace {

constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;

Result<Kernel> kernel_of(const std::string& line) {
  const driver::RunRequest request = driver::request_of_line(line, Target::MetalMpp);
  TW_TRY(const Program program, Program::load(request.program));
  return driver::compile_request(program, request, driver::Purpose::Look);
}

constexpr const char* kLarge = "gemm M=65537 N=131073 K=70000 BM=32 BN=32 BK=16";

TEST(LargeOffsets, ThePlannerCountsThem) {
  const auto kernel = kernel_of(kLarge);
  ASSERT_TRUE(kernel) << render(kernel.error());
  const plan::LaunchPlan& plan = kernel->impl().metal->planned.planned.plan.launches[0];
  EXPECT_EQ(plan.mapping, plan::LaunchMapping::Cooperative);
  EXPECT_EQ(plan.programs, std::int64_t{2049} * 4097);
  EXPECT_EQ(plan.views.size(), 2u);
  EXPECT_TRUE(plan.matrices[0].distribution.direct_accumulator_store);
  EXPECT_EQ(plan.cost.metal_mpp_operations, 4375.0 * static_cast<double>(plan.threads) / 32);
  EXPECT_EQ(plan.cost.nominal_matrix_issues, 4.0 * 4 * 2 * 4375);
  std::vector<std::int64_t> counts;
  for (const artifact::Binding& binding : kernel->impl().metal->text.bindings) counts.push_back(binding.count);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{65537 * std::int64_t{70000}, 70000 * std::int64_t{131073},
                                               65537 * std::int64_t{131073}}));
}

/// Where the views of the tensor operations begin.
std::vector<kernel::ValueId> view_origins(const kernel::Program& program) {
  std::vector<kernel::ValueId> origins;
  for (const kernel::OpId id : program.ops.ids())
    if (const auto* atom = std::get_if<kernel::AtomOp>(&program.ops[id].payload)) {
      origins.push_back(atom->a.view.index);
      origins.push_back(atom->b.view.index);
    }
  return origins;
}

TEST(LargeOffsets, KernelsComputeThemIn64Bits) {
  const auto kernel = kernel_of(kLarge);
  ASSERT_TRUE(kernel);
  const kernel::Program& lowered = kernel->impl().metal->lowered;
  const kernel::IndexRanges ranges = kernel::index_ranges(lowered, lowered.kernels[0]);
  const std::vector<kernel::ValueId> origins = view_origins(lowered);
  ASSERT_EQ(origins.size(), 2u);
  // The last tile begins in row 65,536 of A and step 4,374; in row 69,984 of B and column 131,072.
  const std::int64_t last[] = {65536 * std::int64_t{70000} + 69984, 69984 * std::int64_t{131073} + 131072};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(last[i], kTwo32);
    EXPECT_GE(ranges.of(origins[i]).high, last[i]);
    EXPECT_FALSE(ranges.provably_fits_i32(origins[i]));
    EXPECT_FALSE(ranges.may_wrap(origins[i]));
  }
  for (const kernel::ValueId id : lowered.values.ids())
    if (lowered.values[id].scalar == kernel::ScalarType::I64) {
      EXPECT_FALSE(ranges.may_wrap(id)) << id.index;
    }
}

/// Whatever is multiplied to such an offset is a long, and 32 bits hold extents and strides.
TEST(LargeOffsets, TheTextSaysLong) {
  const auto kernel = kernel_of(kLarge);
  ASSERT_TRUE(kernel);
  const std::string& text = kernel->impl().metal->text.code;
  for (const char* part : {"A + long(i) * 2240000", "B + long(k) * 2097168", "C + long(i) * 4194336",
                           "long(place[1]) * 131073", "array<int32_t, 2>{1, 131073}"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  EXPECT_EQ(text.find("int(i) * 2240000"), std::string::npos);
}

/// Rows that lie further apart than a tensor counts are staged, and the plan says why; outputs are stored by element.
TEST(LargeOffsets, RowsOutOfReachAreStaged) {
  for (const char* line : {"gemm M=32 N=3000000000 K=64 BM=32 BN=32 BK=16",
                           "gemm M=33 N=16 K=16 BM=32 BN=16 BK=16 view:A=strides:268435456x1"}) {
    const auto kernel = kernel_of(line);
    ASSERT_TRUE(kernel) << render(kernel.error());
    const driver::PlanReport& planned = kernel->impl().metal->planned;
    bool said = false;
    for (const plan::LaunchRefusal& refusal : planned.planned.launches[0].refusals)
      said = said || (refusal.subject == "view" && refusal.why.code == realize::kViewReach);
    EXPECT_TRUE(said) << line;
    const std::string& text = kernel->impl().metal->text.code;
    EXPECT_EQ(text.find("array<int32_t, 2>{1, 3000000000"), std::string::npos) << text;
    EXPECT_EQ(text.find("array<int32_t, 2>{1, 268435456"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tilewright::mpp
