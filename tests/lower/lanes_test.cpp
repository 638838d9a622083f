// The lowering in lanes, for the vectors of several targets: the oracle's bounds where the program leaves an order
// free, the very bits of the tile interpreter where it does not, and what is computed in vectors at all.
#include <array>

#include "case_count.h"
#include "kernel/printer.h"
#include "lower/lowering_case.h"
#include "support/files.h"
#include "tile/generator.h"
#include "tile/printer.h"

namespace tilewright::lower::testing {
namespace {

constexpr std::array<LaneOptions, 3> kTargets = {{{.lanes = 4, .masks = false, .registers = 16},
                                                  {.lanes = 8, .masks = false, .registers = 16},
                                                  {.lanes = 16, .masks = true, .registers = 32}}};

CaseOptions in_lanes(CaseOptions options, const LaneOptions& lanes) {
  options.lower = [lanes](const tile::Program& bound, const LaunchLayout& layout) {
    return lower_lanes(bound, layout, lanes);
  };
  return options;
}

void run_random_in_lanes(std::uint64_t first, int count, std::size_t size, Fill fill) {
  int ran = 0;
  const std::uint64_t end = first + static_cast<std::uint64_t>(count);
  for (std::uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); ++seed) {
    const auto made = tile::generate_program(seed, {.size = size, .legal = true, .interpretable = true});
    const auto bound = tile::bind(made.family, made.bindings);
    ASSERT_TRUE(bound) << "seed " << seed << "\n" << render(bound.error());
    const CaseOptions options{fill, static_cast<std::uint32_t>(seed), {}, {}};
    if (expect_results_within_bounds(*bound, in_lanes(options, kTargets[seed % kTargets.size()]))) ++ran;
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed << "\n" << tile::print_program(*bound);
  }
  EXPECT_GT(ran, count / 2);
}

TEST(LowerLanesRandom, SmallPrograms) { run_random_in_lanes(1, case_count(400, 12), 6, Fill::Small); }
TEST(LowerLanesRandom, LargePrograms) { run_random_in_lanes(30'000, case_count(100, 12), 30, Fill::Small); }
TEST(LowerLanesRandom, SpecialNumbers) { run_random_in_lanes(40'000, case_count(200, 12), 12, Fill::Special); }

std::optional<tile::Program> bound_library_program(const std::string& name, const Numbers& numbers, DataType type) {
  const auto text = read_file(std::string(TILEWRIGHT_SOURCE_DIR) + "/programs/" + name + ".tile");
  if (!text) {
    ADD_FAILURE() << render(text.error());
    return std::nullopt;
  }
  return bound_program(*text, numbers, {{"T", type}});
}

struct LaneCase {
  std::string name;
  Numbers numbers;
};

void for_each_case(const std::vector<LaneCase>& cases,
                   const std::function<bool(const tile::Program&, const CaseOptions&, std::string*)>& expect) {
  for (const LaneCase& one : cases)
    for (const DataType type : {DataType::F32, DataType::BF16})
      for (const LaneOptions& lanes : kTargets)
        for (const Fill fill : {Fill::Special, Fill::Small}) {
          if (kSanitized && fill == Fill::Small) continue;
          SCOPED_TRACE(one.name + " in lanes of " + std::to_string(lanes.lanes));
          const auto bound = bound_library_program(one.name, one.numbers, type);
          if (!bound) continue;
          std::string why_not;
          EXPECT_TRUE(expect(*bound, in_lanes({fill, 41, {}, {}}, lanes), &why_not)) << why_not;
        }
}

TEST(LowerLanesLibrary, RowProgramsAreWithinTheirBounds) {
  for_each_case({{"softmax", {{"N", 5}, {"C", 131}}},
                 {"softmax", {{"N", 3}, {"C", 64}, {"BR", 1}, {"BC", 64}}},
                 {"softmax", {{"N", 9}, {"C", 70}, {"BR", 8}, {"BC", 64}}},
                 {"cross_entropy", {{"N", 6}, {"C", 130}}},
                 {"layernorm", {{"N", 6}, {"C", 130}}},
                 {"residual_layernorm", {{"N", 6}, {"C", 130}}},
                 {"rmsnorm", {{"N", 6}, {"C", 130}}},
                 {"rowsum", {{"N", 6}, {"C", 130}}}},
                expect_results_within_bounds);
}

/// No order is free, or it is not used: products of an mma are added up in the order of the text.
TEST(LowerLanesLibrary, OthersKeepEveryBit) {
  for_each_case(
      {{"swiglu", {{"N", 5}, {"C", 135}}},
       {"rope", {{"B", 2}, {"L", 9}, {"H", 2}, {"D", 38}}},
       {"gemm", {{"M", 65}, {"N", 35}, {"K", 70}}},
       {"gemm_nt", {{"M", 5}, {"N", 66}, {"K", 33}}},
       {"gemm_tn", {{"M", 5}, {"N", 66}, {"K", 33}}},
       {"gemm_tt", {{"M", 5}, {"N", 66}, {"K", 33}}},
       {"gemm_bias_relu", {{"M", 9}, {"N", 7}, {"K", 0}}},
       {"gemm_alpha_beta", {{"M", 9}, {"N", 7}, {"K", 40}}},
       {"batched_gemm", {{"G", 3}, {"M", 9}, {"N", 7}, {"K", 40}}},
       {"conv2d", {{"N", 2}, {"H", 7}, {"W", 6}, {"C", 3}, {"F", 5}, {"R", 3}, {"S", 2}, {"pad", 1}, {"stride", 2}}}},
      expect_same_results);
}

TEST(LowerLanesLibrary, Attention) {
  for (const std::int64_t causal : {0, 1})
    for_each_case(
        {{"attention",
          {{"B", 1}, {"Hq", 2}, {"Hkv", 1}, {"Lq", 35}, {"Lk", 41}, {"D", 22}, {"Dv", 19}, {"causal", causal}}},
         {"attention",
          {{"B", 1}, {"Hq", 1}, {"Hkv", 1}, {"Lq", 32}, {"Lk", 64}, {"D", 16}, {"Dv", 32}, {"causal", causal}}}},
        expect_results_within_bounds);
}

std::string text_of(std::string_view program, const LaneOptions& lanes) {
  const auto bound = bound_program(program, {{"N", 64}});
  if (!bound) return {};
  const auto kernels = lowered(*bound, in_lanes({}, lanes));
  return kernels ? kernel::print(*kernels) : std::string();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(LowerLanes, ElementsSideBySideAreVectors) {
  const std::string text = text_of(R"(
program p(N) {
  in A: f32[N]
  out B: f32[N]
  parallel i in ceildiv(N, 32) {
    a[m: 32] = A[i*32 + m]
    B[i*32 + m] = exp(a) + f32(i*32 + m)
  }
})",
                                   kTargets[2]);
  EXPECT_TRUE(has(text, "f32x16 = load A"));
  EXPECT_TRUE(has(text, "f32x16 = exp"));
  EXPECT_FALSE(has(text, "mask"));
}

TEST(LowerLanes, StridedAndGatheredElementsAreNot) {
  const std::string text = text_of(R"(
program p(N) {
  in A: f32[N, N]
  in I: i32[N]
  out B: f32[N]
  out C: f32[N]
  parallel i in N / 32 {
    a[m: 32] = A[i*32 + m, 0]
    j[n: 32] = I[i*32 + n]
    B[i*32 + m] = a
    C[i*32 + n] = gather(a, m, j, 0.0)
  }
})",
                                   kTargets[2]);
  EXPECT_TRUE(has(text, "f32 = load A"));
  EXPECT_FALSE(has(text, "f32x16 = load A"));
  EXPECT_TRUE(has(text, "i32x16 = load I"));
}

TEST(LowerLanes, OnlyAFreeOrderIsFoldedInLanes) {
  const auto fold = [](const std::string& order) {
    return text_of(
        "program p(N) {\n in A: f32[N]\n out B: f32[1]\n parallel i in 1 {\n a[m: 64] = A[m]\n B[i] = sum(a, m" +
            order + ")\n}\n}\n",
        kTargets[2]);
  };
  EXPECT_TRUE(has(fold(""), "f32x16 = add"));
  EXPECT_FALSE(has(fold(", ordered_tree"), "f32x16 = add"));
  EXPECT_FALSE(has(fold(", fold_left"), "f32x16 = add"));
}

TEST(LowerLanes, WithoutMasksOnlyWholeTilesAreVectors) {
  const std::string program = R"(
program p(N) {
  in A: f32[N]
  out B: f32[N]
  parallel i in ceildiv(N, 40) {
    a[m: 40] = A[i*40 + m]
    B[i*40 + m] = a + 1.0
  }
})";
  EXPECT_FALSE(has(text_of(program, kTargets[1]), "mask %"));
  EXPECT_TRUE(has(text_of(program, kTargets[1]), "f32x8 = load A"));
  EXPECT_TRUE(has(text_of(program, kTargets[2]), "f32x16 = load A[%"));
  EXPECT_TRUE(has(text_of(program, kTargets[2]), "mask %"));
}

TEST(LowerLanes, WhatIsLoadedNextIsFetchedAheadFromLargeBuffers) {
  const std::string program = R"(
program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in ceildiv(N, 4) {
    total[r: 4] = 0.0
    serial s in ceildiv(C, 64) {
      x[r, c: 64] = X[i*4 + r, s*64 + c]
      total = max(total, max(x, c)) + sum(x, c)
    }
    S[i*4 + r] = total
  }
})";
  for (const auto& [rows, ahead] : {std::pair{64, false}, std::pair{4096, true}}) {
    const auto bound = bound_program(program, {{"N", rows}, {"C", 1024}});
    ASSERT_TRUE(bound);
    const auto kernels = lowered(*bound, in_lanes({}, kTargets[2]));
    ASSERT_TRUE(kernels);
    EXPECT_EQ(has(kernel::print(*kernels), "prefetch X["), ahead);
  }
}

TEST(LowerLanes, RefusalsSayWhy) {
  for (int refusal = 0; refusal <= static_cast<int>(LaneRefusal::FixedOrder); ++refusal)
    EXPECT_NE(std::string(refusal_text(static_cast<LaneRefusal>(refusal))), "");
  EXPECT_EQ(lane_options_for({.name = "", .features = "+avx2,+fma", .cores = 1}).lanes, 8);
  EXPECT_EQ(lane_options_for({.name = "", .features = "+avx2,-avx512f,+fma", .cores = 1}).lanes, 8);
  const LaneOptions wide = lane_options_for({.features = "+avx512bw,+avx512dq,+avx512f,+avx512vl"});
  EXPECT_EQ(wide.lanes, 16);
  EXPECT_TRUE(wide.masks);
  EXPECT_EQ(lane_options_for({}).lanes, 4);
}

}  // namespace
}  // namespace tilewright::lower::testing
