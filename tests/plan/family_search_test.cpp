// The search over captures of one family of programs.
#include <gtest/gtest.h>

#include "plan/plan_cases.h"

namespace tilewright::plan::family_search_test {
namespace {

class CountingPolicy : public CostPolicy {
 public:
  Result<CostPriors> coefficients(const CostPriors& prior, const CostQuestion&) const override {
    ++calls;
    return prior;
  }
  mutable int calls = 0;
};

/// gemm of M x N x K in tiles, all of K in steps of bk.
Capture capture(std::int64_t bm, std::int64_t bn, std::int64_t bk) {
  const std::int64_t steps = 1024 / bk;
  return {"BM=" + std::to_string(bm) + " BN=" + std::to_string(bn) + " BK=" + std::to_string(bk),
          {.programs = (512 / bm) * (2048 / bn),
           .independent_elements = steps * (bm * bk + bk * bn + bm * bn) + 2 * bm * bn,
           .max_independent_elements = bm * bn,
           .shared_memory_bytes = 4 * (bm * bk + bk * bn + 2 * bm * bn),
           .matrices = {{.rows = bm,
                         .columns = bn,
                         .contraction = bk,
                         .executions = steps,
                         .accumulator_iterations = steps,
                         .has_direct_output = true,
                         .recurrence_elements = steps * bm * bn,
                         .direct_output_elements = 2 * bm * bn}}}};
}

std::vector<Capture> family() {
  std::vector<Capture> captures;
  for (const std::int64_t bm : {32, 64, 128})
    for (const std::int64_t bn : {32, 64, 128})
      for (const std::int64_t bk : {8, 16, 32}) captures.push_back(capture(bm, bn, bk));
  return captures;
}

FamilySearch searched(std::span<const Capture> captures, const PlannerOptions& options) {
  auto search = search_family(captures, metal_limits(), options);
  EXPECT_TRUE(search) << render(search.error());
  return search.value_or(FamilySearch{});
}

TEST(FamilySearch, TheLowestKernelScoreWinsAndEveryResultIsKept) {
  const std::vector<Capture> captures = family();
  const FamilySearch search = searched(captures, shipped_options());
  ASSERT_EQ(search.solutions.size(), 27u);
  ASSERT_TRUE(search.best);
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto alone = solve(captures[i].workload, metal_limits(), shipped_options());
    ASSERT_TRUE(alone);
    EXPECT_EQ(search.solutions[i], *alone) << captures[i].label;
    if (search.solutions[i].choice) {
      EXPECT_GE(search.solutions[i].choice->cost.kernel_score,
                search.solutions[*search.best].choice->cost.kernel_score);
    }
  }
}

TEST(FamilySearch, LabelsDecideNothing) {
  std::vector<Capture> captures = family();
  const auto best = searched(captures, shipped_options()).best;
  for (std::size_t i = 0; i < captures.size(); ++i) captures[i].label = std::to_string(captures.size() - i);
  EXPECT_EQ(searched(captures, shipped_options()).best, best);
}

TEST(FamilySearch, TiesFollowTheSolver) {
  const Capture a = capture(32, 64, 32);
  EXPECT_EQ(searched(std::vector{a, a}, shipped_options()).best, 0u);
  // The same score in less storage.
  Capture small = a;
  small.workload.shared_memory_bytes -= 64;
  EXPECT_EQ(searched(std::vector{a, small}, shipped_options()).best, 1u);
  EXPECT_EQ(searched(std::vector{small, a}, shipped_options()).best, 0u);
  PlannerOptions free = shipped_options();
  for (const CostPriorRow& row : cost_prior_rows())
    if (const auto* member = std::get_if<double CostPriors::*>(&row.member)) free.cost.** member = 0;
  // All scores are 0: the narrower group, which 64 x 64 lacks once accumulators have to leave shared storage.
  const std::vector<Capture> widths = {capture(64, 64, 16), capture(32, 32, 16)};
  const FamilySearch search = searched(widths, free);
  EXPECT_GT(search.solutions[0].choice->threads, search.solutions[1].choice->threads);
  EXPECT_EQ(search.best, 1u);
}

TEST(FamilySearch, CapturesWithoutAPlanAreKeptAndPassedOver) {
  Capture large = capture(32, 64, 32);
  large.workload.shared_memory_bytes += 100'000;
  const std::vector<Capture> captures = {large, capture(32, 64, 32), large};
  const FamilySearch search = searched(captures, shipped_options());
  EXPECT_EQ(search.best, 1u);
  EXPECT_EQ(search.solutions[0].refusal->constraint, PlanConstraint::SharedCapacity);
  EXPECT_EQ(searched(std::vector{large}, shipped_options()).best, std::nullopt);
  EXPECT_EQ(searched({}, shipped_options()).best, std::nullopt);
}

TEST(FamilySearch, PlansWithoutAPriceAreNotRanked) {
  const PlannerOptions options = options_with({{"threads_per_group", "48"}});
  EXPECT_EQ(searched(std::vector{capture(32, 64, 32)}, options).best, 0u);
  EXPECT_EQ(searched(std::vector{capture(32, 64, 32), capture(32, 32, 32)}, options).best, std::nullopt);
  const Capture no_matrix{"copy", {.independent_elements = 1 << 30, .max_independent_elements = 48}};
  EXPECT_EQ(searched(std::vector{capture(32, 64, 32), no_matrix}, options).best, 1u);
}

TEST(FamilySearch, ThePolicyIsAskedOnce) {
  const CountingPolicy policy;
  PlannerOptions options = shipped_options();
  options.cost_policy = &policy;
  EXPECT_TRUE(searched(family(), options).best);
  EXPECT_EQ(policy.calls, 1);
}

TEST(FamilySearch, ErrorsNameTheCapture) {
  std::vector<Capture> captures = {capture(32, 64, 32), capture(32, 64, 32)};
  captures[1].label = "BM=31";
  captures[1].workload.matrices[0].rows = 31;
  expect_code(search_family(captures, metal_limits(), shipped_options()), DiagCode::WorkloadExtent,
              {"capture 'BM=31'", "31"});
  captures[1] = {"mpp", mpp_group(32, 32, 32, 1, true)};
  expect_code(search_family(captures, metal_limits(), shipped_options()), DiagCode::GroupFamilies,
              {"'mpp'", "metal.mpp", "metal.simdgroup8x8"});
}

}  // namespace
}  // namespace tilewright::plan::family_search_test
