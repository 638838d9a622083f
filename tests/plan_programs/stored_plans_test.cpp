// Stored plans: text and back, and what is stale or illegal later.
#include "plan/verify_plan.h"
#include "planned.h"

namespace tilewright::plan {
namespace {

const Sizes kStoredSizes{{"M", 100}, {"N", 96}, {"K", 90}, {"BM", 32}, {"BN", 64}, {"BK", 32}};

Result<PlannedProgram> verified(const Plan& plan, const std::string& text, const Sizes& sizes,
                                const PlanningRequest& request) {
  const Bound bound = subject_of(text, sizes, request);
  return verify_plan(plan, *bound.subject, request, sets::Context());
}

void expect_refused(const Result<PlannedProgram>& result, DiagCode code, const std::string& mention) {
  ASSERT_FALSE(result) << mention;
  EXPECT_EQ(result.error()[0].code, code) << render(result.error());
  EXPECT_NE(render(result.error()).find(mention), std::string::npos) << render(result.error());
}

struct Stored {
  std::string program;
  Sizes sizes;
  Family family;
  Settings settings;
};

std::vector<Stored> stored_plans() {
  return {
      {"gemm", kStoredSizes, Family::Simdgroup, {}},
      {"gemm", kStoredSizes, Family::Mpp, {}},
      {"gemm", kStoredSizes, Family::None, {}},
      {"gemm", kStoredSizes, Family::Simdgroup, {{"program_order_rows", "2"}, {"program_order_columns", "2"}}},
      {"gemm", kStoredSizes, Family::Mpp, {{"direct_accumulator_store", "false"}}},
      {"mlp", {{"N", 64}, {"D", 64}, {"H", 48}, {"C", 16}, {"BM", 32}, {"BN", 32}, {"BK", 16}}, Family::Mpp, {}},
      {"softmax",
       {{"N", 64}, {"C", 100}},
       Family::Simdgroup,
       {{"metal_subgroup_reductions", "true"}, {"noalias", "true"}}},
      {"swiglu", {{"N", 5}, {"C", 135}}, Family::Simdgroup, {{"noalias", "true"}}},
      {"attention",
       {{"B", 1}, {"Hq", 2}, {"Hkv", 1}, {"Lq", 64}, {"Lk", 96}, {"D", 32}, {"Dv", 32}, {"BQ", 16}, {"BK", 16}},
       Family::Mpp,
       {{"fuse_matrix_epilogues", "true"}}},
  };
}

TEST(PlanText, IsReadBackAndVerifies) {
  for (const Stored& one : stored_plans()) {
    const PlanningRequest request = planning_request(one.family, one.settings);
    const PlannedProgram made = planned(library_text(one.program), one.sizes, request);
    const std::string text = print_plan(made.plan);
    const Result<Plan> again = parse_plan(text, "p.plan");
    ASSERT_TRUE(again) << render(again.error()) << text;
    EXPECT_EQ(*again, made.plan) << text;
    EXPECT_EQ(print_plan(*again), text);
    const auto result = verified(*again, library_text(one.program), one.sizes, request);
    EXPECT_TRUE(result) << render(result.error()) << text;
    // A plan outlives a change of the search, as long as it is legal.
    PlanningRequest other = request;
    other.options.max_thread_candidates = 1;
    EXPECT_TRUE(verified(*again, library_text(one.program), one.sizes, other)) << text;
  }
}

TEST(PlanText, EveryChangedLineIsRefused) {
  const std::string text = print_plan(planned(library_text("gemm"), kStoredSizes, planning_request(Family::Mpp)).plan);
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : text.size();
    const std::string without = text.substr(0, starts[i]) + text.substr(end);
    EXPECT_FALSE(parse_plan(without, "p.plan")) << text.substr(starts[i], end - starts[i]);
    std::string changed = text;
    changed[end - 2] = changed[end - 2] == '1' ? '2' : '1';
    EXPECT_FALSE(parse_plan(changed, "p.plan")) << text.substr(starts[i], end - starts[i]);
  }
  EXPECT_FALSE(parse_plan("", "p.plan"));
  EXPECT_FALSE(parse_plan(text + "x", "p.plan"));
}

TEST(PlanText, ADamagedPlanNamesTheLine) {
  const std::string text = print_plan(planned(library_text("gemm"), kStoredSizes, planning_request(Family::Mpp)).plan);
  const std::size_t digest = text.rfind("digest");
  const std::string body = replaced(text.substr(0, digest), {{"mapping cooperative", "mapping communal"}});
  const auto result = parse_plan(body + "digest " + hash_text(hash128(body)) + "\n", "p.plan");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, DiagCode::PlanInvalid);
  EXPECT_NE(render(result.error()).find("p.plan:"), std::string::npos);
  EXPECT_NE(render(result.error()).find("communal"), std::string::npos);
}

TEST(StoredPlan, OfAnotherProgramOrTargetIsStale) {
  const PlanningRequest request = planning_request(Family::Simdgroup);
  const Plan plan = planned(library_text("gemm"), kStoredSizes, request).plan;
  Sizes other = kStoredSizes;
  other["M"] = 101;
  expect_refused(verified(plan, library_text("gemm"), other, request), DiagCode::PlanStale, "program");
  expect_refused(verified(plan, library_text("gemm_nt"), kStoredSizes, request), DiagCode::PlanStale, "program");
  expect_refused(verified(plan, library_text("gemm"), kStoredSizes, planning_request(Family::Mpp)), DiagCode::PlanStale,
                 "target");
  Plan fewer = plan;
  fewer.launches.clear();
  expect_refused(verified(fewer, library_text("gemm"), kStoredSizes, request), DiagCode::PlanStale, "launches");
}

/// Every decision of a plan, changed by itself, is refused with its own reason.
TEST(StoredPlan, EveryChangedDecisionIsIllegal) {
  const PlanningRequest request = planning_request(Family::Mpp);
  const Plan plan = planned(library_text("gemm"), kStoredSizes, request).plan;
  const auto changed = [&](auto&& change) {
    Plan other = plan;
    change(other.launches[0]);
    return verified(other, library_text("gemm"), kStoredSizes, request);
  };
  using L = LaunchPlan;
  expect_refused(changed([](L& l) { l.threads = 2048; }), DiagCode::PlanIllegal, "threads");
  expect_refused(changed([](L& l) { l.threads += 32; }), DiagCode::PlanIllegal, "op 5 mma(");
  expect_refused(changed([](L& l) { l.matrices[0].distribution.atom_rows *= 2; }), DiagCode::PlanIllegal, "coverage");
  expect_refused(changed([](L& l) { l.matrices[0].overwrites = !l.matrices[0].overwrites; }), DiagCode::PlanIllegal,
                 "overwrites");
  expect_refused(changed([](L& l) { l.matrices[0].from_view[0] = false; }), DiagCode::PlanIllegal, "a_from_view");
  expect_refused(changed([](L& l) { l.matrices[0].stores_a_prefix = false; }), DiagCode::PlanIllegal, "prefix");
  expect_refused(changed([](L& l) { l.views.pop_back(); }), DiagCode::PlanIllegal, "differs");
  expect_refused(changed([](L& l) { l.forwarding = Forwarding::Strict; }), DiagCode::PlanIllegal, "");
  expect_refused(changed([](L& l) { l.shared_memory_bytes += 16; }), DiagCode::PlanIllegal, "shared_memory_bytes");
  expect_refused(changed([](L& l) { l.pipelines[0].window = 2; }), DiagCode::PlanIllegal, "cannot overlap");
  expect_refused(changed([](L& l) { l.programs += 1; }), DiagCode::PlanIllegal, "programs");
  expect_refused(changed([](L& l) { l.max_copy_batch = 17; }), DiagCode::PlanIllegal, "max_copy_batch");
  expect_refused(changed([](L& l) { l.program_order_rows = 0; }), DiagCode::PlanIllegal, "");
  expect_refused(changed([](L& l) { l.proofs.pop_back(); }), DiagCode::PlanIllegal, "differs");
  Plan needless = plan;
  needless.needs.clear();
  expect_refused(verified(needless, library_text("gemm"), kStoredSizes, request), DiagCode::PlanIllegal, "needs");
}

TEST(StoredPlan, IsIllegalWhereTheTargetLacksWhatItNeeds) {
  const Plan plan = planned(library_text("gemm"), kStoredSizes, planning_request(Family::Mpp)).plan;
  expect_refused(
      verified(plan, library_text("gemm"), kStoredSizes, planning_request(Family::Mpp, {{"bounded_mnk", "0"}})),
      DiagCode::PlanIllegal, "");
  expect_refused(
      verified(plan, library_text("gemm"), kStoredSizes, planning_request(Family::Mpp, {{"bounded_store", "0"}})),
      DiagCode::PlanIllegal, "");
  expect_refused(
      verified(plan, library_text("gemm"), kStoredSizes, planning_request(Family::Mpp, {{"noalias", "false"}})),
      DiagCode::PlanIllegal, "");
  PlanningRequest small = planning_request(Family::Mpp);
  small.limits.max_threads = 64;
  expect_refused(verified(plan, library_text("gemm"), kStoredSizes, small), DiagCode::PlanIllegal, "threads");
}

}  // namespace
}  // namespace tilewright::plan
