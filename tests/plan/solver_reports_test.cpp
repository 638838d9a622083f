// What a solution says about the space: every candidate, counts, the claim of optimality, the collective map.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "plan/cost_basis.h"
#include "plan/plan_cases.h"

namespace tilewright::plan::solver_reports_test {
namespace {

using realize::MatrixConstraint;

Solution solution_of(const GroupWorkload& workload, const PlannerOptions& options,
                     const Limits& limits = metal_limits()) {
  auto solution = solve(workload, limits, options);
  EXPECT_TRUE(solution) << render(solution.error());
  return solution.value_or(Solution{});
}

TEST(SolverReports, EveryWidthListsEveryCandidate) {
  Limits limits = metal_limits();
  limits.max_threads = 1024;
  const Solution solution = solution_of(example_group(), shipped_options(), limits);
  ASSERT_EQ(solution.widths.size(), 32u);
  std::uint64_t considered = 0, rejected = 0, legal = 0;
  for (std::size_t i = 0; i < solution.widths.size(); ++i) {
    const WidthRecord& width = solution.widths[i];
    const auto subgroups = static_cast<std::int64_t>(i + 1);
    EXPECT_EQ(width.threads, 32 * subgroups);
    ASSERT_EQ(width.matrices.size(), 1u);
    std::uint64_t factors = 0;
    for (std::int64_t d = 1; d <= subgroups; ++d) factors += subgroups % d == 0 ? 1 : 0;
    EXPECT_EQ(width.matrices[0].size(), factors + 1);
    considered += factors + 1;
    for (const CandidateRecord& candidate : width.matrices[0]) {
      rejected += candidate.refusal ? 1 : 0;
      legal += candidate.refusal ? 0 : 1;
      EXPECT_EQ(candidate.cost.priced, !candidate.refusal);
      EXPECT_EQ(candidate.refusal.has_value(), candidate.cost == PlanCost{});
    }
    EXPECT_TRUE(width.best && !width.refusal);  // one atom at a time always fits 28 KiB here
  }
  EXPECT_EQ(solution.candidates_considered, considered);
  EXPECT_EQ(considered, 119u + 32u);
  EXPECT_EQ(solution.candidates_rejected, rejected);
  EXPECT_EQ(solution.candidates_unpriced, 0u);
  EXPECT_EQ(solution.optimality.widths, 32u);
  EXPECT_EQ(solution.optimality.combinations, legal);
}

TEST(SolverReports, ThePrunedOnesAddUp) {
  const Solution solution = solution_of(example_group(), shipped_options());
  std::map<std::string, std::uint64_t> pruned;
  std::uint64_t refused = 0;
  for (const PruneCount& entry : solution.optimality.pruned) {
    EXPECT_TRUE(pruned.emplace(entry.rule, entry.count).second);
    EXPECT_GT(entry.count, 0u);
    if (entry.rule != "dominated" && entry.rule != "shared_capacity") refused += entry.count;
  }
  EXPECT_EQ(refused, solution.candidates_rejected);
  // 3, 5, 6 and 7 subgroups leave atoms over; at 1 the rectangle is over the budget.
  EXPECT_GT(pruned["coverage_rows"] + pruned["coverage_columns"], 4u);
  EXPECT_EQ(pruned["fragment_budget"], 1u);
  EXPECT_GT(pruned["dominated"], 0u);
}

TEST(SolverReports, TheFrontierKeepsOnlyWhatNothingDominates) {
  // At 128 threads: one atom at a time and three rectangles, which release the same bytes and are cheaper.
  PlannerOptions options = options_with({{"threads_per_group", "128"}});
  const Solution one = solution_of(example_group(), options);
  EXPECT_EQ(one.optimality.combinations, 4u);
  EXPECT_EQ(one.optimality.largest_frontier, 1u);
  EXPECT_EQ(one.optimality.pruned.back(), (PruneCount{"dominated", 3}));
  // Dear fragments: one atom at a time is cheaper, the best rectangle needs less storage.
  options.cost.shared_fragment_transfer = 0;
  options.cost.preferred_fragment_scalars_per_lane = 6;
  GroupWorkload workload = example_group();
  workload.independent_elements = workload.matrices[0].recurrence_elements = 0;
  workload.matrices[0].direct_output_elements = 0;
  const Solution two = solution_of(workload, options);
  EXPECT_EQ(two.optimality.largest_frontier, 2u);
  EXPECT_EQ(two.optimality.pruned.back(), (PruneCount{"dominated", 2}));
  // Equal operations: none, either or both resident; "either" is there twice and stays once.
  workload.matrices.push_back(workload.matrices[0]);
  workload.shared_memory_bytes += 4096;
  const Solution three = solution_of(workload, options);
  EXPECT_EQ(three.optimality.largest_frontier, 3u);
}

TEST(SolverReports, TheRunnerUpIsTheSecondOfTheRanking) {
  const Solution solution = solution_of(example_group(), shipped_options());
  ASSERT_EQ(solution.ranking.size(), kRankedPlans);
  EXPECT_EQ(solution.ranking[0].threads, solution.choice->threads);
  EXPECT_EQ(solution.ranking[0].matrices, solution.choice->matrices);
  EXPECT_EQ(solution.optimality.runner_up, solution.ranking[1]);
  EXPECT_EQ(solution.optimality.runner_up_distance,
            solution.ranking[1].kernel_score - solution.ranking[0].kernel_score);
  EXPECT_GE(solution.optimality.runner_up_distance, 0);
  for (std::size_t i = 1; i < solution.ranking.size(); ++i)
    EXPECT_LE(solution.ranking[i - 1].kernel_score, solution.ranking[i].kernel_score);
}

TEST(SolverReports, ARefusalKeepsEveryCandidate) {
  const Solution solution = solution_of(mpp_group(32, 16, 32, 1, true), options_with({{"threads_per_group", "256"}}));
  ASSERT_TRUE(solution.refusal && !solution.choice);
  ASSERT_EQ(solution.widths.size(), 1u);
  EXPECT_EQ(solution.widths[0].refusal->constraint, PlanConstraint::NoLegalMapping);
  std::set<MatrixConstraint> seen;
  for (const CandidateRecord& candidate : solution.widths[0].matrices[0])
    if (candidate.refusal) seen.insert(candidate.refusal->constraint());
  EXPECT_EQ(seen, (std::set{MatrixConstraint::OneAtomFamily, MatrixConstraint::OperationExtents,
                            MatrixConstraint::CoverageRows, MatrixConstraint::CoverageColumns}));
  EXPECT_EQ(solution.candidates_considered, 5u);
  EXPECT_EQ(solution.candidates_rejected, 5u);
  EXPECT_EQ(solution.optimality.combinations, 0u);
  EXPECT_FALSE(solution.optimality.runner_up);
}

TEST(SolverReports, TheClosestRefusalIsReported) {
  // Wide groups have no mapping; narrow ones have, and lack storage.
  GroupWorkload workload = mpp_group(32, 16, 32, 1, true);
  workload.shared_memory_bytes += 40'000;
  const Solution solution = solution_of(workload, shipped_options());
  ASSERT_TRUE(solution.refusal);
  EXPECT_EQ(solution.refusal->constraint, PlanConstraint::SharedCapacity);
  EXPECT_EQ(solution.refusal->text,
            "32 threads need at least 40000 bytes of shared memory, the limit is 32768 (no width of 8 has a plan)");
  EXPECT_EQ(solution.refusal->numbers[0], (NamedNumber{"shared_memory_bytes", 40'000}));
  EXPECT_EQ(solution.refusal->numbers[1], (NamedNumber{"limit", 32'768}));
}

TEST(SolverReports, TheCollectiveIsListedAndNeverChosenByItself) {
  const Solution solution = solution_of(mpp_group(64, 64, 512, 64, true), shipped_options());
  EXPECT_EQ(solution.candidates_unpriced, 7u);  // 64 to 256 threads
  for (const WidthRecord& width : solution.widths) {
    const CandidateRecord& last = width.matrices[0].back();
    ASSERT_TRUE(last.distribution.is_collective());
    EXPECT_FALSE(last.cost.priced);
    if (width.threads == 32)
      EXPECT_EQ(last.refusal->constraint(), MatrixConstraint::CollectiveSubgroups);
    else
      EXPECT_FALSE(last.refusal);
  }
  for (const RankedPlan& plan : solution.ranking) EXPECT_FALSE(plan.matrices[0].is_collective());
}

TEST(SolverReports, TheCollectiveIsChosenOnRequest) {
  const GroupWorkload workload = mpp_group(64, 64, 512, 64, true);
  expect_code(solve(workload, metal_limits(), options_with({{"mpp_operation_scope", "group"}})),
              DiagCode::UnpricedWidth, {"threads_per_group", "found 0"});
  const PlannerOptions options = options_with({{"mpp_operation_scope", "group"}, {"threads_per_group", "128"}});
  const Solution solution = solution_of(workload, options);
  ASSERT_TRUE(solution.choice);
  EXPECT_TRUE(solution.choice->matrices[0].is_collective());
  EXPECT_TRUE(solution.choice->matrices[0].direct_accumulator_store);
  EXPECT_FALSE(solution.choice->cost.priced);
  EXPECT_EQ(solution.choice->cost.matrix_issues, 0);
  EXPECT_EQ(solution.choice->cost.fragment_scalars_per_lane, 32);
  EXPECT_EQ(solution.choice->shared_memory_bytes, 0);
  EXPECT_EQ(solution.choice->threads, 128);
  EXPECT_TRUE(solution.ranking.empty());

  PlannerOptions narrow = options;
  narrow.threads_per_group = 32;
  const Solution one = solution_of(workload, narrow);
  ASSERT_TRUE(one.refusal);
  EXPECT_EQ(one.refusal->constraint, PlanConstraint::NoLegalMapping);
  EXPECT_NE(one.refusal->text.find("collective_subgroups"), std::string::npos) << one.refusal->text;

  GroupWorkload large = workload;
  large.shared_memory_bytes += 32'769;
  const Solution full = solution_of(large, options);
  ASSERT_TRUE(full.refusal);
  EXPECT_EQ(full.refusal->constraint, PlanConstraint::SharedCapacity);
}

TEST(SolverReports, NamesOfConstraintsAndKinds) {
  EXPECT_EQ(constraint_name(PlanConstraint::NoLegalMapping), "no_legal_mapping");
  EXPECT_EQ(constraint_name(PlanConstraint::SharedCapacity), "shared_capacity");
  EXPECT_EQ(constraint_name(PlanConstraint::ScoreNotFinite), "score_not_finite");
  EXPECT_EQ(constraint_name(PlanConstraint::NoReference), "no_reference");
  EXPECT_EQ(reference_kind_name(ReferenceKind::None), "none");
  EXPECT_EQ(reference_kind_name(ReferenceKind::OneAtom), "one_atom");
  EXPECT_EQ(reference_kind_name(ReferenceKind::Scalar), "scalar");
}

}  // namespace
}  // namespace tilewright::plan::solver_reports_test
