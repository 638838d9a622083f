// The solver against all plans, on random small groups: choice, ranking and the number of combinations.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "plan/exhaustive.h"
#include "plan/plan_cases.h"
#include "proof/case_random.h"

namespace tilewright::plan::solver_exhaustive_test {
namespace {

using proof::CaseRandom;
using realize::AtomFamily;
using realize::MatrixWorkload;

struct GroupCase {
  GroupWorkload workload;
  Limits limits;
  PlannerOptions options;
};

template <class T>
T one_of(CaseRandom& random, std::initializer_list<T> values) {
  return values.begin()[random.number(0, static_cast<std::int64_t>(values.size()) - 1)];
}

MatrixWorkload random_matrix(CaseRandom& random, AtomFamily family) {
  MatrixWorkload w{.family = family};
  w.rows = one_of<std::int64_t>(random, {8, 16, 24, 32, 48, 64});
  w.columns = one_of<std::int64_t>(random, {8, 16, 24, 32, 48, 64});
  w.contraction = one_of<std::int64_t>(random, {8, 16, 32, 64});
  w.executions = one_of<std::int64_t>(random, {1, 2, 4, 6});
  if (random.chance(4, 5)) w.accumulator_iterations = random.chance(1, 2) ? w.executions : 1;
  w.has_direct_output = w.has_recurrence() && random.chance(1, 2);
  w.overwrites_accumulator = random.chance(1, 3);
  if (random.chance(1, 2)) w.mean_contraction = static_cast<double>(random.number(1, 4 * w.contraction)) / 4;
  if (random.chance(1, 2)) w.mean_rows = static_cast<double>(random.number(1, 4 * w.rows)) / 4;
  if (random.chance(1, 2)) w.mean_columns = static_cast<double>(random.number(1, 4 * w.columns)) / 4;
  if (w.has_recurrence() && random.chance(2, 3)) w.recurrence_elements = random.number(0, 4000);
  if (w.has_direct_output && random.chance(2, 3)) w.direct_output_elements = random.number(0, 4000);
  if (w.has_direct_output && random.chance(1, 3)) w.epilogue_storage_bytes = 4 * random.number(0, 300);
  return w;
}

/// Sums of these are exact, so that equal scores are equal.
double random_price(CaseRandom& random) {
  return one_of(random, {0.0, 0.0078125, 0.125, 0.25, 0.5, 1.0, 2.0, 3.0, 8.0});
}

CostPriors random_priors(CaseRandom& random) {
  CostPriors priors = shipped_priors();
  for (const CostPriorRow& row : cost_prior_rows())
    if (const auto* member = std::get_if<double CostPriors::*>(&row.member))
      if (random.chance(2, 3)) priors.** member = random_price(random);
  // Dear fragments make residency the slower choice, so that storage has a say.
  priors.preferred_fragment_scalars_per_lane = one_of<std::int64_t>(random, {1, 2, 4, 6});
  if (random.chance(1, 2)) priors.shared_fragment_transfer = one_of(random, {0.0, 0.125});
  priors.preferred_subgroups = one_of<std::int64_t>(random, {1, 2, 4, 6});
  priors.preferred_concurrent_programs = one_of<std::int64_t>(random, {1, 16, 64});
  priors.metal_mpp_concurrent_subgroups = one_of<std::int64_t>(random, {1, 64, 512});
  return priors;
}

std::int64_t most_released(const MatrixWorkload& w) {
  if (w.has_direct_output) return 8 * w.rows * w.columns + w.epilogue_storage_bytes;
  return w.has_recurrence() ? 4 * w.rows * w.columns : 0;
}

GroupCase random_case(CaseRandom& random) {
  GroupCase c;
  const bool mpp = random.chance(1, 4);
  for (std::int64_t i = random.number(1, 3); i > 0; --i)
    c.workload.matrices.push_back(random_matrix(random, mpp ? AtomFamily::MetalMpp : AtomFamily::Simdgroup8x8));
  if (random.chance(1, 4)) c.workload.matrices.back() = c.workload.matrices.front();
  c.workload.programs = one_of<std::int64_t>(random, {0, 1, 20, 64, 1000});
  c.workload.independent_elements = random.number(0, 5000);
  c.workload.shared_memory_bytes = 4 * random.number(0, 2000);
  for (const MatrixWorkload& w : c.workload.matrices) {
    c.workload.independent_elements += w.recurrence_elements + w.direct_output_elements;
    c.workload.shared_memory_bytes += most_released(w);
  }
  c.limits.max_threads = one_of<std::int64_t>(random, {32, 64, 96, 128, 192, 256, 287});
  c.limits.shared_granule_bytes = random.chance(1, 4) ? 16 : 1;
  c.limits.shared_memory_bytes = c.workload.shared_memory_bytes;
  for (const MatrixWorkload& w : c.workload.matrices)
    if (random.chance(2, 5)) c.limits.shared_memory_bytes -= most_released(w);
  c.limits.shared_memory_bytes =
      std::max<std::int64_t>(0, c.limits.shared_memory_bytes + one_of<std::int64_t>(random, {-1, 0, 0, 15, 512, 4096}));
  c.options.cost = random_priors(random);
  c.options.cost_basis = !mpp ? "simdgroup_reference"
                              : one_of(random, {"metal_mpp_memory_v2", "metal_mpp_memory_v3", "metal_mpp_memory_v4"});
  c.options.retain_accumulators = random.chance(15, 16);
  c.options.direct_accumulator_store = random.chance(15, 16);
  c.options.max_fragment_scalars_per_lane = one_of<std::int64_t>(random, {6, 28, 64, 1000, 1000});
  if (random.chance(1, 6)) c.options.threads_per_group = 32 * random.number(1, c.limits.max_threads / 32);
  return c;
}

/// The solution is what the list of all plans says.
void expect_equal(const Solution& solution, const ExhaustiveResult& all) {
  ASSERT_EQ(solution.choice.has_value(), !all.plans.empty());
  EXPECT_EQ(solution.optimality.combinations, all.combinations);
  EXPECT_EQ(solution.ranking.size(), std::min(all.plans.size(), kRankedPlans));
  for (std::size_t i = 0; i < solution.ranking.size(); ++i)
    EXPECT_EQ(solution.ranking[i], all.plans[i]) << "rank " << i;
  if (!solution.choice) return;
  EXPECT_EQ(solution.choice->threads, all.plans[0].threads);
  EXPECT_EQ(solution.choice->matrices, all.plans[0].matrices);
  EXPECT_EQ(solution.choice->shared_memory_bytes, all.plans[0].shared_memory_bytes);
  EXPECT_EQ(solution.choice->cost.kernel_score, all.plans[0].kernel_score);
  EXPECT_EQ(solution.optimality.runner_up.has_value(), all.plans.size() > 1);
}

int case_count() {
  const char* text = std::getenv("TILEWRIGHT_CASES");
  return text != nullptr ? std::atoi(text) : 5000;
}

TEST(SolverExhaustive, RandomGroupsEqualTheEnumeration) {
  constexpr std::uint64_t kSeed = 20'240'611;
  CaseRandom random(kSeed);
  int bound = 0, changed = 0, infeasible = 0, tied = 0, shared_wins = 0;
  const int cases = case_count();
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    const GroupCase c = random_case(random);
    const auto solution = solve(c.workload, c.limits, c.options);
    ASSERT_TRUE(solution) << render(solution.error());
    const ExhaustiveResult free = all_plans(c.workload, c.limits, c.options);
    const ExhaustiveResult all = fitting_plans(free, c.limits.shared_memory_bytes);
    expect_equal(*solution, all);
    if (HasFailure()) return;
    infeasible += all.plans.empty() ? 1 : 0;
    tied += all.plans.size() > 1 && all.plans[0].kernel_score == all.plans[1].kernel_score ? 1 : 0;
    if (free.plans.empty()) continue;
    const bool differs = !all.plans.empty() && all.plans[0] != free.plans[0];
    changed += differs ? 1 : 0;
    bound += all.plans.empty() || differs ? 1 : 0;
    shared_wins += differs && all.plans[0].threads == free.plans[0].threads ? 1 : 0;
  }
  std::cout << cases << " groups: " << bound << " bound by capacity (" << changed << " choose another plan, "
            << shared_wins << " of them at the same width), " << infeasible << " infeasible, " << tied
            << " with ties for the best\n";
  EXPECT_GE(10 * bound, 3 * cases);
  EXPECT_GE(10 * changed, cases);
  EXPECT_GE(20 * infeasible, cases);
  EXPECT_GE(20 * tied, cases);
}

/// Two operations whose scalar work is priced at 0, 0.1, 1 and 10, with storage that asks for 0, 1 or 2 residents.
TEST(SolverExhaustive, TwoOperationsUnderScalarPricesAndCapacities) {
  for (const double price : {0.0, 0.1, 1.0, 10.0})
    for (std::int64_t residents = 0; residents <= 2; ++residents)
      for (const std::int64_t elements : {0, 100, 3000}) {
        GroupWorkload workload{.independent_elements = 3 * elements + 500, .shared_memory_bytes = 2 * 8192 + 4096};
        for (const std::int64_t depth : {8, 32})
          workload.matrices.push_back({.rows = 32,
                                       .columns = 64,
                                       .contraction = depth,
                                       .executions = 4,
                                       .accumulator_iterations = 4,
                                       .recurrence_elements = depth == 8 ? elements : 2 * elements});
        const Limits limits{.max_threads = 256, .shared_memory_bytes = workload.shared_memory_bytes - 8192 * residents};
        PlannerOptions options = shipped_options();
        options.cost.independent_element = price;
        options.cost.shared_fragment_transfer = 0;
        options.cost.preferred_fragment_scalars_per_lane = 6;
        const auto solution = solve(workload, limits, options);
        ASSERT_TRUE(solution);
        expect_equal(*solution, fitting_plans(all_plans(workload, limits, options), limits.shared_memory_bytes));
        ASSERT_TRUE(solution->choice);
        std::int64_t count = 0;
        for (const auto& d : solution->choice->matrices) count += d.persistent_accumulator ? 1 : 0;
        EXPECT_GE(count, residents);
        if (price == 0 || elements == 0) {
          EXPECT_EQ(count, residents);
        }
        if (price == 10 && elements == 3000) {
          EXPECT_EQ(count, 2);
        }
      }
}

}  // namespace
}  // namespace tilewright::plan::solver_exhaustive_test
