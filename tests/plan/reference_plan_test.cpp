// Plans without a search: when the reference is kept, at which width, and what is refused.
#include <gtest/gtest.h>

#include "plan/plan_cases.h"

namespace tilewright::plan::reference_plan_test {
namespace {

GroupChoice kept(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options,
                 std::string_view reason) {
  const GroupChoice choice = solved(workload, limits, options);
  EXPECT_FALSE(choice.optimized);
  EXPECT_NE(choice.why.find(reason), std::string::npos) << choice.why;
  return choice;
}

TEST(ReferencePlan, ADisabledPlannerKeeps256Threads) {
  const GroupChoice choice =
      kept(example_group(), metal_limits(), options_with({{"enabled", "false"}}), "planner is not enabled");
  EXPECT_EQ(choice.threads, 256);
  EXPECT_EQ(choice.reference, ReferenceKind::OneAtom);
  ASSERT_EQ(choice.matrices.size(), 1u);
  EXPECT_TRUE(choice.matrices[0].is_one_atom());
  EXPECT_EQ(choice.shared_memory_bytes, 28 * 1024);
  EXPECT_TRUE(choice.cost.priced);
  EXPECT_EQ(choice.cost.input_fragment_transfers, 8192);
  // One atom at a time, 25,920 at 128 threads, and four more subgroups.
  EXPECT_EQ(choice.cost.score, 25920 + 4 * 8);
  EXPECT_EQ(choice.cost.kernel_score, 8 * choice.cost.score);
}

TEST(ReferencePlan, AnExactWidthOf48IsTheScalarReference) {
  const GroupChoice choice = kept(example_group(), metal_limits(), options_with({{"threads_per_group", "48"}}),
                                  "a width of 48 is no number of complete subgroups");
  EXPECT_EQ(choice.threads, 48);
  EXPECT_EQ(choice.reference, ReferenceKind::Scalar);
  EXPECT_TRUE(choice.matrices.empty());
  EXPECT_FALSE(choice.cost.priced);
  const auto solution =
      solve(example_group(), metal_limits(), options_with({{"enabled", "false"}, {"threads_per_group", "64"}}));
  EXPECT_EQ(solution->choice->threads, 64);
  EXPECT_EQ(solution->choice->reference, ReferenceKind::OneAtom);
  EXPECT_TRUE(solution->widths.empty() && solution->ranking.empty());
}

TEST(ReferencePlan, ATargetNarrowerThanASubgroup) {
  Limits limits = metal_limits();
  limits.max_threads = 31;
  const GroupChoice choice = kept(example_group(), limits, shipped_options(), "31 threads, fewer than a subgroup");
  EXPECT_EQ(choice.threads, 31);
  EXPECT_EQ(choice.reference, ReferenceKind::Scalar);
  limits.max_threads = 32;
  EXPECT_TRUE(solved(example_group(), limits, shipped_options()).optimized);
}

TEST(ReferencePlan, AGroupWithoutMatrices) {
  GroupWorkload workload{.programs = 4, .independent_elements = 1280, .max_independent_elements = 100};
  const GroupChoice choice = kept(workload, metal_limits(), shipped_options(), "no matrix operation");
  EXPECT_EQ(choice.threads, 100);
  EXPECT_EQ(choice.reference, ReferenceKind::Scalar);
  EXPECT_EQ(choice.cost.score, 1280.0 / 128 + 4 * 8);
  EXPECT_TRUE(solve(workload, metal_limits(), options_with({{"cost_basis", "metal_mpp_memory_v3"}})));
}

TEST(ReferencePlan, WidthsFollowElementsCollectivesAndSubgroups) {
  const auto width = [](std::int64_t elements, std::int64_t outputs, bool matrix, std::int64_t max_threads) {
    GroupWorkload workload;
    if (matrix) workload = example_group();
    workload.max_independent_elements = elements;
    workload.max_collective_outputs = outputs;
    Limits limits = metal_limits();
    limits.max_threads = max_threads;
    return solved(workload, limits, options_with({{"enabled", "false"}})).threads;
  };
  EXPECT_EQ(width(1, 0, false, 256), 1);
  EXPECT_EQ(width(255, 0, false, 256), 255);
  EXPECT_EQ(width(257, 0, false, 256), 256);
  EXPECT_EQ(width(2000, 0, false, 1024), 1024);
  EXPECT_EQ(width(1, 0, true, 256), 32);
  EXPECT_EQ(width(33, 0, true, 256), 64);
  EXPECT_EQ(width(1, 3, false, 256), 96);
  EXPECT_EQ(width(100, 3, false, 256), 128);
  EXPECT_EQ(width(1, 100, false, 256), 256);
  EXPECT_EQ(width(40, 0, true, 40), 32);
  EXPECT_EQ(width(40, 1, false, 40), 32);
  EXPECT_EQ(width(40, 1, false, 31), 31);
}

TEST(ReferencePlan, StorageIsStillCompared) {
  for (const char* threads : {"0", "48"}) {
    const PlannerOptions options = options_with({{"enabled", "false"}, {"threads_per_group", threads}});
    Limits limits = metal_limits();
    limits.shared_memory_bytes = 28 * 1024;
    EXPECT_EQ(solved(example_group(), limits, options).shared_memory_bytes, 28 * 1024);
    --limits.shared_memory_bytes;
    const auto solution = solve(example_group(), limits, options);
    ASSERT_TRUE(solution && solution->refusal);
    EXPECT_EQ(solution->refusal->constraint, PlanConstraint::SharedCapacity);
    EXPECT_NE(solution->refusal->text.find("28672"), std::string::npos) << solution->refusal->text;
  }
}

TEST(ReferencePlan, TensorOperationsHaveNoReference) {
  const GroupWorkload workload = mpp_group(32, 32, 32, 1, true);
  for (const auto& options : {options_with({{"enabled", "false"}}), options_with({{"threads_per_group", "48"}})}) {
    const auto solution = solve(workload, metal_limits(), options);
    ASSERT_TRUE(solution && solution->refusal);
    EXPECT_EQ(solution->refusal->constraint, PlanConstraint::NoReference);
    EXPECT_EQ(refusal_diag(*solution->refusal).code, DiagCode::PlanNoReference);
  }
}

TEST(ReferencePlan, WithoutAFiniteScoreThePlanHasNoPrice) {
  PlannerOptions options = options_with({{"enabled", "false"}});
  options.cost.matrix_issue = 1e308;
  EXPECT_FALSE(solved(example_group(), metal_limits(), options).cost.priced);
}

}  // namespace
}  // namespace tilewright::plan::reference_plan_test
