// From programs to workloads: storage, scalar work, matches, views, admission. Seed 1's worked numbers among them.
#include <numeric>

#include "planned.h"

namespace tilewright::plan {
namespace {

using realize::Residence;
using realize::WorkKind;

LaunchFacts facts_of(const std::string& text, const Sizes& sizes, Family family, Forwarding forwarding,
                     const Settings& settings = {}) {
  const PlanningRequest request = planning_request(family, settings);
  const Bound bound = subject_of(text, sizes, request);
  auto facts = launch_facts(*bound.subject, 0, request.switches, request.options.fuse_matrix_epilogues,
                            {*family_of(request.switches), forwarding, {}, request.limits.shared_memory_bytes}, {});
  EXPECT_TRUE(facts.has_value());
  return std::move(*facts);
}

std::int64_t work_of(const LaunchFacts& facts, WorkKind kind) {
  std::int64_t total = 0;
  for (const realize::ElementWork& work : facts.materialization.work)
    if (work.kind == kind) total += work.total();
  return total;
}

TEST(Materialization, OfTheWorkedExample) {
  const LaunchFacts facts = facts_of(library_text("gemm"), kWorkedExample, Family::Simdgroup, Forwarding::None);
  EXPECT_EQ(facts.workload.programs, 512);
  EXPECT_EQ(work_of(facts, WorkKind::Copy), 98'304);
  EXPECT_EQ(work_of(facts, WorkKind::Update), 65'536);
  EXPECT_EQ(work_of(facts, WorkKind::Fill) + work_of(facts, WorkKind::Sink), 4'096);
  EXPECT_EQ(facts.workload.independent_elements, 167'936);
  EXPECT_EQ(facts.workload.shared_memory_bytes, 28 * 1024);
  ASSERT_EQ(facts.workload.matrices.size(), 1u);
  const realize::MatrixWorkload& matrix = facts.workload.matrices[0];
  EXPECT_EQ(matrix.rows, 32);
  EXPECT_EQ(matrix.columns, 64);
  EXPECT_EQ(matrix.contraction, 32);
  EXPECT_EQ(matrix.executions, 32);
  EXPECT_EQ(matrix.accumulator_iterations, 32);
  EXPECT_TRUE(matrix.has_direct_output);
  EXPECT_EQ(matrix.recurrence_elements, 65'536);
  EXPECT_EQ(matrix.direct_output_elements, 4'096);
}

TEST(Materialization, FoldsSingleUsesAndStoresTheRest) {
  const std::string text = R"(program p(N) {
    in A: f32[N, 8]
    out C: f32[N, 8]
    out D: f32[N, 8]
    parallel i in N {
      axis m: 8
      a[m] = A[i, m]
      b = a + 1.0
      c = exp(b)
      C[i, m] = c * 2.0
      D[i, m] = c
    }
  })";
  const LaunchFacts facts = facts_of(text, {{"N", 3}}, Family::Simdgroup, Forwarding::None);
  // exp has two uses and is stored; what leads to it is evaluated inside it; each store evaluates its value.
  ASSERT_EQ(facts.materialization.tiles.size(), 1u);
  EXPECT_EQ(facts.materialization.tiles[0].bytes, 32);
  EXPECT_EQ(work_of(facts, WorkKind::Compute), 8);
  EXPECT_EQ(work_of(facts, WorkKind::Copy), 0);
  EXPECT_EQ(work_of(facts, WorkKind::Sink), 16);
  EXPECT_EQ(facts.admission.refusal->code, realize::AdmissionCodes::kNoMatrix);
}

TEST(Materialization, ALoadStaysApartFromWhatFollowsAWrite) {
  const std::string text = R"(program p(N) {
    inout A: f32[N]
    out C: f32[N]
    parallel i in N {
      axis m: 1
      a[m] = A[i + m]
      A[i + m] = 0.0 * a
      C[i + m] = 1.0
      MORE
    }
  })";
  const auto copies = [&](const std::string& more) {
    return work_of(facts_of(replaced(text, {{"MORE", more}}), {{"N", 3}}, Family::Simdgroup, Forwarding::None,
                            {{"noalias", "true"}}),
                   WorkKind::Copy);
  };
  EXPECT_EQ(copies("b[m] = A[i + m]\n C[i + m] = b"), 0);                   // each load is evaluated where it is used
  EXPECT_EQ(copies("b[m] = A[i + m]\n A[i + m] = 2.0\n C[i + m] = b"), 1);  // b is a snapshot from before
}

TEST(Materialization, ALoadIsNotEvaluatedInsideAStoreThatMayOverwriteIt) {
  const auto facts = [](const std::string& load, const Settings& settings = {}) {
    return facts_of(replaced(R"(program p(N) {
      in B: f32[N, 8]
      inout C: f32[8, 8]
      parallel i in N {
        axis m: 8, n: 8
        LOAD
        C[m, n] = t * 2.0
      }
    })",
                             {{"LOAD", load}}),
                    {{"N", 8}}, Family::Simdgroup, Forwarding::None, settings);
  };
  const Settings noalias{{"noalias", "true"}};
  EXPECT_EQ(facts("t[m, n] = C[m, n]").materialization.tiles.size(), 0u);  // each element its own
  EXPECT_EQ(facts("t[m, n] = C[n, m]", noalias).materialization.tiles.size(), 1u);
  EXPECT_EQ(facts("t[m, n] = C[7 - m, n]", noalias).materialization.tiles.size(), 1u);
  EXPECT_EQ(facts("t[m, n] = B[m, n]").materialization.tiles.size(), 1u);  // B may overlap C
  EXPECT_FALSE(facts("t[m, n] = B[m, n]").materialization.relies_on_noalias);
  EXPECT_EQ(facts("t[m, n] = B[m, n]", noalias).materialization.tiles.size(), 0u);
  EXPECT_TRUE(facts("t[m, n] = B[m, n]", noalias).materialization.relies_on_noalias);
}

TEST(Materialization, CountsThatDoNotFitAreAFault) {
  const PlanningRequest request = planning_request(Family::Simdgroup);
  const std::string text =
      "program p(N) {\n in A: f32[8, 8]\n out C: f32[8, 8]\n parallel i in 1 {\n axis m: 8, n: 8, "
      "k: 8\n acc[m, n] = 0.0\n serial s in N {\n serial t in N {\n a[m, k] = A[m, k]\n b[k, n] = "
      "A[k, n]\n acc = mma(a, b, acc)\n }\n }\n C[m, n] = acc\n }\n}";
  const auto made = try_plan(text, {{"N", std::int64_t{1} << 30}}, request);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error()[0].code, DiagCode::SizeOverflow);
  EXPECT_TRUE(try_plan(text, {{"N", std::int64_t{1} << 30}}, planning_request(Family::None)));
}

TEST(Materialization, AnExpensiveValueIsNotRepeated) {
  const std::string text = R"(program p(N) {
    in A: f32[N, 4]
    out C: f32[N, 4, 8]
    parallel i in N {
      axis m: 4, n: 8
      a[m] = A[i, m]
      b = FUNCTION
      C[i, m, n] = b * f32(n)
    }
  })";
  const auto stored = [&](const std::string& function) {
    return facts_of(replaced(text, {{"FUNCTION", function}}), {{"N", 3}}, Family::Simdgroup, Forwarding::None,
                    {{"noalias", "true"}})
        .materialization.tiles.size();
  };
  EXPECT_EQ(stored("a + 1.0"), 0u);
  EXPECT_EQ(stored("exp(a)"), 1u);
  EXPECT_EQ(stored("1.0 / a"), 1u);
  EXPECT_EQ(stored("exp(a) + 1.0"), 1u);
}

TEST(Matches, PhysicalAndNominalIssuesOfAShortContraction) {
  const Sizes sizes{{"M", 32}, {"N", 64}, {"K", 45}, {"BM", 32}, {"BN", 64}, {"BK", 16}};
  const PlannedProgram plan = planned(library_text("gemm"), sizes, planning_request(Family::Mpp));
  const PlanCost& cost = plan.plan.launches[0].cost;
  EXPECT_EQ(cost.nominal_matrix_issues, 192);
  EXPECT_EQ(cost.matrix_issues, 180);
  EXPECT_EQ(cost.elided_independent_elements, 10'240);
  const PlannedProgram resident =
      planned(library_text("gemm"), sizes, planning_request(Family::Mpp, {{"direct_accumulator_store", "false"}}));
  EXPECT_EQ(resident.plan.launches[0].cost.elided_independent_elements, 6'144);
}

TEST(Matches, EachRefusalHasItsCode) {
  const std::string text = library_text("gemm");
  const auto code = [&](const std::string& changed, Sizes sizes = kWorkedExample) {
    const LaunchFacts facts = facts_of(changed, sizes, Family::Simdgroup, Forwarding::None);
    return facts.mmas.at(0).match ? std::string("matched") : std::string(facts.mmas.at(0).match.error().code);
  };
  EXPECT_EQ(code(text), "matched");
  EXPECT_EQ(code(replaced(text, {{"mma(a, b, acc)", "mma(a, b, acc, ordered)"}})), "ordered");
  Sizes odd = kWorkedExample;
  odd["BM"] = 12;
  EXPECT_EQ(code(text, odd), "extent_granule");
  odd["BM"] = 1;
  EXPECT_EQ(code(text, odd), "extent_granule");
  EXPECT_EQ(code(replaced(
                text, {{"      acc = mma(a, b, acc)\n", "      if s < 3 {\n        acc = mma(a, b, acc)\n      }\n"}})),
            "conditional");
  EXPECT_EQ(code(replaced(text, {{"parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {",
                                  "parallel i in ceildiv(M, BM) {\n parallel j in ceildiv(N, BN) {"},
                                 {"T(acc)\n  }", "T(acc)\n  }\n }"}})),
            "nested_parallel");
}

TEST(Matches, UnitAxesAreProjectedAway) {
  const std::string text = R"(program p(G, M, N, K) {
    in A: f32[G, M, K]
    in B: f32[G, K, N]
    out C: f32[G, M, N]
    parallel g in G {
      axis h: UNIT, m: M, n: N, k: K
      a[h, m, k] = A[g*UNIT + h, m, k]
      b[h, k, n] = B[g*UNIT + h, k, n]
      zero[h, m, n] = 0.0
      C[g*UNIT + h, m, n] = mma(a, b, zero)
    }
  })";
  const Sizes sizes{{"G", 2}, {"M", 16}, {"N", 24}, {"K", 8}};
  const auto one = facts_of(replaced(text, {{"UNIT", "1"}}), sizes, Family::Simdgroup, Forwarding::None);
  ASSERT_TRUE(one.mmas[0].match) << one.mmas[0].match.error().reason;
  EXPECT_EQ(one.mmas[0].match->workload.rows, 16);
  EXPECT_EQ(one.mmas[0].match->workload.columns, 24);
  const auto two = facts_of(replaced(text, {{"UNIT", "2"}}), sizes, Family::Simdgroup, Forwarding::None);
  ASSERT_FALSE(two.mmas[0].match);
  EXPECT_EQ(two.mmas[0].match.error().code, realize::MatchCodes::kSeveralAxes);
}

TEST(Views, TakeTheirStorageAndCopiesAway) {
  const LaunchFacts strict = facts_of(library_text("gemm"), kWorkedExample, Family::Mpp, Forwarding::Strict);
  EXPECT_EQ(strict.forwarding.views.size(), 2u);
  EXPECT_EQ(strict.workload.shared_memory_bytes, 16 * 1024);
  EXPECT_EQ(work_of(strict, WorkKind::Copy), 0);
  Sizes ragged = kWorkedExample;
  ragged["K"] = 1000;
  EXPECT_TRUE(facts_of(library_text("gemm"), ragged, Family::Mpp, Forwarding::Strict).forwarding.views.empty());
  const LaunchFacts guarded = facts_of(library_text("gemm"), ragged, Family::Mpp, Forwarding::Guarded);
  ASSERT_EQ(guarded.forwarding.views.size(), 2u);
  EXPECT_EQ(guarded.forwarding.mmas[0].kind, realize::ViewKind::BoundedK);
  ragged["M"] = 500;
  EXPECT_EQ(facts_of(library_text("gemm"), ragged, Family::Mpp, Forwarding::Guarded).forwarding.mmas[0].kind,
            realize::ViewKind::BoundedMnk);
  EXPECT_TRUE(facts_of(library_text("gemm"), ragged, Family::Mpp, Forwarding::Guarded, {{"bounded_mnk", "0"}})
                  .forwarding.views.empty());
}

TEST(Views, AreRectanglesWithCompactRows) {
  const auto views = [](const std::string& load, const std::string& strides = "") {
    const LaunchFacts facts = facts_of(
        replaced(library_text("gemm"), {{"A[i*BM + m, s*BK + k]", load}, {"in A: T[M, K]", "in A: T[M, K]" + strides}}),
        kWorkedExample, Family::Mpp, Forwarding::Strict);
    return std::pair(facts.forwarding.views.size(), facts.forwarding.refusals.size());
  };
  EXPECT_EQ(views("A[i*BM + m, s*BK + k]"), std::pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(views("A[(i*BM + m*7) % 64, s*BK + k]"), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(views("A[(i*BM + m)/2, s*BK + k]"), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(views("A[i*BM + m, (s*BK + k)/2]"), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(views("A[i*BM + m, s*BK + k]", " strides(1024, 1)"), std::pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(views("A[i*BM + m, s*BK + k]", " strides(1, 512)"), std::pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(views("A[i*BM + m, s*BK + k]", " strides(2048, 2)"), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(views("A[i*BM + m, s*BK + k]", " strides(0, 1)"), std::pair(std::size_t{1}, std::size_t{1}));
}

TEST(Views, ALoadThatAnotherUseNeedsIsCopied) {
  const std::string both =
      replaced(library_text("gemm"), {{"acc = mma(a, b, acc)", "acc = mma(a, b, acc)\n      t = sum(a, k)"}});
  const LaunchFacts facts = facts_of(both, kWorkedExample, Family::Mpp, Forwarding::Strict);
  ASSERT_EQ(facts.forwarding.views.size(), 1u);
  EXPECT_FALSE(facts.forwarding.mmas[0].operand[0].has_value());
  EXPECT_TRUE(facts.forwarding.mmas[0].operand[1].has_value());
}

TEST(Admission, EachRefusalHasItsCode) {
  const std::string text = library_text("gemm");
  const auto code = [&](const std::string& changed) {
    const LaunchFacts facts = facts_of(changed, kWorkedExample, Family::Simdgroup, Forwarding::None);
    return facts.admission.refusal ? std::string(facts.admission.refusal->code) : std::string("admitted");
  };
  EXPECT_EQ(code(text), "admitted");
  EXPECT_EQ(code(replaced(text, {{"acc[m: BM, n: BN] = 0.0", "acc[m: BM, n: BN] = 0.0\n    barrier"}})), "barrier");
  EXPECT_EQ(code(replaced(text, {{"mma(a, b, acc)", "mma(a, b, acc, ordered)"}})), "no_matrix");
}

}  // namespace
}  // namespace tilewright::plan
