// The search over the parameters of a program that are left open.
#include <algorithm>
#include <memory>

#include "plan/plan_family.h"
#include "planned.h"
#include "tile/parser.h"

namespace tilewright::plan {
namespace {

class CountingPolicy : public CostPolicy {
 public:
  Result<CostPriors> coefficients(const CostPriors& prior, const CostQuestion&) const override {
    ++calls;
    return prior;
  }
  mutable int calls = 0;
};

Result<PlannedFamily> try_family(const std::string& text, const Sizes& given, const PlanningRequest& request) {
  const auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error());
  return plan_family(*family, {.numbers = given, .types = {}}, request, sets::Context());
}

PlannedFamily planned_family(const std::string& text, const Sizes& given, const PlanningRequest& request) {
  auto made = try_family(text, given, request);
  EXPECT_TRUE(made) << (made ? "" : render(made.error()));
  return std::move(made).value();
}

const Sizes kOpenGemm{{"M", 512}, {"N", 2048}, {"K", 1024}};

TEST(Family, TheLowestKernelScoreWins) {
  for (const Family target : {Family::Simdgroup, Family::Mpp}) {
    const PlanningRequest request = planning_request(target);
    const PlannedFamily family = planned_family(library_text("gemm"), kOpenGemm, request);
    ASSERT_EQ(family.captures.size(), 12u);
    EXPECT_EQ(std::ranges::count(family.captures, true, &CaptureOutcome::is_chosen), 1);
    for (const CaptureOutcome& capture : family.captures) {
      Sizes sizes = kOpenGemm;
      sizes.insert(capture.numbers.begin(), capture.numbers.end());
      const PlannedProgram alone = planned(library_text("gemm"), sizes, request);
      EXPECT_EQ(capture.kernel_score, alone.plan.launches[0].cost.kernel_score);
      EXPECT_GE(capture.kernel_score, family.planned.plan.launches[0].cost.kernel_score);
      if (capture.is_chosen) {
        EXPECT_EQ(print_plan(family.planned.plan), print_plan(alone.plan));
        EXPECT_EQ(family.bindings.numbers, sizes);
      }
    }
  }
}

TEST(Family, CapturesStandByTheChoicesOfTheParameters) {
  Sizes given = kOpenGemm;
  given["BN"] = 64;
  const PlannedFamily family = planned_family(library_text("gemm"), given, planning_request(Family::Simdgroup));
  ASSERT_EQ(family.captures.size(), 6u);
  EXPECT_EQ(family.captures[0].numbers, (Sizes{{"BM", 32}, {"BK", 16}}));
  EXPECT_EQ(family.captures[1].numbers, (Sizes{{"BM", 32}, {"BK", 32}}));
  EXPECT_EQ(family.captures[5].numbers, (Sizes{{"BM", 128}, {"BK", 32}}));
}

TEST(Family, ThePolicyIsConsultedOnce) {
  const CountingPolicy policy;
  PlanningRequest request = planning_request(Family::Simdgroup);
  request.options.cost_policy = &policy;
  EXPECT_EQ(planned_family(library_text("gemm"), kOpenGemm, request).captures.size(), 12u);
  EXPECT_EQ(policy.calls, 1);
  EXPECT_TRUE(try_plan(library_text("gemm"), kWorkedExample, request));
  EXPECT_EQ(policy.calls, 2);
}

TEST(Family, TheOrderOfDeclarationsDecidesNothing) {
  const PlanningRequest request = planning_request(Family::Simdgroup);
  const std::string text = library_text("gemm");
  const std::string other = replaced(text, {{"BM: {32, 64, 128} = 64, BN: {32, 64} = 64, BK: {16, 32} = 32",
                                             "BK: {16, 32} = 32, BN: {32, 64} = 64, BM: {32, 64, 128} = 64"}});
  const Sizes square{{"M", 256}, {"N", 256}, {"K", 256}};
  EXPECT_EQ(print_plan(planned_family(text, square, request).planned.plan),
            print_plan(planned_family(other, square, request).planned.plan));
}

/// Doubles each element, in blocks of a parameter.
constexpr const char* kBlocks = R"(program p(N; BE: {64, 128, 256} = 128) {
  require N != 7, "no sevens"
  require BE < 256, "blocks are small"
  in X: f32[N]
  out Y: f32[N]
  parallel i in ceildiv(N, BE) {
    axis e: BE
    Y[i*BE + e] = 2.0 * X[i*BE + e]
  }
})";

TEST(Family, WithoutAPriceTheProgramsOwnChoiceStands) {
  const PlannedFamily family = planned_family(kBlocks, {{"N", 1000}}, planning_request(Family::None));
  ASSERT_EQ(family.captures.size(), 3u);
  EXPECT_EQ(outcome_text(family.captures[0]), "no price: launch 0 is scalar");
  EXPECT_TRUE(family.captures[1].is_chosen);
  EXPECT_EQ(outcome_text(family.captures[1]), "chosen");
  EXPECT_EQ(family.captures[0].unpriced_launches, 1);
  EXPECT_FALSE(family.captures[0].is_priced());
}

TEST(Family, ACaptureWithoutAPlanLeavesItsFault) {
  const PlannedFamily family = planned_family(kBlocks, {{"N", 1000}}, planning_request(Family::None));
  ASSERT_TRUE(family.captures[2].fault);
  EXPECT_EQ(family.captures[2].fault->code, DiagCode::RequirementFailed);
  EXPECT_NE(outcome_text(family.captures[2]).find("blocks are small"), std::string::npos);
  EXPECT_FALSE(family.captures[2].is_priced());
}

TEST(Family, FaultsOfAllCapturesAreThoseOfTheFirst) {
  const auto none = try_family(kBlocks, {{"N", 7}}, planning_request(Family::None));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error()[0].code, DiagCode::RequirementFailed);
  PlanningRequest budget = planning_request(Family::Simdgroup, {{"max_thread_candidates", "31"}});
  const auto refused = try_family(library_text("gemm"), kOpenGemm, budget);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, DiagCode::SearchBudget);
  EXPECT_NE(render(refused.error()).find("none of the 12 bindings"), std::string::npos) << render(refused.error());
}

TEST(Family, TooManyCapturesAreRefused) {
  std::string params;
  for (int i = 0; i < 13; ++i) params += (i == 0 ? "" : ", ") + std::string("P") + std::to_string(i) + ": {1, 2} = 1";
  const auto made = try_family(replaced(kBlocks, {{"BE: {64, 128, 256} = 128", "BE: {64} = 64, " + params}}),
                               {{"N", 8}}, planning_request(Family::None));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error()[0].code, DiagCode::PlanRefused);
  EXPECT_NE(render(made.error()).find("4096"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::plan
