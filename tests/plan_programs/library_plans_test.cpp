// Plans of the standard library: published numbers, order of mappings, transactions, explicit requests.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planned.h"

namespace tilewright::plan {
namespace {

TEST(Plans, OfTheWorkedExample) {
  const PlannedProgram made = planned(library_text("gemm"), kWorkedExample,
                                      planning_request(Family::Simdgroup, {{"threads_per_group", "128"}}));
  const LaunchPlan& plan = made.plan.launches[0];
  EXPECT_EQ(plan.mapping, LaunchMapping::Cooperative);
  EXPECT_TRUE(plan.automatic_cooperative);
  EXPECT_EQ(plan.threads, 128);
  EXPECT_EQ(plan.shared_memory_bytes, 12 * 1024);
  EXPECT_EQ(plan.cost.matrix_issues, 4096);
  EXPECT_EQ(plan.cost.shared_fragment_transfers, 3072);
  EXPECT_EQ(plan.cost.direct_fragment_stores, 32);
  EXPECT_EQ(plan.cost.fragment_scalars_per_lane, 28);
  EXPECT_EQ(plan.cost.score, 11104);
  ASSERT_EQ(plan.matrices.size(), 1u);
  EXPECT_EQ(plan.matrices[0].distribution.subgroups_n, 4);
  EXPECT_EQ(plan.matrices[0].distribution.atom_rows, 4);
  for (const char* family : {"recurrence.closed", "output.direct", "access.in_bounds"})
    EXPECT_TRUE(uses_proof(plan, family)) << family;
}

TEST(Plans, StorageIsThatOfTheTilesThatAreLeft) {
  const std::vector<std::pair<std::string, Sizes>> programs = {
      {"gemm", kWorkedExample},
      {"gemm_tn", {{"M", 65}, {"N", 33}, {"K", 70}, {"BM", 32}, {"BN", 32}, {"BK", 16}}},
      {"gemm_bias_relu", {{"M", 64}, {"N", 64}, {"K", 64}, {"BM", 32}, {"BN", 32}, {"BK", 16}}},
      {"attention",
       {{"B", 1}, {"Hq", 2}, {"Hkv", 1}, {"Lq", 64}, {"Lk", 96}, {"D", 32}, {"Dv", 32}, {"BQ", 16}, {"BK", 16}}},
      {"mlp", {{"N", 64}, {"D", 64}, {"H", 64}, {"C", 64}, {"BM", 32}, {"BN", 32}, {"BK", 16}}},
      {"batched_gemm", {{"G", 3}, {"M", 64}, {"N", 64}, {"K", 64}, {"BM", 32}, {"BN", 32}, {"BK", 16}}},
  };
  for (const auto& [name, sizes] : programs)
    for (Family family : {Family::Simdgroup, Family::Mpp})
      for (const Settings& settings : std::vector<Settings>{{},
                                                            {{"direct_accumulator_store", "false"}},
                                                            {{"retain_accumulators", "false"}},
                                                            {{"fuse_matrix_epilogues", "true"}}}) {
        const PlannedProgram made = planned(library_text(name), sizes, planning_request(family, settings));
        for (const LaunchPlan& launch : made.plan.launches) {
          ASSERT_EQ(launch.mapping, LaunchMapping::Cooperative) << name;
          std::int64_t bytes = 0;
          for (const TilePlan& tile : launch.tiles) bytes += tile.bytes;
          EXPECT_EQ(bytes, launch.shared_memory_bytes) << name << " launch " << launch.launch;
        }
      }
}

TEST(Plans, WithoutMatricesOrCapabilitiesTheReferenceIsKept) {
  const PlannedProgram softmax =
      planned(library_text("softmax"), {{"N", 64}, {"C", 100}}, planning_request(Family::Simdgroup));
  EXPECT_EQ(softmax.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_TRUE(has_refusal(softmax.launches[0], "no_matrix"));
  const PlannedProgram cpu = planned(library_text("gemm"), kWorkedExample, planning_request(Family::None));
  EXPECT_EQ(cpu.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_EQ(cpu.plan.launches[0].cost_basis, "none");
  const PlannedProgram off = planned(library_text("gemm"), kWorkedExample,
                                     planning_request(Family::Simdgroup, {{"map_gpu_cooperative_programs", "false"}}));
  EXPECT_EQ(off.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_TRUE(has_refusal(off.launches[0], "option"));
  const PlannedProgram disabled =
      planned(library_text("gemm"), kWorkedExample, planning_request(Family::Simdgroup, {{"enabled", "false"}}));
  EXPECT_EQ(disabled.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_FALSE(disabled.plan.launches[0].optimized);
}

TEST(Plans, AWidthOfIncompleteSubgroupsIsTheScalarReference) {
  const PlannedProgram made =
      planned(library_text("gemm"), kWorkedExample, planning_request(Family::Simdgroup, {{"threads_per_group", "48"}}));
  EXPECT_EQ(made.plan.launches[0].mapping, LaunchMapping::Scalar);
  EXPECT_EQ(made.plan.launches[0].threads, 48);
  const auto wide = try_plan(library_text("gemm"), kWorkedExample,
                             planning_request(Family::Simdgroup, {{"threads_per_group", "2048"}}));
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error()[0].code, DiagCode::ThreadLimit);
}

TEST(Plans, GuardedViewsStandOnlyForTheWholeLaunch) {
  Sizes ragged = kWorkedExample;
  ragged["K"] = 1000;
  const PlannedProgram all = planned(library_text("gemm"), ragged, planning_request(Family::Mpp));
  EXPECT_EQ(all.plan.launches[0].forwarding, Forwarding::Guarded);
  EXPECT_EQ(all.plan.launches[0].shared_memory_bytes, 0);
  EXPECT_EQ(all.plan.needs,
            (std::vector<std::string>{"bounded_k 1", "compact_rows op 3", "compact_rows op 4", "compact_rows op 6",
                                      "cooperative_matrix 1", "metal_mpp 2", "noalias"}));
  // A second mma of 8 x 8 x 8 has no tensor operation, so no view may be guarded.
  const std::string two = replaced(library_text("gemm"), {{"  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {",
                                                           "  out E: f32[8, 8]\n  parallel i in ceildiv(M, BM), j in "
                                                           "ceildiv(N, BN) {\n    axis p: 8, q: 8, r: 8\n    "
                                                           "x[p, r] = A[p, r]\n    y[r, q] = B[r, q]\n    "
                                                           "z[p, q] = 0.0\n    E[p, q] = mma(x, y, z)"}});
  const PlannedProgram dropped = planned(two, ragged, planning_request(Family::Mpp));
  EXPECT_NE(dropped.plan.launches[0].forwarding, Forwarding::Guarded);
  EXPECT_EQ(dropped.launches[0].trials[0].forwarding, Forwarding::Guarded);
  EXPECT_FALSE(dropped.launches[0].trials[0].chosen);
}

TEST(Plans, ADroppedTrialLeavesNoTrace) {
  Sizes ragged = kWorkedExample;
  ragged["K"] = 1000;
  ragged["BM"] = ragged["BN"] = 8;  // no tensor operation is 8 x 8: the trial fails, and so does the strict path
  const auto text_with = [&](const Settings& settings) {
    return print_plan(planned(library_text("gemm"), ragged, planning_request(Family::Mpp, settings)).plan);
  };
  const std::string tried = text_with({});
  EXPECT_EQ(tried, text_with({{"bounded_k", "0"}, {"bounded_mnk", "0"}}));
  EXPECT_EQ(tried, text_with({{"forward_readonly_tile_loads", "false"}}));
}

TEST(Plans, RowReductionsAreTriedFirstWhenAllowed) {
  const Settings rows{{"metal_subgroup_reductions", "true"}, {"noalias", "true"}};
  const PlannedProgram made =
      planned(library_text("rowsum"), {{"N", 64}, {"C", 4096}}, planning_request(Family::Simdgroup, rows));
  const LaunchPlan& plan = made.plan.launches[0];
  EXPECT_EQ(plan.mapping, LaunchMapping::RowReduction);
  ASSERT_TRUE(plan.rows.has_value());
  EXPECT_EQ(plan.threads, 32 * plan.rows->mapping.subgroups_per_program * plan.rows->mapping.programs_per_group);
  EXPECT_TRUE(plan.cost.priced);
  const PlannedProgram gemm = planned(library_text("gemm"), kWorkedExample, planning_request(Family::Simdgroup, rows));
  EXPECT_EQ(gemm.plan.launches[0].mapping, LaunchMapping::Cooperative);
  EXPECT_TRUE(has_refusal(gemm.launches[0], "matrix_product"));
}

TEST(Plans, AWalkIsProvedOrRefused) {
  const Settings walk{{"program_order_rows", "4"}, {"program_order_columns", "8"}};
  const PlannedProgram made = planned(library_text("gemm"), kWorkedExample, planning_request(Family::Simdgroup, walk));
  EXPECT_EQ(made.plan.launches[0].program_order_rows, 4);
  EXPECT_TRUE(uses_proof(made.plan.launches[0], "traversal.bijective"));
  const auto softmax =
      try_plan(library_text("softmax"), {{"N", 64}, {"C", 100}}, planning_request(Family::Simdgroup, walk));
  ASSERT_FALSE(softmax);
  EXPECT_EQ(softmax.error()[0].code, DiagCode::PlanRefused);
  const auto huge = try_plan(library_text("gemm"), kWorkedExample,
                             planning_request(Family::Simdgroup, {{"program_order_rows", "2147483647"}}));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error()[0].code, DiagCode::PlanRefused);
}

TEST(Plans, TheEightProgramsWithoutMatricesWalkInOrder) {
  const Sizes rope{{"B", 2}, {"L", 16}, {"H", 4}, {"D", 8}}, others{{"N", 64}, {"C", 100}};
  for (const char* name :
       {"cross_entropy", "layernorm", "residual_layernorm", "rmsnorm", "rope", "rowsum", "softmax", "swiglu"})
    for (const char* rows : {"false", "true"}) {
      SCOPED_TRACE(name);
      const Sizes& sizes = std::string(name) == "rope" ? rope : others;
      Settings settings{{"metal_subgroup_reductions", rows}, {"noalias", "true"}};
      const PlannedProgram plain = planned(library_text(name), sizes, planning_request(Family::Simdgroup, settings));
      for (const LaunchPlan& launch : plain.plan.launches) EXPECT_NE(launch.mapping, LaunchMapping::Cooperative);
      settings.insert(settings.end(), {{"program_order_rows", "2"}, {"program_order_columns", "4"}});
      const auto walked = try_plan(library_text(name), sizes, planning_request(Family::Simdgroup, settings));
      ASSERT_FALSE(walked);
      EXPECT_EQ(walked.error()[0].code, DiagCode::PlanRefused);
      EXPECT_NE(walked.error()[0].message.find("rectangles of 2 x 4"), std::string::npos) << render(walked.error());
    }
}

TEST(Plans, EpiloguesOnTheFragmentsOnlyWhenAsked) {
  const std::string relu = R"(program p(M, N, K; BM: {32} = 32) {
    in A: f32[M, K]
    in B: f32[K, N]
    out C: f32[M, N]
    parallel i in ceildiv(M, 32), j in ceildiv(N, 32) {
      acc[m: BM, n: 32] = 0.0
      pipeline s in ceildiv(K, 32) {
        a[m, k: 32] = A[i*32 + m, s*32 + k]
        b[k, n] = B[s*32 + k, j*32 + n]
        acc = mma(a, b, acc)
      }
      C[i*32 + m, j*32 + n] = max(acc, 0.0)
    }
  })";
  const Sizes sizes{{"M", 64}, {"N", 64}, {"K", 64}};
  const PlannedProgram off = planned(relu, sizes, planning_request(Family::Mpp));
  EXPECT_FALSE(off.plan.launches[0].matrices[0].fuses_epilogue);
  EXPECT_EQ(off.plan.launches[0].shared_memory_bytes, 32 * 32 * 4);
  const PlannedProgram on = planned(relu, sizes, planning_request(Family::Mpp, {{"fuse_matrix_epilogues", "true"}}));
  EXPECT_TRUE(on.plan.launches[0].matrices[0].fuses_epilogue);
  EXPECT_EQ(on.plan.launches[0].shared_memory_bytes, 0);
  EXPECT_TRUE(uses_proof(on.plan.launches[0], "epilogue.same_owner"));
  const PlannedProgram simdgroup =
      planned(relu, sizes, planning_request(Family::Simdgroup, {{"fuse_matrix_epilogues", "true"}}));
  EXPECT_FALSE(simdgroup.plan.launches[0].matrices[0].fuses_epilogue);
}

TEST(Plans, ElementwiseLaunchesAreAGridOfElements) {
  const std::string text = R"(program p(N) {
    in X: f32[N]
    in Y: f32[N]
    out Z: f32[N]
    out W: f32[N]
    parallel i in ceildiv(N, 64) {
      axis e: 64
      x[e] = X[i*64 + e]
      y[e] = Y[i*64 + e]
      s = exp(x) + y
      Z[i*64 + e] = s
      W[i*64 + e] = s * x
    }
  })";
  const Sizes sizes{{"N", 1000}};
  const Settings noalias{{"noalias", "true"}};
  const auto mapping = [&](const std::string& changed, const Settings& settings) {
    return planned(changed, sizes, planning_request(Family::Simdgroup, settings)).plan.launches[0].mapping;
  };
  const PlannedProgram made = planned(text, sizes, planning_request(Family::Simdgroup, noalias));
  const LaunchPlan& plan = made.plan.launches[0];
  ASSERT_EQ(plan.mapping, LaunchMapping::Elementwise);
  EXPECT_EQ(plan.elementwise_elements_per_program, 64);
  EXPECT_EQ(plan.elementwise_scalar_temporaries, 2);  // x and s
  EXPECT_EQ(made.plan.needs, (std::vector<std::string>{"noalias"}));
  EXPECT_TRUE(uses_proof(plan, "map.exact_cover"));
  EXPECT_EQ(mapping(text, {}), LaunchMapping::Scalar);
  EXPECT_EQ(mapping(text, {{"noalias", "true"}, {"fuse_gpu_elementwise", "false"}}), LaunchMapping::Scalar);
  EXPECT_EQ(mapping(text, {{"noalias", "true"}, {"reduction_unroll_factor", "2"}}), LaunchMapping::Scalar);
  const auto refusal = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
    const PlannedProgram other = planned(replaced(text, changes), sizes, planning_request(Family::Simdgroup, noalias));
    EXPECT_EQ(other.plan.launches[0].mapping, LaunchMapping::Scalar);
    return other.launches[0].refusals.at(0).why.code;
  };
  EXPECT_EQ(refusal({{"W[i*64 + e] = s * x", "W[i*64 + e] = s * sum(x, e)"}}), "not_pointwise");
  EXPECT_EQ(refusal({{"W[i*64 + e] = s * x", "Z[i*64 + e] = s * x"}, {"    out W: f32[N]\n", ""}}), "aliasing");
  EXPECT_EQ(refusal({{"  out W", "  inout W"}, {"y[e] = Y", "y[e] = W"}, {"  in Y: f32[N]\n", ""}}), "aliasing");
  EXPECT_EQ(refusal({{"W[i*64 + e] = s * x", "W[i*32 + e] = s * x"}}), "not_covered");
  EXPECT_EQ(refusal({{"W[i*64 + e] = s * x", "W[i] = 1.0"}}), "domains_differ");
  EXPECT_EQ(refusal({{"Z[i*64 + e] = s\n      W[i*64 + e] = s * x", "t = s * x"},
                     {"    out Z: f32[N]\n    out W: f32[N]\n", ""}}),
            "no_store");
}

TEST(Plans, ScopesOfTheProgramAreKeptOrRefused) {
  const std::string text =
      "program p(N) {\n in X: f32[N]\n out Y: f32[N]\n parallel i in N scope SCOPE {\n axis e: 1\n "
      "Y[i + e] = 2.0 * X[i + e]\n }\n}";
  const auto plan_with = [&](const char* scope) {
    return try_plan(replaced(text, {{"SCOPE", scope}}), {{"N", 8}},
                    planning_request(Family::Simdgroup, {{"noalias", "true"}}));
  };
  EXPECT_EQ(plan_with("device")->plan.launches[0].mapping, LaunchMapping::Elementwise);
  const auto group = plan_with("group");
  ASSERT_TRUE(group) << render(group.error());
  EXPECT_EQ(group->plan.launches[0].mapping, LaunchMapping::Cooperative);
  EXPECT_TRUE(group->plan.launches[0].matrices.empty());
  for (const char* scope : {"subgroup", "vector"}) {
    const auto refused = plan_with(scope);
    ASSERT_FALSE(refused) << scope;
    EXPECT_EQ(refused.error()[0].code, DiagCode::PlanRefused);
  }
}

TEST(Plans, AnExactWidthIsKept) {
  const Settings width{{"threads_per_group", "64"}, {"noalias", "true"}};
  for (const char* name : {"gemm", "rowsum", "swiglu"})
    for (const Settings& more :
         std::vector<Settings>{{}, {{"enabled", "false"}}, {{"map_gpu_cooperative_programs", "false"}}}) {
      Settings settings = width;
      settings.insert(settings.end(), more.begin(), more.end());
      const Sizes sizes = std::string(name) == "gemm" ? kWorkedExample : Sizes{{"N", 7}, {"C", 130}};
      EXPECT_EQ(
          planned(library_text(name), sizes, planning_request(Family::Simdgroup, settings)).plan.launches[0].threads,
          64)
          << name;
    }
}

TEST(Plans, MoreProgramsThanADeviceNumbersAreRefused) {
  Sizes sizes = kWorkedExample;
  sizes["M"] = sizes["N"] = std::int64_t{1} << 22;
  const auto made = try_plan(library_text("gemm"), sizes, planning_request(Family::Simdgroup));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error()[0].code, DiagCode::PlanRefused);
}

TEST(Plans, OfEmptyLaunches) {
  for (const char* zero : {"M", "N", "K"}) {
    Sizes sizes = kWorkedExample;
    sizes[zero] = 0;
    for (Family family : {Family::Simdgroup, Family::Mpp})
      EXPECT_TRUE(try_plan(library_text("gemm"), sizes, planning_request(family))) << zero;
  }
}

}  // namespace
}  // namespace tilewright::plan
