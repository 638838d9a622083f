// Cost bases: the worked numbers of the specification, and laws that relate the versions.
#include "plan/cost_basis.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/plan_cases.h"
#include "realize/matrix_candidates.h"

namespace tilewright::plan::cost_basis_test {
namespace {

using realize::AtomFamily;
using realize::MatrixDistribution;
using realize::MatrixWorkload;

MatrixDistribution rectangle(AtomFamily family, std::int64_t gm, std::int64_t gn, std::int64_t rm, std::int64_t rn,
                             bool resident, bool direct) {
  return {.family = family,
          .subgroups_m = gm,
          .subgroups_n = gn,
          .atom_rows = rm,
          .atom_columns = rn,
          .persistent_accumulator = resident,
          .direct_accumulator_store = direct};
}

/// Program score of a group with this one distribution.
double program_score(const CostBasis& basis, const GroupWorkload& group, const MatrixDistribution& d,
                     std::int64_t subgroups) {
  const MatrixWorkload& matrix = group.matrices[0];
  EXPECT_FALSE(realize::why_illegal(matrix, d, {32 * subgroups}, 64));
  const double common =
      static_cast<double>(group.independent_elements - matrix.recurrence_elements - matrix.direct_output_elements);
  const double operation = basis.operation(matrix, d, subgroups, shipped_priors()).cost.score;
  return basis.program_score(operation, common, subgroups, shipped_priors());
}

/// The example, with nothing that a candidate could remove.
GroupWorkload without_removal() {
  GroupWorkload group = example_group();
  group.matrices[0].recurrence_elements = group.matrices[0].direct_output_elements = 0;
  return group;
}

TEST(CostBasis, ReferenceCountsOfThe32x64Example) {
  const MatrixWorkload matrix = example_group().matrices[0];
  const auto cost = [&](const MatrixDistribution& d) {
    return kSimdgroupReference.operation(matrix, d, 4, shipped_priors()).cost;
  };
  const PlanCost one = cost({});
  const PlanCost resident = cost(rectangle(AtomFamily::Simdgroup8x8, 1, 4, 4, 2, true, false));
  const PlanCost direct = cost(rectangle(AtomFamily::Simdgroup8x8, 1, 4, 4, 2, true, true));
  for (const PlanCost& c : {one, resident, direct}) {
    EXPECT_EQ(c.matrix_issues, 4096);
    EXPECT_EQ(c.nominal_matrix_issues, 4096);
    EXPECT_EQ(c.shared_fragment_transfers, c.input_fragment_transfers + c.accumulator_fragment_transfers);
  }
  EXPECT_EQ(one.input_fragment_transfers, 8192);
  EXPECT_EQ(resident.input_fragment_transfers, 3072);
  EXPECT_EQ(direct.input_fragment_transfers, 3072);
  EXPECT_EQ(one.accumulator_fragment_transfers, 2048);
  EXPECT_EQ(resident.accumulator_fragment_transfers, 64);
  EXPECT_EQ(direct.accumulator_fragment_transfers, 0);
  EXPECT_EQ(one.direct_fragment_stores, 0);
  EXPECT_EQ(resident.direct_fragment_stores, 0);
  EXPECT_EQ(direct.direct_fragment_stores, 32);
  EXPECT_EQ(one.fragment_scalars_per_lane, 6);
  EXPECT_EQ(resident.fragment_scalars_per_lane, 28);
  EXPECT_EQ(direct.fragment_scalars_per_lane, 28);
}

TEST(CostBasis, ReferenceScoresOfThe32x64Example) {
  const auto score = [](const GroupWorkload& group, const MatrixDistribution& d, std::int64_t subgroups) {
    return program_score(kSimdgroupReference, group, d, subgroups);
  };
  const auto narrow = [](bool direct) { return rectangle(AtomFamily::Simdgroup8x8, 1, 4, 4, 2, true, direct); };
  const auto wide = [](bool direct) { return rectangle(AtomFamily::Simdgroup8x8, 2, 4, 2, 2, true, direct); };
  EXPECT_EQ(score(example_group(), {}, 4), 25920);
  EXPECT_EQ(score(without_removal(), narrow(false), 4), 11712);
  EXPECT_EQ(score(example_group(), narrow(false), 4), 11200);
  EXPECT_EQ(score(example_group(), narrow(true), 4), 11104);
  EXPECT_EQ(score(without_removal(), wide(false), 8), 13792);
  EXPECT_EQ(score(example_group(), wide(false), 8), 13280);
  EXPECT_EQ(score(example_group(), wide(true), 8), 13184);
  EXPECT_EQ(kSimdgroupReference.waves(512, 4, shipped_priors()), 8);
  EXPECT_EQ(kSimdgroupReference.waves(64, 4, shipped_priors()), 1);
  EXPECT_EQ(kSimdgroupReference.waves(96, 4, shipped_priors()), 1.5);
}

TEST(CostBasis, PressureAndIdleSubgroups) {
  MatrixWorkload matrix = example_group().matrices[0];
  const OperationCost one = kSimdgroupReference.operation(
      matrix, rectangle(AtomFamily::Simdgroup8x8, 1, 2, 4, 4, true, true), 2, shipped_priors());
  EXPECT_EQ(one.cost.fragment_scalars_per_lane, 48);
  EXPECT_EQ(one.state_pressure, 1.5);
  EXPECT_EQ(one.parallel_factor, 2);
  EXPECT_EQ(one.cost.score, one.work * 3);
  // No more subgroups are missed than there are atoms.
  matrix.rows = 8;
  matrix.columns = 24;
  const OperationCost few = kSimdgroupReference.operation(
      matrix, rectangle(AtomFamily::Simdgroup8x8, 1, 1, 1, 3, true, true), 1, shipped_priors());
  EXPECT_EQ(few.parallel_factor, 3);
}

TEST(CostBasis, MppScoresOf64Programs) {
  struct Row {
    std::int64_t rows, columns, contraction;
    std::int64_t gm, gn;
    bool overwrites;
    double score;
  };
  const Row rows[] = {{64, 64, 512, 2, 2, true, 1632},
                      {128, 32, 512, 4, 1, true, 1633},
                      {64, 64, 1024, 2, 2, true, 3232},
                      {128, 32, 1024, 4, 1, true, 3225},
                      {64, 64, 1024, 2, 2, false, 3248}};
  for (const Row& row : rows) {
    const GroupWorkload group = mpp_group(row.rows, row.columns, row.contraction, 64, row.overwrites);
    const MatrixDistribution d =
        rectangle(AtomFamily::MetalMpp, row.gm, row.gn, row.rows / 8 / row.gm, row.columns / 8 / row.gn, true, true);
    EXPECT_EQ(program_score(kMetalMppMemoryV3, group, d, 4), row.score);
    EXPECT_EQ(program_score(kMetalMppMemoryV2, group, d, 4), row.score);
    EXPECT_EQ(program_score(kMetalMppMemoryV4, group, d, 4), row.score);
  }
  EXPECT_EQ(kMetalMppMemoryV3.waves(64, 4, shipped_priors()), 1);
  EXPECT_EQ(kMetalMppMemoryV3.waves(1024, 8, shipped_priors()), 16);
}

TEST(CostBasis, MppCountsOfOneOperation) {
  const MatrixWorkload matrix{.family = AtomFamily::MetalMpp,
                              .rows = 32,
                              .columns = 64,
                              .contraction = 16,
                              .executions = 6,
                              .accumulator_iterations = 3};
  const PlanCost cost =
      kMetalMppMemoryV3.operation(matrix, rectangle(AtomFamily::MetalMpp, 2, 1, 2, 8, true, false), 2, shipped_priors())
          .cost;
  EXPECT_EQ(cost.matrix_issues, 4 * 8 * 2 * 6);
  EXPECT_EQ(cost.metal_mpp_operations, 2 * 6);
  EXPECT_EQ(cost.memory_fragment_reads, 2 * 10 * 2 * 6);
  EXPECT_EQ(cost.lhs_footprint_fragments, 4 * 2 * 6);
  EXPECT_EQ(cost.rhs_footprint_fragments, 8 * 2 * 6);
  EXPECT_EQ(cost.accumulator_initializations, 32 * 2);
  EXPECT_EQ(cost.shared_fragment_transfers, 32 * 2);
  EXPECT_EQ(cost.direct_fragment_stores, 0);
  EXPECT_EQ(cost.tile_aspect_fragments, 32 * 6 * 1);
  EXPECT_EQ(cost.local_row_aspect_issues, 0);
  EXPECT_EQ(cost.local_column_aspect_issues, 384 * 3);
  EXPECT_EQ(cost.fragment_scalars_per_lane, 32);
  // 384 + 2*64 + 240 + .125*48 + .375*96 + 8*12 + 64 + .1875*192 + .125*1152 = 1134; over two subgroups.
  EXPECT_EQ(cost.score, 567);
}

TEST(CostBasis, OverwritingNeedsDirectOutputWhereThereIsARecurrence) {
  MatrixWorkload matrix = mpp_group(32, 32, 32, 1, true).matrices[0];
  const auto init = [&](bool direct) {
    return kMetalMppMemoryV3
        .operation(matrix, rectangle(AtomFamily::MetalMpp, 1, 1, 4, 4, matrix.has_recurrence(), direct), 1,
                   shipped_priors())
        .cost.accumulator_initializations;
  };
  EXPECT_EQ(init(true), 0);
  EXPECT_EQ(init(false), 16);
  matrix.accumulator_iterations = 0;
  matrix.has_direct_output = false;
  EXPECT_EQ(init(false), 0);
  matrix.overwrites_accumulator = false;
  EXPECT_EQ(init(false), 16);
}

/// 32x64 with three nominal steps of K = 16 over a physical K of 45.
MatrixWorkload partial_k() {
  return {.family = AtomFamily::MetalMpp,
          .rows = 32,
          .columns = 64,
          .contraction = 16,
          .executions = 3,
          .accumulator_iterations = 3,
          .has_direct_output = true,
          .mean_contraction = 15,
          .recurrence_elements = 6144,
          .direct_output_elements = 4096};
}

TEST(CostBasis, PhysicalKAndElidedElements) {
  const auto cost = [](const CostBasis& basis, bool resident, bool direct) {
    return basis
        .operation(partial_k(), rectangle(AtomFamily::MetalMpp, 1, 1, 4, 8, resident, direct), 1, shipped_priors())
        .cost;
  };
  const PlanCost direct = cost(kMetalMppMemoryV3, true, true);
  EXPECT_EQ(direct.nominal_matrix_issues, 192);
  EXPECT_EQ(direct.matrix_issues, 180);
  EXPECT_EQ(direct.elided_independent_elements, 10'240);
  EXPECT_EQ(direct.independent_elements, 0);
  const PlanCost resident = cost(kMetalMppMemoryV3, true, false);
  EXPECT_EQ(resident.elided_independent_elements, 6'144);
  EXPECT_EQ(resident.independent_elements, 4'096);
  EXPECT_EQ(cost(kMetalMppMemoryV3, false, false).independent_elements, 10'240);
  const PlanCost old = cost(kMetalMppMemoryV2, true, true);
  EXPECT_EQ(old.matrix_issues, 192);
  EXPECT_EQ(old.elided_independent_elements, 0);
  EXPECT_EQ(old.independent_elements, 10'240);
}

TEST(CostBasis, UnknownMeansAreNominal) {
  MatrixWorkload unknown = partial_k();
  unknown.mean_contraction = 0;
  MatrixWorkload nominal = partial_k();
  nominal.mean_contraction = 16;
  const MatrixDistribution d = rectangle(AtomFamily::MetalMpp, 2, 2, 2, 4, true, true);
  EXPECT_EQ(kMetalMppMemoryV3.operation(unknown, d, 4, shipped_priors()).cost,
            kMetalMppMemoryV3.operation(nominal, d, 4, shipped_priors()).cost);
}

TEST(CostBasis, V4EqualsV3WithoutEdgesAndRisesWithThem) {
  const MatrixDistribution d = rectangle(AtomFamily::MetalMpp, 2, 2, 2, 4, true, true);
  const auto score = [&](const CostBasis& basis, double rows, double columns) {
    MatrixWorkload w = partial_k();
    w.mean_rows = rows;
    w.mean_columns = columns;
    return basis.operation(w, d, 4, shipped_priors()).cost.score;
  };
  const double v3 = score(kMetalMppMemoryV3, 0, 0);
  for (const double rows : {0.0, 32.0})
    for (const double columns : {0.0, 64.0}) EXPECT_EQ(score(kMetalMppMemoryV4, rows, columns), v3);
  EXPECT_EQ(score(kMetalMppMemoryV3, 24, 16), v3);
  double above = v3;
  for (double rows = 31; rows >= 1; --rows) {
    const double next = score(kMetalMppMemoryV4, rows, 0);
    EXPECT_GT(next, above);
    above = next;
  }
  // 180 issues, a quarter of the rows and three quarters of the columns outside, each at 1/4, over four subgroups.
  EXPECT_EQ(score(kMetalMppMemoryV4, 24, 0) - v3, 180 * 0.25 * 0.25 / 4);
  EXPECT_EQ(score(kMetalMppMemoryV4, 0, 16) - v3, 180 * 0.75 * 0.25 / 4);
}

TEST(CostBasis, NamesFamiliesAndTerms) {
  std::set<std::string_view> names;
  for (const CostBasis* basis : cost_bases()) {
    EXPECT_TRUE(names.insert(basis->name).second);
    EXPECT_EQ(find_cost_basis(basis->name), basis);
    std::set<std::string_view> coefficients;
    for (const CostPriorRow& row : cost_prior_rows()) coefficients.insert(row.name);
    for (const CostTerm& term : basis->terms) {
      EXPECT_TRUE(coefficients.contains(term.coefficient)) << term.coefficient;
      EXPECT_NE(term.count, nullptr);
    }
    EXPECT_TRUE(coefficients.contains(basis->elements.coefficient));
    EXPECT_TRUE(coefficients.contains(basis->setup.coefficient));
  }
  EXPECT_EQ(find_cost_basis("auto"), nullptr);
  EXPECT_EQ(default_cost_basis(AtomFamily::Simdgroup8x8).name, "simdgroup_reference");
  EXPECT_EQ(default_cost_basis(AtomFamily::MetalMpp).name, "metal_mpp_memory_v3");
}

/// The rows of a report name the members that the basis prices.
TEST(CostBasis, FeatureAndCoefficientNamesAreThoseOfTheirTables) {
  for (const CostBasis* basis : cost_bases())
    for (const CostTerm& term : basis->terms) {
      PlanCost cost;
      cost.*term.count = 7;
      CostPriors priors;
      priors.*term.price = 3;
      int features = 0, coefficients = 0;
      for (const CostFeatureRow& row : cost_feature_rows())
        if (const auto* member = std::get_if<double PlanCost::*>(&row.member))
          if (cost.**member == 7) features += row.name == term.feature ? 1 : 100;
      for (const CostPriorRow& row : cost_prior_rows())
        if (const auto* member = std::get_if<double CostPriors::*>(&row.member))
          if (priors.**member == 3) coefficients += row.name == term.coefficient ? 1 : 100;
      EXPECT_EQ(features, 1) << term.feature;
      EXPECT_EQ(coefficients, 1) << term.coefficient;
    }
}

TEST(CostBasis, PricedTermsAddUpToTheWork) {
  for (const CostBasis* basis : cost_bases()) {
    MatrixWorkload w = partial_k();
    w.family = basis->family;
    const OperationCost operation =
        basis->operation(w, rectangle(basis->family, 2, 2, 2, 4, true, true), 4, shipped_priors());
    double work = 0;
    for (const PricedTerm& term : priced_terms(*basis, operation.cost, shipped_priors()))
      if (term.feature != "independent_elements") work += term.count * term.price;
    EXPECT_EQ(work, operation.work);
    const double elements = operation.cost.independent_elements * (shipped_priors().*basis->elements.price);
    const double factors = operation.state_pressure * operation.parallel_factor;
    const double shared = basis->family == AtomFamily::MetalMpp ? elements / 4 : elements;
    EXPECT_DOUBLE_EQ(operation.cost.score, operation.work * factors + shared) << basis->name;
  }
}

TEST(CostBasis, FeaturesOfAGroupAreSumsAndTheLargestState) {
  PlanCost group, a, b;
  a.matrix_issues = 3;
  a.fragment_scalars_per_lane = 20;
  a.score = 5;
  b.matrix_issues = 4;
  b.column_edge_issues = 2;
  b.fragment_scalars_per_lane = 12;
  add_features(group, a);
  add_features(group, b);
  EXPECT_EQ(group.matrix_issues, 7);
  EXPECT_EQ(group.column_edge_issues, 2);
  EXPECT_EQ(group.fragment_scalars_per_lane, 20);
  EXPECT_EQ(group.score, 0);
}

TEST(CostBasis, EveryCountIsSummed) {
  PlanCost group, one;
  double number = 1;
  for (const CostFeatureRow& row : cost_feature_rows())
    if (const auto* member = std::get_if<double PlanCost::*>(&row.member)) one.** member = number++;
  const PlanCost before = group;
  add_features(group, one);
  for (const CostFeatureRow& row : cost_feature_rows())
    if (const auto* member = std::get_if<double PlanCost::*>(&row.member)) {
      const bool is_score = row.name == "score" || row.name == "concurrent_waves" || row.name == "kernel_score";
      EXPECT_EQ(group.**member, is_score ? before.**member : one.**member) << row.name;
    }
}

}  // namespace
}  // namespace tilewright::plan::cost_basis_test
