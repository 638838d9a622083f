// Faults that other planners had in public (reference/cases.md), each with the row that it comes from.
#include "plan/verify_plan.h"
#include "planned.h"
#include "realize/shared_rows.h"

namespace tilewright::plan {
namespace {

Sizes gemm_sizes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t bm, std::int64_t bn, std::int64_t bk) {
  return {{"M", m}, {"N", n}, {"K", k}, {"BM", bm}, {"BN", bn}, {"BK", bk}};
}

bool any_candidate(const LaunchReport& launch, realize::MatrixConstraint constraint) {
  for (const Trial& trial : launch.trials)
    if (trial.solution)
      for (const WidthRecord& width : trial.solution->widths)
        for (const auto& candidates : width.matrices)
          for (const CandidateRecord& candidate : candidates)
            if (candidate.refusal && candidate.refusal->constraint() == constraint) return true;
  return false;
}

// B3: a contraction tile that is no multiple of the atom loses its rest without a word.
TEST(PlannerCases, NoStepOfAContractionTileIsDropped) {
  for (std::int64_t bk : {24, 40, 56})
    for (Family family : {Family::Simdgroup, Family::Mpp}) {
      const PlannedProgram made = planned(library_text("gemm"), gemm_sizes(64, 64, bk, 64, 64, bk),
                                          planning_request(family, {{"max_fragment_scalars_per_lane", "128"}}));
      const LaunchPlan& plan = made.plan.launches[0];
      ASSERT_EQ(plan.mapping, LaunchMapping::Cooperative) << bk;
      EXPECT_EQ(plan.cost.nominal_matrix_issues, static_cast<double>(8 * bk)) << bk << ": 8 x 8 atoms, bk / 8 steps";
    }
  for (std::int64_t bk : {4, 12, 20}) {
    const PlannedProgram made =
        planned(library_text("gemm"), gemm_sizes(64, 64, 60, 64, 64, bk), planning_request(Family::Simdgroup));
    EXPECT_EQ(made.plan.launches[0].mapping, LaunchMapping::Scalar) << bk;
    EXPECT_TRUE(has_refusal(made.launches[0], "extent_granule")) << bk;
  }
}

// B5: tensor operations whose width the device compiles and computes wrongly.
TEST(PlannerCases, WidthsThatNoTensorOperationHasAreRefused) {
  for (std::int64_t n : {2, 3, 5, 6, 7, 12}) {
    const PlannedProgram made =
        planned(library_text("gemm"), gemm_sizes(16, n, 16, 16, n, 16), planning_request(Family::Mpp));
    EXPECT_EQ(made.plan.launches[0].mapping, LaunchMapping::Scalar) << n;
    EXPECT_TRUE(has_refusal(made.launches[0], "extent_granule")) << n;
  }
}

// B6: one side of a tensor operation is a multiple of 16.
TEST(PlannerCases, ATensorOperationOf8x8IsRefused) {
  const PlannedProgram made =
      planned(library_text("gemm"), gemm_sizes(8, 8, 16, 8, 8, 16), planning_request(Family::Mpp));
  EXPECT_EQ(made.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_TRUE(any_candidate(made.launches[0], realize::MatrixConstraint::OperationExtents));
}

// B16: what happens on both sides of a threshold of the planner. Ours is the number of programs of a wave.
TEST(PlannerCases, PlansOnBothSidesOfAThresholdAreLegal) {
  const PlanningRequest request = planning_request(Family::Simdgroup);
  const std::int64_t wave = request.options.cost.preferred_concurrent_programs;
  for (std::int64_t programs : {wave - 1, wave, wave + 1}) {
    const Sizes sizes = gemm_sizes(32 * programs, 32, 64, 32, 32, 32);
    const PlannedProgram made = planned(library_text("gemm"), sizes, request);
    ASSERT_EQ(made.plan.launches[0].programs, programs);
    EXPECT_EQ(made.plan.launches[0].cost.concurrent_waves,
              programs <= wave ? 1 : static_cast<double>(programs) / static_cast<double>(wave));
    const Bound bound = subject_of(library_text("gemm"), sizes, request);
    EXPECT_TRUE(verify_plan(made.plan, *bound.subject, request, sets::Context()));
  }
}

/// One resident program with exactly these bytes of A and B at 128 threads.
Result<PlannedProgram> plan_with_limit(std::int64_t limit, std::int64_t max_threads = 1024) {
  PlanningRequest request = planning_request(Family::Simdgroup);
  request.limits.shared_memory_bytes = limit;
  request.limits.max_threads = max_threads;
  return try_plan(library_text("gemm"), gemm_sizes(64, 64, 128, 64, 64, 64), request);  // A and B: 32,768 bytes
}

// G6, G9: shared memory over the limit of the device.
TEST(PlannerCases, SharedMemoryIsComparedToTheByte) {
  for (std::int64_t limit : {32768, 49152}) {
    const auto fits = plan_with_limit(limit);
    ASSERT_TRUE(fits);
    EXPECT_EQ(fits->plan.launches[0].mapping, LaunchMapping::Cooperative);
    EXPECT_EQ(fits->plan.launches[0].shared_memory_bytes, 32768);
  }
  const auto over = plan_with_limit(32767);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->plan.launches[0].mapping, LaunchMapping::Scalar);
  ASSERT_TRUE(has_refusal(over->launches[0], "no_plan"));
  EXPECT_NE(over->launches[0].refusals.back().why.reason.find("32768"), std::string::npos)
      << over->launches[0].refusals.back().why.reason;
  // 64 KiB of operands in f32: refused with the bytes and the limit.
  PlanningRequest request = planning_request(Family::Simdgroup);
  const auto big = try_plan(library_text("gemm"), gemm_sizes(64, 64, 512, 64, 64, 512), request);
  ASSERT_TRUE(big);
  EXPECT_EQ(big->plan.launches[0].mapping, LaunchMapping::Scalar);
}

// G7: lengths of shared memory that are no multiple of the device's granule.
TEST(PlannerCases, SharedMemoryIsRoundedUpBeforeItIsCompared) {
  const std::string text = R"(program p(M) {
    in A: f32[M, 8]
    in B: f32[8, 8]
    in R: f32[M, 3]
    out C: f32[M, 8]
    parallel i in ceildiv(M, 8) {
      axis m: 8, k: 8, n: 8, r: 3
      a[m, k] = A[i*8 + m, k]
      b[k, n] = B[k, n]
      x[r] = R[i, r]
      s = sum(x, r)
      t = sum(x * x, r)
      zero[m, n] = 0.0
      C[i*8 + m, n] = mma(a, b, zero) + s + t
    }
  })";
  PlanningRequest request = planning_request(Family::Simdgroup);
  const std::int64_t exact = planned(text, {{"M", 16}}, request).plan.launches[0].shared_memory_bytes;
  ASSERT_NE(exact % 16, 0) << exact;
  request.limits.shared_granule_bytes = 16;
  const std::int64_t rounded = planned(text, {{"M", 16}}, request).plan.launches[0].shared_memory_bytes;
  EXPECT_EQ(rounded, (exact + 15) / 16 * 16);
  request.limits.shared_memory_bytes = rounded - 1;
  EXPECT_EQ(planned(text, {{"M", 16}}, request).plan.launches[0].mapping, LaunchMapping::Scalar);
}

// G8: a pipeline that accepts fewer threads than the device.
TEST(PlannerCases, NoWidthIsTakenForGranted) {
  const auto made = plan_with_limit(32768, 896);
  ASSERT_TRUE(made);
  EXPECT_LE(made->plan.launches[0].threads, 896);
  const Trial* chosen = made->launches[0].chosen();
  ASSERT_NE(chosen, nullptr);
  EXPECT_EQ(chosen->solution->widths.back().threads, 896);
  PlanningRequest request = planning_request(Family::Simdgroup, {{"threads_per_group", "1024"}});
  request.limits.max_threads = 896;
  const auto exact = try_plan(library_text("gemm"), gemm_sizes(64, 64, 64, 64, 64, 32), request);
  ASSERT_FALSE(exact);
  EXPECT_EQ(exact.error()[0].code, DiagCode::ThreadLimit);
  EXPECT_NE(render(exact.error()).find("896"), std::string::npos);
}

// H17: strides that put all rows of a fragment into one bank. The report names the stride of every tile, and the
// planner adds padding when it is asked to; the conflicts have no price.
TEST(PlannerCases, RowsThatMeetInABankAreNamed) {
  const auto ways = [](std::int64_t columns, std::int64_t padding = 0) {
    const tile::Program program = bound_program(
        replaced("program p(M) {\n in A: f32[M, COLS]\n out C: f32[M, COLS]\n parallel i in M {\n axis m: 8, n: COLS\n"
                 " a[m, n] = A[i + m, n]\n C[i + m, n] = a\n }\n}",
                 {{"COLS", std::to_string(columns)}}),
        {{"M", 8}});
    for (const tile::ValueId value : program.values().ids())
      if (program.value(value).axes.count == 2) return realize::shared_rows(program, value, padding)->conflict_ways;
    return std::int64_t{0};
  };
  EXPECT_EQ(ways(32), 8);
  EXPECT_EQ(ways(64), 8);
  EXPECT_EQ(ways(16), 4);
  EXPECT_EQ(ways(36), 1);
  EXPECT_EQ(ways(33), 1);
  for (const std::int64_t columns : {8, 16, 24, 32, 48, 64, 96, 128}) EXPECT_EQ(ways(columns, 4), 1) << columns;
}

/// The worked example, whose tiles have rows of 32 and of 64 floats.
PlannedProgram padded_example(std::int64_t limit, const Settings& settings = {{"pad_shared_rows", "true"}}) {
  PlanningRequest request = planning_request(Family::Simdgroup, settings);
  request.limits.shared_memory_bytes = limit;
  return planned(library_text("gemm"), kWorkedExample, request);
}

TEST(PlannerCases, RowsThatMeetInABankArePaddedOnRequest) {
  const std::int64_t a = 32 * (32 + 4) * 4, b = 32 * (64 + 4) * 4;
  const tile::Program program = bound_program(library_text("gemm"), kWorkedExample);
  const PlannedProgram made = padded_example(a + b);
  const LaunchPlan& plan = made.plan.launches[0];
  EXPECT_EQ(plan.shared_memory_bytes, a + b);
  ASSERT_EQ(plan.tiles.size(), 2u);
  EXPECT_EQ(plan.tiles[0].bytes, a);
  EXPECT_EQ(plan.tiles[1].bytes, b);
  for (const TilePlan& tile : plan.tiles) {
    EXPECT_EQ(tile.row_padding_elements, 4);
    EXPECT_EQ(realize::shared_rows(program, tile.value, tile.row_padding_elements)->conflict_ways, 1);
  }
  const PlannedProgram compact = padded_example(a + b, {});
  EXPECT_EQ(compact.plan.launches[0].matrices, plan.matrices) << "nothing but storage is another";
  EXPECT_EQ(compact.plan.launches[0].shared_memory_bytes, 12288);
  EXPECT_EQ(compact.plan.launches[0].tiles[0].row_padding_elements, 0);
}

TEST(PlannerCases, PaddingThatDoesNotFitIsDropped) {
  const PlannedProgram made = padded_example(13311);
  EXPECT_EQ(print_plan(made.plan), print_plan(padded_example(13311, {}).plan));
  EXPECT_EQ(made.plan.launches[0].shared_memory_bytes, 12288);
  ASSERT_EQ(made.launches[0].trials.size(), 2u);
  EXPECT_TRUE(made.launches[0].trials[0].pads_rows);
  ASSERT_TRUE(has_refusal(made.launches[0], "no_plan"));
}

TEST(PlannerCases, PaddingStandsInStoredPlans) {
  const PlanningRequest request = planning_request(Family::Simdgroup);
  const Bound bound = subject_of(library_text("gemm"), kWorkedExample, request);
  Plan plan = padded_example(32768).plan;
  EXPECT_EQ(parse_plan(print_plan(plan), "p.plan").value(), plan);
  EXPECT_TRUE(verify_plan(plan, *bound.subject, request, sets::Context())) << "whatever the option is today";
  plan.launches[0].tiles[1].row_padding_elements = 8;
  EXPECT_FALSE(verify_plan(plan, *bound.subject, request, sets::Context()));
}

TEST(PlannerCases, OnlyOperandsInSharedStorageArePadded) {
  const Settings settings{{"pad_shared_rows", "true"}, {"direct_accumulator_store", "false"}};
  const PlannedProgram staged =
      planned(library_text("gemm"), kWorkedExample, planning_request(Family::Simdgroup, settings));
  for (const TilePlan& tile : staged.plan.launches[0].tiles)
    EXPECT_EQ(tile.row_padding_elements > 0, tile.bytes != 32 * 64 * 4) << "the accumulator stays compact";
  const PlannedProgram views =
      planned(library_text("gemm"), kWorkedExample, planning_request(Family::Mpp, {{"pad_shared_rows", "true"}}));
  EXPECT_EQ(print_plan(views.plan),
            print_plan(planned(library_text("gemm"), kWorkedExample, planning_request(Family::Mpp)).plan));
}

// H10: a search that is cut short and then called exact.
TEST(PlannerCases, ASearchOverItsBudgetIsNoPlan) {
  const auto made = try_plan(library_text("gemm"), gemm_sizes(64, 64, 64, 64, 64, 32),
                             planning_request(Family::Simdgroup, {{"max_thread_candidates", "31"}}));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error()[0].code, DiagCode::SearchBudget);
}

}  // namespace
}  // namespace tilewright::plan
