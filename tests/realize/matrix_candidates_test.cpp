// Enumeration of matrix candidates: complete, in order, and every legal one computes every atom exactly once.
#include "realize/matrix_candidates.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace tilewright::realize::matrix_candidates_test {
namespace {

constexpr std::int64_t kExtents[] = {8, 16, 24, 32, 64};

MatrixWorkload workload_of(AtomFamily family, std::int64_t rows, std::int64_t columns) {
  return {.family = family,
          .rows = rows,
          .columns = columns,
          .contraction = 32,
          .executions = 4,
          .accumulator_iterations = 4,
          .has_direct_output = true};
}

/// How often each atom is computed when every subgroup does its part.
std::map<std::pair<std::int64_t, std::int64_t>, int> computed_atoms(const MatrixWorkload& workload,
                                                                    const MatrixDistribution& d,
                                                                    std::int64_t subgroups) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> times;
  const std::int64_t columns = workload.columns / 8;
  const std::int64_t atoms = workload.rows / 8 * columns;
  for (std::int64_t subgroup = 0; subgroup < subgroups; ++subgroup) {
    if (d.is_one_atom())
      for (std::int64_t atom = subgroup; atom < atoms; atom += subgroups) ++times[{atom / columns, atom % columns}];
    else
      for (std::int64_t i = 0; i < d.atom_rows; ++i)
        for (std::int64_t j = 0; j < d.atom_columns; ++j)
          ++times[{subgroup / d.subgroups_n * d.atom_rows + i, subgroup % d.subgroups_n * d.atom_columns + j}];
  }
  return times;
}

TEST(MatrixCandidates, Divisors) {
  for (std::int64_t value = 1; value <= 400; ++value) {
    std::vector<std::int64_t> expected;
    for (std::int64_t d = 1; d <= value; ++d)
      if (value % d == 0) expected.push_back(d);
    EXPECT_EQ(divisors(value), expected);
  }
  EXPECT_EQ(divisors(std::int64_t{1} << 40).size(), 41u);
  EXPECT_EQ(divisors(999'999'000'001).back(), 999'999'000'001);
}

TEST(MatrixCandidates, EveryLegalOneComputesEveryAtomOnce) {
  int legal = 0;
  for (const AtomFamily family : {AtomFamily::Simdgroup8x8, AtomFamily::MetalMpp})
    for (const std::int64_t rows : kExtents)
      for (const std::int64_t columns : kExtents)
        for (std::int64_t subgroups = 1; subgroups <= 8; ++subgroups) {
          const MatrixWorkload workload = workload_of(family, rows, columns);
          for (const auto& [d, refusal] : matrix_candidates(workload, {.group = {32 * subgroups}})) {
            if (refusal) continue;
            ++legal;
            const auto times = computed_atoms(workload, d, subgroups);
            ASSERT_EQ(times.size(), static_cast<std::size_t>(rows / 8 * (columns / 8))) << distribution_text(d);
            for (const auto& [atom, count] : times) {
              ASSERT_EQ(count, 1) << distribution_text(d);
              ASSERT_TRUE(atom.first < rows / 8 && atom.second < columns / 8);
            }
          }
        }
  EXPECT_GT(legal, 300);
}

TEST(MatrixCandidates, TheListIsCompleteAndInOrder) {
  for (const AtomFamily family : {AtomFamily::Simdgroup8x8, AtomFamily::MetalMpp})
    for (std::int64_t subgroups = 1; subgroups <= 32; ++subgroups) {
      const MatrixWorkload workload = workload_of(family, 48, 64);
      const auto candidates = matrix_candidates(workload, {.group = {32 * subgroups}});
      const auto factors = divisors(subgroups);
      ASSERT_EQ(candidates.size(), factors.size() + 1);
      EXPECT_TRUE(candidates[0].distribution.is_one_atom());
      EXPECT_EQ(candidates[0].refusal.has_value(), family == AtomFamily::MetalMpp);
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const MatrixDistribution& d = candidates[i + 1].distribution;
        EXPECT_EQ(d.subgroups_m, factors[i]);
        EXPECT_EQ(d.subgroups_m * d.subgroups_n, subgroups);
        const bool covers = 6 % d.subgroups_m == 0 && 8 % d.subgroups_n == 0;
        const auto& refusal = candidates[i + 1].refusal;
        const bool coverage = refusal && (refusal->constraint() == MatrixConstraint::CoverageRows ||
                                          refusal->constraint() == MatrixConstraint::CoverageColumns);
        EXPECT_EQ(coverage, !covers) << subgroups << " by " << d.subgroups_m;
      }
    }
}

TEST(MatrixCandidates, AccumulatorsStayAsLongAsFactsAndRequestAllow) {
  for (const bool recurrence : {false, true})
    for (const bool proved : {false, true})
      for (const bool retain : {false, true})
        for (const bool direct : {false, true}) {
          if (proved && !recurrence) continue;
          MatrixWorkload workload = workload_of(AtomFamily::MetalMpp, 32, 32);
          workload.accumulator_iterations = recurrence ? 4 : 0;
          workload.has_direct_output = proved;
          const CandidateRequest request{
              .group = {64}, .retain_accumulators = retain, .direct_accumulator_store = direct};
          const auto candidates = matrix_candidates(workload, request);
          ASSERT_EQ(candidates.size(), 3u);
          for (const MatrixDistribution& d :
               {candidates[1].distribution, collective_candidate(workload, request).distribution}) {
            EXPECT_EQ(d.persistent_accumulator, recurrence && retain);
            EXPECT_EQ(d.direct_accumulator_store, recurrence && retain && proved && direct);
          }
          EXPECT_FALSE(candidates[0].distribution.persistent_accumulator);
        }
}

TEST(MatrixCandidates, PartialSubgroupsHaveNoRectangles) {
  const auto candidates = matrix_candidates(workload_of(AtomFamily::Simdgroup8x8, 32, 32), {.group = {48}});
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].refusal->constraint(), MatrixConstraint::PartialSubgroup);
}

TEST(MatrixCandidates, The8x8TensorOperationIsRefusedByItsRule) {
  const auto candidates = matrix_candidates(workload_of(AtomFamily::MetalMpp, 8, 8), {.group = {32}});
  ASSERT_EQ(candidates.size(), 2u);
  ASSERT_TRUE(candidates[1].refusal);
  EXPECT_EQ(refusal_text(*candidates[1].refusal),
            "operation_extents: rows and columns of a tensor operation are multiples of 8, and one of them of 16 "
            "(operation_rows 8, operation_columns 8)");
}

TEST(MatrixCandidates, TheDescriptorRuleLimitsTheWidthOf32x16) {
  const MatrixWorkload workload = workload_of(AtomFamily::MetalMpp, 32, 16);
  const auto legal = [&](std::int64_t threads) {
    int count = 0;
    for (const auto& candidate : matrix_candidates(workload, {.group = {threads}})) count += candidate.refusal ? 0 : 1;
    return count;
  };
  EXPECT_EQ(legal(256), 0);
  EXPECT_GT(legal(128), 0);
}

TEST(MatrixCandidates, TheCollectiveIsJudgedLikeTheOthers) {
  const MatrixWorkload workload = workload_of(AtomFamily::MetalMpp, 64, 64);
  EXPECT_FALSE(collective_candidate(workload, {.group = {128}}).refusal);
  const auto small = collective_candidate(workload, {.group = {64}, .max_fragment_scalars_per_lane = 63}).refusal;
  ASSERT_TRUE(small);
  EXPECT_EQ(small->constraint(), MatrixConstraint::FragmentBudget);
}

}  // namespace
}  // namespace tilewright::realize::matrix_candidates_test
