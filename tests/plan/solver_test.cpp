// The solver: worked examples, capacity, budgets and inputs that are refused.
#include "plan/solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/plan_cases.h"

namespace tilewright::plan::solver_test {
namespace {

using realize::AtomFamily;
using realize::MatrixDistribution;
using realize::MatrixWorkload;

PlannerOptions forced(std::int64_t threads) { return options_with({{"threads_per_group", std::to_string(threads)}}); }

double kernel_score_at(const GroupWorkload& workload, std::int64_t threads) {
  return solved(workload, metal_limits(), forced(threads)).cost.kernel_score;
}

PlanConstraint refusal_of(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options) {
  const auto solution = solve(workload, limits, options);
  EXPECT_TRUE(solution) << render(solution.error());
  EXPECT_TRUE(solution->refusal);
  return solution->refusal->constraint;
}

TEST(Solver, The32x64ExampleTakes128Threads) {
  const GroupChoice choice = solved(example_group(), metal_limits(), shipped_options());
  EXPECT_TRUE(choice.optimized);
  EXPECT_EQ(choice.reference, ReferenceKind::None);
  EXPECT_EQ(choice.threads, 128);
  EXPECT_EQ(choice.cost_basis, "simdgroup_reference");
  EXPECT_EQ(choice.shared_memory_bytes, 12288);
  ASSERT_EQ(choice.matrices.size(), 1u);
  EXPECT_EQ(choice.matrices[0], (MatrixDistribution{.subgroups_m = 1,
                                                    .subgroups_n = 4,
                                                    .atom_rows = 4,
                                                    .atom_columns = 2,
                                                    .persistent_accumulator = true,
                                                    .direct_accumulator_store = true}));
  EXPECT_EQ(choice.cost.shared_fragment_transfers, 3072);
  EXPECT_EQ(choice.cost.direct_fragment_stores, 32);
  EXPECT_EQ(choice.cost.fragment_scalars_per_lane, 28);
  EXPECT_EQ(choice.cost.independent_elements, 98'304);
  EXPECT_EQ(choice.cost.elided_independent_elements, 69'632);
  EXPECT_EQ(choice.cost.score, 11104);
  EXPECT_EQ(choice.cost.concurrent_waves, 8);
  EXPECT_EQ(choice.cost.kernel_score, 88832);
}

TEST(Solver, TheExampleAtGivenWidthsAndOptions) {
  const auto score = [](std::int64_t threads, const GroupWorkload& workload, bool retain, bool direct) {
    PlannerOptions options = forced(threads);
    options.retain_accumulators = retain;
    options.direct_accumulator_store = direct;
    return solved(workload, metal_limits(), options);
  };
  GroupWorkload kept = example_group();
  kept.matrices[0].recurrence_elements = kept.matrices[0].direct_output_elements = 0;
  EXPECT_EQ(score(128, kept, true, false).cost.score, 11712);
  EXPECT_EQ(score(128, example_group(), true, false).cost.score, 11200);
  EXPECT_EQ(score(128, example_group(), true, true).cost.score, 11104);
  EXPECT_EQ(score(256, kept, true, false).cost.score, 13792);
  EXPECT_EQ(score(256, example_group(), true, false).cost.score, 13280);
  EXPECT_EQ(score(256, example_group(), true, true).cost.score, 13184);
  EXPECT_EQ(score(128, example_group(), true, false).shared_memory_bytes, 20 * 1024);
  EXPECT_EQ(score(128, example_group(), false, false).shared_memory_bytes, 28 * 1024);
  EXPECT_EQ(score(128, example_group(), false, true).shared_memory_bytes, 28 * 1024);
  EXPECT_EQ(score(128, example_group(), false, true).cost.direct_fragment_stores, 0);
}

TEST(Solver, MppPreferencesCrossOverWithK) {
  const auto score = [](std::int64_t rows, std::int64_t columns, std::int64_t contraction, std::int64_t threads) {
    return solved(mpp_group(rows, columns, contraction, 64, true), metal_limits(), forced(threads)).cost.kernel_score;
  };
  EXPECT_EQ(score(64, 64, 512, 128), 1632);
  EXPECT_EQ(score(128, 32, 512, 128), 1633);
  EXPECT_EQ(score(64, 64, 1024, 128), 3232);
  EXPECT_EQ(score(128, 32, 1024, 128), 3225);
  EXPECT_EQ(solved(mpp_group(64, 64, 1024, 64, false), metal_limits(), forced(128)).cost.kernel_score, 3248);
  const auto automatic = [&](std::int64_t rows, std::int64_t columns, std::int64_t contraction) {
    const GroupChoice choice =
        solved(mpp_group(rows, columns, contraction, 64, true), metal_limits(), shipped_options());
    EXPECT_EQ(choice.threads, 256);
    EXPECT_EQ(choice.cost_basis, "metal_mpp_memory_v3");
    return choice.cost.kernel_score;
  };
  EXPECT_EQ(automatic(64, 64, 512), 1016);
  EXPECT_EQ(automatic(128, 32, 512), 1016.5);
  EXPECT_EQ(automatic(64, 64, 1024), 2008);
  EXPECT_EQ(automatic(128, 32, 1024), 2004.5);
}

TEST(Solver, MppPreferencesFlipWithTheNumberOfPrograms) {
  const auto group = [](std::int64_t programs) {
    GroupWorkload workload = mpp_group(32, 32, 32, programs, true);
    workload.independent_elements = 1024;
    return workload;
  };
  EXPECT_EQ(kernel_score_at(group(1), 64), 104);
  EXPECT_EQ(kernel_score_at(group(1), 256), 44);
  EXPECT_EQ(kernel_score_at(group(1024), 64), 416);
  EXPECT_EQ(kernel_score_at(group(1024), 256), 704);
  const GroupChoice choice = solved(group(1024), metal_limits(), shipped_options());
  EXPECT_EQ(choice.threads, 32);
  EXPECT_EQ(choice.cost.kernel_score, 336);
}

TEST(Solver, TheDescriptorRuleLimitsTheWidth) {
  const GroupWorkload workload = mpp_group(32, 16, 64, 1, true);
  EXPECT_LT(solved(workload, metal_limits(), shipped_options()).threads, 256);
  const auto solution = solve(workload, metal_limits(), forced(256));
  ASSERT_TRUE(solution && solution->refusal);
  EXPECT_EQ(solution->refusal->constraint, PlanConstraint::NoLegalMapping);
  EXPECT_EQ(refusal_diag(*solution->refusal).code, DiagCode::PlanNoMapping);
  EXPECT_EQ(refusal_text(*solution->refusal), "matrix operation 0 has no legal mapping onto 256 threads");
  const GroupWorkload atom = mpp_group(8, 8, 16, 1, true);
  EXPECT_EQ(refusal_of(atom, metal_limits(), shipped_options()), PlanConstraint::NoLegalMapping);
}

TEST(Solver, AutomaticIsNeverWorseThanAnyForcedWidth) {
  for (const AtomFamily family : {AtomFamily::Simdgroup8x8, AtomFamily::MetalMpp})
    for (const std::int64_t rows : {8, 16, 24, 32, 64})
      for (const std::int64_t columns : {8, 16, 24, 32, 64})
        for (const std::int64_t programs : {1, 100, 5000}) {
          GroupWorkload workload = mpp_group(rows, columns, 32, programs, false);
          workload.matrices[0].family = family;
          workload.independent_elements = 5 * rows * columns;
          const auto automatic = solve(workload, metal_limits(), shipped_options());
          ASSERT_TRUE(automatic);
          bool some = false;
          for (std::int64_t threads = 32; threads <= 256; threads += 32) {
            const auto exact = solve(workload, metal_limits(), forced(threads));
            ASSERT_TRUE(exact);
            if (!exact->choice) continue;
            some = true;
            ASSERT_TRUE(automatic->choice);
            EXPECT_LE(automatic->choice->cost.kernel_score, exact->choice->cost.kernel_score);
            if (threads == automatic->choice->threads) {
              EXPECT_EQ(*automatic->choice, [&] {
                GroupChoice same = *exact->choice;
                same.why = automatic->choice->why;
                return same;
              }());
            }
          }
          EXPECT_EQ(some, automatic->choice.has_value());
        }
}

TEST(Solver, StorageIsComparedByteByByte) {
  for (const std::int64_t needed : {12'288, 20'480, 28'672}) {
    PlannerOptions options = shipped_options();
    options.retain_accumulators = needed < 28'672;
    options.direct_accumulator_store = needed < 20'480;
    Limits limits = metal_limits();
    limits.shared_memory_bytes = needed;
    EXPECT_EQ(solved(example_group(), limits, options).shared_memory_bytes, needed);
    --limits.shared_memory_bytes;
    const auto solution = solve(example_group(), limits, options);
    ASSERT_TRUE(solution && solution->refusal);
    EXPECT_EQ(solution->refusal->constraint, PlanConstraint::SharedCapacity);
    EXPECT_EQ(refusal_diag(*solution->refusal).code, DiagCode::PlanSharedCapacity);
    EXPECT_NE(solution->refusal->text.find(std::to_string(needed)), std::string::npos) << solution->refusal->text;
    EXPECT_NE(solution->refusal->text.find(std::to_string(needed - 1)), std::string::npos);
  }
}

TEST(Solver, The32KiBLimitToTheByte) {
  GroupWorkload workload = example_group();
  workload.shared_memory_bytes = 32'768 + 16'384;
  EXPECT_EQ(solved(workload, metal_limits(), shipped_options()).shared_memory_bytes, 32'768);
  ++workload.shared_memory_bytes;
  EXPECT_EQ(refusal_of(workload, metal_limits(), shipped_options()), PlanConstraint::SharedCapacity);
}

TEST(Solver, StorageIsRoundedUpToTheGranuleBeforeItIsCompared) {
  GroupWorkload workload;
  workload.shared_memory_bytes = 140;  // 35 floats
  workload.max_independent_elements = 64;
  Limits limits{.max_threads = 256, .shared_memory_bytes = 144, .shared_granule_bytes = 16};
  EXPECT_EQ(solved(workload, limits, shipped_options()).shared_memory_bytes, 144);
  limits.shared_memory_bytes = 143;
  EXPECT_EQ(refusal_of(workload, limits, shipped_options()), PlanConstraint::SharedCapacity);
  limits.shared_granule_bytes = 1;
  EXPECT_EQ(solved(workload, limits, shipped_options()).shared_memory_bytes, 140);
  workload = example_group();
  workload.shared_memory_bytes += 1;
  limits = {.max_threads = 256, .shared_memory_bytes = 12'288 + 16, .shared_granule_bytes = 16};
  EXPECT_EQ(solved(workload, limits, shipped_options()).shared_memory_bytes, 12'304);
  --limits.shared_memory_bytes;
  EXPECT_EQ(refusal_of(workload, limits, shipped_options()), PlanConstraint::SharedCapacity);
}

/// Coefficients with which residency is the slower choice: fragments are dear, transfers free.
PlannerOptions residency_is_slower() {
  return options_with({{"cost.shared_fragment_transfer", "0"}, {"cost.preferred_fragment_scalars_per_lane", "6"}});
}

TEST(Solver, TheSlowerResidentChoiceIsTakenWhereOnlyItFits) {
  GroupWorkload workload = example_group();
  workload.matrices[0].has_direct_output = false;
  workload.matrices[0].direct_output_elements = workload.matrices[0].recurrence_elements = 0;
  Limits limits = metal_limits();
  const GroupChoice roomy = solved(workload, limits, residency_is_slower());
  EXPECT_TRUE(roomy.matrices[0].is_one_atom());
  limits.shared_memory_bytes = 20 * 1024;
  const GroupChoice tight = solved(workload, limits, residency_is_slower());
  EXPECT_TRUE(tight.matrices[0].persistent_accumulator);
  EXPECT_GT(tight.cost.kernel_score, roomy.cost.kernel_score);
  PlannerOptions without = residency_is_slower();
  without.retain_accumulators = false;
  EXPECT_EQ(refusal_of(workload, limits, without), PlanConstraint::SharedCapacity);
}

TEST(Solver, TwoOperationsShareOneCapacity) {
  GroupWorkload workload = example_group();
  workload.matrices[0].has_direct_output = false;
  workload.matrices[0].direct_output_elements = workload.matrices[0].recurrence_elements = 0;
  workload.matrices.push_back(workload.matrices[0]);
  workload.matrices[1].contraction = 8;  // the cheaper one to slow down
  workload.shared_memory_bytes = 40 * 1024;
  const auto resident = [&](std::int64_t limit) {
    Limits limits = metal_limits();
    limits.shared_memory_bytes = limit;
    const GroupChoice choice = solved(workload, limits, residency_is_slower());
    return std::pair(choice.matrices[0].persistent_accumulator, choice.matrices[1].persistent_accumulator);
  };
  EXPECT_EQ(resident(40 * 1024), std::pair(false, false));
  EXPECT_EQ(resident(40 * 1024 - 1), std::pair(false, true));
  EXPECT_EQ(resident(32 * 1024), std::pair(false, true));
  EXPECT_EQ(resident(32 * 1024 - 1), std::pair(true, true));
  EXPECT_EQ(resident(24 * 1024), std::pair(true, true));
  Limits limits = metal_limits();
  limits.shared_memory_bytes = 24 * 1024 - 1;
  EXPECT_EQ(refusal_of(workload, limits, residency_is_slower()), PlanConstraint::SharedCapacity);
}

TEST(Solver, AnEpilogueReleasesItsBytesAndKeepsItsElements) {
  GroupWorkload workload = example_group();
  workload.matrices[0].epilogue_storage_bytes = 8192;
  workload.shared_memory_bytes += 8192;
  const GroupChoice choice = solved(workload, metal_limits(), shipped_options());
  EXPECT_EQ(choice.shared_memory_bytes, 12 * 1024);
  EXPECT_EQ(choice.cost.score, 11104);
  workload.independent_elements += 2048;
  EXPECT_EQ(solved(workload, metal_limits(), shipped_options()).cost.score, 11104 + 2048 / 128);
}

TEST(Solver, TheRemovedWorkDecides) {
  // Elements that only a rectangle removes: priced before the choice, they outweigh its dearer fragments.
  GroupWorkload workload = example_group();
  workload.matrices[0].has_direct_output = false;
  workload.matrices[0].direct_output_elements = 0;
  PlannerOptions options = residency_is_slower();
  workload.matrices[0].recurrence_elements = 0;
  EXPECT_TRUE(solved(workload, metal_limits(), options).matrices[0].is_one_atom());
  workload.independent_elements = 1 << 24;
  workload.matrices[0].recurrence_elements = 1 << 24;
  EXPECT_TRUE(solved(workload, metal_limits(), options).matrices[0].persistent_accumulator);
}

TEST(Solver, ASpaceOverBudgetIsRefusedAndNeverCut) {
  Limits limits = metal_limits();
  limits.max_threads = 1056;
  expect_code(solve(example_group(), limits, shipped_options()), DiagCode::SearchBudget,
              {"33 widths", "max_thread_candidates allows 32", "threads_per_group"});
  EXPECT_TRUE(solve(example_group(), limits, options_with({{"max_thread_candidates", "33"}})));
  limits.max_threads = 1055;
  EXPECT_TRUE(solve(example_group(), limits, shipped_options()));
  limits.max_threads = INT64_MAX;
  expect_code(solve(example_group(), limits, shipped_options()), DiagCode::SearchBudget, {"288230376151711743 widths"});
  EXPECT_EQ(solved(example_group(), limits, forced(32)).threads, 32);
  const std::int64_t wide = std::int64_t{1} << 29;
  const GroupChoice choice = solved(example_group(), limits, forced(wide));
  EXPECT_EQ(choice.threads, wide);
  EXPECT_TRUE(choice.matrices[0].is_one_atom());
  expect_code(solve(example_group(), metal_limits(), options_with({{"max_thread_candidates", "7"}})),
              DiagCode::SearchBudget, {"8 widths"});
}

TEST(Solver, ALargeFrontierIsRefusedAndNeverCut) {
  // Each operation may be resident or not, and every subset has its own storage: 2^20 states.
  GroupWorkload workload;
  for (std::int64_t i = 0; i < 20; ++i)
    workload.matrices.push_back(
        {.rows = std::int64_t{16} << i, .columns = 8, .contraction = 8, .executions = 2, .accumulator_iterations = 2});
  workload.shared_memory_bytes = std::int64_t{1} << 40;
  Limits limits{.max_threads = 32, .shared_memory_bytes = std::int64_t{1} << 40};
  PlannerOptions options = residency_is_slower();
  options.max_fragment_scalars_per_lane = INT64_MAX;
  expect_code(solve(workload, limits, options), DiagCode::SearchBudget, {"65536 states"});
  workload.matrices.resize(10);
  EXPECT_EQ(solve(workload, limits, options)->optimality.largest_frontier, 1024u);
}

TEST(Solver, ExactWidthsBeyondTheTargetAreRefused) {
  expect_code(solve(example_group(), metal_limits(), forced(257)), DiagCode::ThreadLimit, {"256", "257"});
  Limits limits = metal_limits();
  limits.max_threads = 512;
  EXPECT_EQ(solved(example_group(), limits, forced(512)).threads, 512);
  limits.max_threads = 896;
  expect_code(solve(example_group(), limits, forced(1024)), DiagCode::ThreadLimit, {"896", "1024"});
  EXPECT_EQ(solve(example_group(), limits, shipped_options())->widths.size(), 28u);
}

TEST(Solver, InputsThatAreNoneAreRefused) {
  const auto refused = [](DiagCode code, void (*edit)(MatrixWorkload&)) {
    GroupWorkload workload = example_group();
    edit(workload.matrices[0]);
    expect_code(solve(workload, metal_limits(), shipped_options()), code, {"matrix 0"});
  };
  refused(DiagCode::WorkloadExtent, [](MatrixWorkload& w) { w.rows = 31; });
  refused(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_contraction = -1; });
  refused(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_contraction = 33; });
  refused(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_contraction = std::nan(""); });
  refused(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_contraction = INFINITY; });
  refused(DiagCode::GroupElements, [](MatrixWorkload& w) { w.recurrence_elements = INT64_MAX; });
  refused(DiagCode::WorkloadStorage, [](MatrixWorkload& w) { w.epilogue_storage_bytes = INT64_MAX; });
  Limits limits = metal_limits();
  limits.subgroup_size = 16;
  expect_code(solve(example_group(), limits, shipped_options()), DiagCode::LimitsInvalid, {"subgroup_size", "16"});
}

TEST(Solver, BadCoefficientsAreRefusedWhicheverBasisIsUsed) {
  PlannerOptions options = shipped_options();
  options.cost.metal_mpp_tile_aspect = -1;
  expect_code(solve(example_group(), metal_limits(), options), DiagCode::CoefficientNegative,
              {"metal_mpp_tile_aspect"});
  options = shipped_options();
  options.cost.preferred_subgroups = 0;
  expect_code(solve(mpp_group(32, 32, 32, 1, true), metal_limits(), options), DiagCode::CoefficientNotPositive,
              {"preferred_subgroups"});
  options = shipped_options();
  options.cost.independent_element = std::nan("");
  options.enabled = false;
  expect_code(solve(GroupWorkload{}, metal_limits(), options), DiagCode::CoefficientNotFinite, {"independent_element"});
  EXPECT_FALSE(solve(example_group(), metal_limits(), PlannerOptions{}));
}

TEST(Solver, ScoresBeyondTheDoublesAreRefused) {
  PlannerOptions options = shipped_options();
  options.cost.matrix_issue = 1e308;
  const auto solution = solve(example_group(), metal_limits(), options);
  ASSERT_TRUE(solution && solution->refusal);
  EXPECT_EQ(solution->refusal->constraint, PlanConstraint::ScoreNotFinite);
  EXPECT_EQ(refusal_diag(*solution->refusal).code, DiagCode::PlanScore);
  // The program's score is finite, its product with the waves is not.
  options.cost.matrix_issue = 1e304;
  EXPECT_EQ(refusal_of(example_group(), metal_limits(), options), PlanConstraint::ScoreNotFinite);
  GroupWorkload few = example_group();
  few.programs = 1;
  EXPECT_TRUE(std::isfinite(solved(few, metal_limits(), options).cost.kernel_score));
}

class CountingPolicy : public CostPolicy {
 public:
  explicit CountingPolicy(double factor) : factor_(factor) {}

  Result<CostPriors> coefficients(const CostPriors& prior, const CostQuestion& question) const override {
    ++calls;
    basis = question.basis;
    CostPriors changed = prior;
    changed.version = "measured";
    changed.matrix_issue *= factor_;
    return changed;
  }

  mutable int calls = 0;
  mutable std::string basis;

 private:
  double factor_;
};

TEST(Solver, ThePolicyIsAskedOnceAndThePriorStays) {
  const CountingPolicy policy(2);
  PlannerOptions options = shipped_options();
  options.cost_policy = &policy;
  const PlannerOptions before = options;
  const GroupChoice choice = solved(example_group(), metal_limits(), options);
  EXPECT_EQ(policy.calls, 1);
  EXPECT_EQ(policy.basis, "simdgroup_reference");
  EXPECT_EQ(options, before);
  PlannerOptions twice = shipped_options();
  twice.cost.matrix_issue = 2;
  EXPECT_EQ(choice, solved(example_group(), metal_limits(), twice));
  const CountingPolicy broken(-1);
  options.cost_policy = &broken;
  expect_code(solve(example_group(), metal_limits(), options), DiagCode::CoefficientNegative, {"matrix_issue"});
  EXPECT_EQ(broken.calls, 1);
}

TEST(Solver, TheSolverIsAPureFunction) {
  const auto a = solve(example_group(), metal_limits(), shipped_options());
  const auto b = solve(example_group(), metal_limits(), shipped_options());
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
}

TEST(Solver, TiesTakeTheNarrowerGroupAndTheSmallerGrid) {
  PlannerOptions free = shipped_options();
  for (const CostPriorRow& row : cost_prior_rows())
    if (const auto* member = std::get_if<double CostPriors::*>(&row.member)) free.cost.** member = 0;
  const GroupChoice choice = solved(mpp_group(64, 64, 64, 1, true), metal_limits(), free);
  EXPECT_EQ(choice.cost.kernel_score, 0);
  EXPECT_EQ(choice.threads, 64);  // 64 x 64 on one subgroup is over the budget
  EXPECT_EQ(choice.matrices[0].subgroups_m, 1);
  EXPECT_TRUE(solved(example_group(), metal_limits(), free).matrices[0].is_one_atom());  // 32 threads
  // At equal scores and widths less storage comes before the order of the candidates.
  free.threads_per_group = 64;
  const GroupChoice reference = solved(example_group(), metal_limits(), free);
  EXPECT_EQ(reference.shared_memory_bytes, 12 * 1024);
  EXPECT_EQ(reference.matrices[0].subgroups_m, 1);
}

}  // namespace
}  // namespace tilewright::plan::solver_test
