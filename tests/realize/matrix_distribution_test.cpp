// The verifier of matrix distributions: each way to be refused, and the legal neighbour of it.
#include "realize/matrix_distribution.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilewright::realize::matrix_distribution_test {
namespace {

constexpr GroupShape kGroup{128, 32};

MatrixWorkload workload_of(AtomFamily family) {
  return {.family = family,
          .rows = 32,
          .columns = 64,
          .contraction = 32,
          .executions = 32,
          .accumulator_iterations = 32,
          .has_direct_output = true};
}

MatrixDistribution rectangle(AtomFamily family) {
  return {.family = family,
          .subgroups_m = 1,
          .subgroups_n = 4,
          .atom_rows = 4,
          .atom_columns = 2,
          .persistent_accumulator = true,
          .direct_accumulator_store = true};
}

constexpr AtomFamily kBoth[] = {AtomFamily::Simdgroup8x8, AtomFamily::MetalMpp};

void expect_legal(const MatrixWorkload& workload, const MatrixDistribution& distribution,
                  const GroupShape& group = kGroup, std::int64_t budget = 64) {
  const auto refusal = why_illegal(workload, distribution, group, budget);
  EXPECT_FALSE(refusal) << refusal_text(*refusal);
}

void expect_refused(MatrixConstraint constraint, const MatrixWorkload& workload, const MatrixDistribution& distribution,
                    std::string_view numbers, const GroupShape& group = kGroup, std::int64_t budget = 64) {
  const auto refusal = why_illegal(workload, distribution, group, budget);
  ASSERT_TRUE(refusal) << constraint_name(constraint);
  EXPECT_EQ(constraint_name(refusal->constraint()), constraint_name(constraint));
  EXPECT_EQ(refusal_text(*refusal), std::string(constraint_name(constraint)) + ": " +
                                        std::string(constraint_rule(constraint)) + std::string(numbers));
}

TEST(MatrixDistribution, TheExampleIsLegal) {
  for (const AtomFamily family : kBoth) expect_legal(workload_of(family), rectangle(family));
  expect_legal(workload_of(AtomFamily::Simdgroup8x8), {});
}

TEST(MatrixDistribution, WorkersAreCompleteSubgroupsOf32) {
  for (const AtomFamily family : kBoth) {
    const MatrixWorkload w = workload_of(family);
    for (const std::int64_t threads : {31, 127, 129, 16, 0, -32})
      expect_refused(MatrixConstraint::PartialSubgroup, w, rectangle(family),
                     " (threads " + std::to_string(threads) + ", subgroup_size 32)", {threads, 32});
    for (const std::int64_t size : {16, 64, 0})
      expect_refused(MatrixConstraint::SubgroupSize, w, rectangle(family),
                     " (subgroup_size " + std::to_string(size) + ", expected 32)", {128, size});
  }
}

TEST(MatrixDistribution, TheFamilyIsThatOfTheWorkload) {
  expect_refused(MatrixConstraint::Family, workload_of(AtomFamily::MetalMpp), rectangle(AtomFamily::Simdgroup8x8),
                 " (family 0, workload_family 1)");
}

TEST(MatrixDistribution, GridsUseEverySubgroupOnce) {
  for (const AtomFamily family : kBoth) {
    const MatrixWorkload w = workload_of(family);
    MatrixDistribution d = rectangle(family);
    d.subgroups_m = 0;
    expect_refused(MatrixConstraint::HalfZeroGrid, w, d, " (subgroups_m 0, subgroups_n 4)");
    d = rectangle(family);
    d.subgroups_n = 0;
    expect_refused(MatrixConstraint::HalfZeroGrid, w, d, " (subgroups_m 1, subgroups_n 0)");
    d = rectangle(family);
    d.subgroups_m = -1;
    d.subgroups_n = -4;
    expect_refused(MatrixConstraint::HalfZeroGrid, w, d, " (subgroups_m -1, subgroups_n -4)");
    d = rectangle(family);
    d.subgroups_m = 2;
    expect_refused(MatrixConstraint::GridCount, w, d, " (subgroups_m 2, subgroups_n 4, subgroups 4)");
    d.subgroups_m = INT64_MAX;
    expect_refused(MatrixConstraint::GridCount, w, d, " (subgroups_m 9223372036854775807, subgroups_n 4, subgroups 4)");
  }
  MatrixDistribution rest;
  rest.atom_rows = 4;
  expect_refused(MatrixConstraint::HalfZeroGrid, workload_of(AtomFamily::Simdgroup8x8), rest,
                 " (subgroups_m 0, subgroups_n 0, atom_rows 4, atom_columns 0)");
}

TEST(MatrixDistribution, LocalFactorsCoverTheAtomsExactly) {
  for (const AtomFamily family : kBoth) {
    const MatrixWorkload w = workload_of(family);
    for (const std::int64_t rows : {3, 5, 0, -4}) {
      MatrixDistribution d = rectangle(family);
      d.atom_rows = rows;
      expect_refused(MatrixConstraint::CoverageRows, w, d,
                     " (tile_atom_rows 4, subgroups_m 1, atom_rows " + std::to_string(rows) + ")");
    }
    for (const std::int64_t columns : {1, 3, 0, -2}) {
      MatrixDistribution d = rectangle(family);
      d.atom_columns = columns;
      expect_refused(MatrixConstraint::CoverageColumns, w, d,
                     " (tile_atom_columns 8, subgroups_n 4, atom_columns " + std::to_string(columns) + ")");
    }
  }
}

TEST(MatrixDistribution, OneAtomAtATimeIsOfTheReferenceFamily) {
  expect_refused(MatrixConstraint::OneAtomFamily, workload_of(AtomFamily::MetalMpp), {.family = AtomFamily::MetalMpp},
                 "");
}

TEST(MatrixDistribution, TensorOperationsHaveASideThatIsAMultipleOf16) {
  // 8 x 8 elements a subgroup.
  MatrixWorkload w{.family = AtomFamily::MetalMpp, .rows = 16, .columns = 16, .contraction = 16};
  MatrixDistribution d{
      .family = AtomFamily::MetalMpp, .subgroups_m = 2, .subgroups_n = 2, .atom_rows = 1, .atom_columns = 1};
  expect_refused(MatrixConstraint::OperationExtents, w, d, " (operation_rows 8, operation_columns 8)");
  w.rows = 48;  // 24 x 8
  d.atom_rows = 3;
  expect_refused(MatrixConstraint::OperationExtents, w, d, " (operation_rows 24, operation_columns 8)");
  w.columns = 32;  // 24 x 16
  d.atom_columns = 2;
  expect_legal(w, d);
  w.family = d.family = AtomFamily::Simdgroup8x8;
  w.rows = w.columns = 16;
  d.atom_rows = d.atom_columns = 1;
  expect_legal(w, d);
}

TEST(MatrixDistribution, BudgetsBelongToTheFamily) {
  // 32 x 64 elements a subgroup: 64 scalars of results, and 24 more of A and B in the reference family.
  for (const AtomFamily family : kBoth) {
    const MatrixWorkload w = workload_of(family);
    const MatrixDistribution d{.family = family, .subgroups_m = 1, .subgroups_n = 1, .atom_rows = 4, .atom_columns = 8};
    const std::int64_t needed = family == AtomFamily::MetalMpp ? 64 : 88;
    EXPECT_EQ(fragment_scalars_per_lane(w, d, {32}), needed);
    expect_legal(w, d, {32}, needed);
    expect_refused(MatrixConstraint::FragmentBudget, w, d,
                   " (fragment_scalars " + std::to_string(needed) + ", budget " + std::to_string(needed - 1) + ")",
                   {32}, needed - 1);
  }
  expect_legal(workload_of(AtomFamily::Simdgroup8x8), {}, kGroup, 6);
  expect_refused(MatrixConstraint::FragmentBudget, workload_of(AtomFamily::Simdgroup8x8), {},
                 " (fragment_scalars 6, budget 5)", kGroup, 5);
  const MatrixWorkload least{.family = AtomFamily::MetalMpp, .rows = 8, .columns = 16, .contraction = 16};
  const MatrixDistribution one{
      .family = AtomFamily::MetalMpp, .subgroups_m = 1, .subgroups_n = 1, .atom_rows = 1, .atom_columns = 2};
  expect_legal(least, one, {32}, 4);
  expect_refused(MatrixConstraint::FragmentBudget, least, one, " (fragment_scalars 4, budget 3)", {32}, 3);
  EXPECT_EQ(least_fragment_budget(AtomFamily::Simdgroup8x8), 6);
  EXPECT_EQ(least_fragment_budget(AtomFamily::MetalMpp), 4);
}

TEST(MatrixDistribution, StatesBeyond64BitsAreOverEveryBudget) {
  const std::int64_t huge = std::int64_t{1} << 58;
  const MatrixWorkload w{.rows = 8 * huge, .columns = 8 * 64, .contraction = 8};
  const MatrixDistribution d{.subgroups_m = 1, .subgroups_n = 1, .atom_rows = huge, .atom_columns = 64};
  expect_refused(MatrixConstraint::FragmentBudget, w, d,
                 " (fragment_scalars 9223372036854775807, budget 9223372036854775807)", {32}, INT64_MAX);
}

TEST(MatrixDistribution, ResidencyAndDirectOutputNeedTheirProofs) {
  for (const AtomFamily family : kBoth) {
    MatrixWorkload w = workload_of(family);
    MatrixDistribution d = rectangle(family);
    d.persistent_accumulator = false;
    expect_refused(MatrixConstraint::DirectResidency, w, d, "");
    w.has_direct_output = false;
    expect_refused(MatrixConstraint::DirectProof, w, rectangle(family), " (has_direct_output 0)");
    d = rectangle(family);
    d.direct_accumulator_store = false;
    expect_legal(w, d);
    w.accumulator_iterations = 0;
    expect_refused(MatrixConstraint::ResidencyRecurrence, w, d, " (accumulator_iterations 0)");
    d.persistent_accumulator = false;
    expect_legal(w, d);
  }
  MatrixDistribution one_atom;
  one_atom.persistent_accumulator = true;
  expect_refused(MatrixConstraint::ResidencyRectangle, workload_of(AtomFamily::Simdgroup8x8), one_atom, "");
}

TEST(MatrixDistribution, TheCollectiveIsOneOperationOfAllSubgroups) {
  const MatrixWorkload w = workload_of(AtomFamily::MetalMpp);
  const MatrixDistribution collective{.family = AtomFamily::MetalMpp,
                                      .scope = OperationScope::Group,
                                      .subgroups_m = 1,
                                      .subgroups_n = 1,
                                      .atom_rows = 4,
                                      .atom_columns = 8};
  expect_legal(w, collective);
  EXPECT_EQ(fragment_scalars_per_lane(w, collective, {128}), 16);
  EXPECT_EQ(fragment_scalars_per_lane(w, collective, {96}), 22);  // 21.3
  MatrixDistribution d = collective;
  d.subgroups_n = 4;
  d.atom_columns = 2;
  expect_refused(MatrixConstraint::CollectiveShape, w, d,
                 " (subgroups_m 1, subgroups_n 4, atom_rows 4, atom_columns 2)");
  expect_refused(MatrixConstraint::CollectiveSubgroups, w, collective, " (subgroups 1)", {32});
  expect_legal(w, collective, {64});
  d = collective;
  d.family = AtomFamily::Simdgroup8x8;
  expect_refused(MatrixConstraint::CollectiveFamily, workload_of(AtomFamily::Simdgroup8x8), d, "");
  MatrixWorkload odd = w;
  odd.rows = 24;
  odd.columns = 40;
  d = collective;
  d.atom_rows = 3;
  d.atom_columns = 5;
  expect_refused(MatrixConstraint::OperationExtents, odd, d, " (operation_rows 24, operation_columns 40)");
}

TEST(MatrixDistribution, ReleasedBytes) {
  MatrixWorkload w = workload_of(AtomFamily::Simdgroup8x8);
  w.epilogue_storage_bytes = 48;
  MatrixDistribution d = rectangle(AtomFamily::Simdgroup8x8);
  EXPECT_EQ(released_bytes(w, d), 8 * 32 * 64 + 48);
  d.direct_accumulator_store = false;
  EXPECT_EQ(released_bytes(w, d), 4 * 32 * 64);
  d.persistent_accumulator = false;
  EXPECT_EQ(released_bytes(w, d), 0);
}

TEST(MatrixDistribution, ConstraintsHaveDistinctNamesAndRules) {
  std::set<std::string_view> names, rules;
  for (std::size_t i = 0; i < kMatrixConstraints; ++i) {
    names.insert(constraint_name(static_cast<MatrixConstraint>(i)));
    rules.insert(constraint_rule(static_cast<MatrixConstraint>(i)));
  }
  EXPECT_EQ(names.size(), kMatrixConstraints);
  EXPECT_EQ(rules.size(), kMatrixConstraints);
}

TEST(MatrixDistribution, Texts) {
  EXPECT_EQ(distribution_text(rectangle(AtomFamily::MetalMpp)), "1x4 subgroups of 4x2 fragments, direct output");
  EXPECT_EQ(distribution_text({}), "one atom at a time");
  EXPECT_EQ(distribution_text({.scope = OperationScope::Group, .atom_rows = 4, .atom_columns = 8}),
            "one operation of the whole group on 4x8 fragments, shared accumulator");
}

}  // namespace
}  // namespace tilewright::realize::matrix_distribution_test
