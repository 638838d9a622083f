// Matrix products on groups: rows A11, B10, B13, B15, C4, C5, C6, C12, C13, C14, D9, F5, G5 of the list of public
// faults, on the emulator with all checks. Its races, bounds and divergence would be errors of the run.
#include <algorithm>

#include "cases/case_runner.h"
#include "kernel/printer.h"
#include "lower_group/matrix_text.h"
#include "lower_group/planned_run.h"

namespace tilewright::cases {
namespace {

using lower::testing::MatrixText;
using Numbers = std::map<std::string, std::int64_t>;

class MetalCases : public OnTargets {};
INSTANTIATE_TEST_SUITE_P(Targets, MetalCases, testing::Values(Target::MetalSimdgroup), target_suffix);

Array ones(std::vector<std::int64_t> extents, DataType type = DataType::F32) {
  return filled(std::move(extents), 1, type);
}

/// All products of ones: every element is K.
void expect_all(const std::vector<double>& found, double value) {
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [&](double one) { return one == value; }));
}

TEST_P(MetalCases, A11_WidthsThatAreNoMultipleOfAVector) {
  for (const std::int64_t offset : {0, 1}) {
    Array c = poisoned({64, 33});
    c.values.resize(c.values.size() + 1, kPoison);
    c.offset = offset;
    const Contents after = run({.program = "gemm",
                                .numbers = {{"M", 64}, {"N", 33}, {"K", 64}},
                                .arrays = {{"A", ones({64, 64}, DataType::BF16)},
                                           {"B", ones({64, 33}, DataType::BF16)},
                                           {"C",
                                            [&] {
                                              c.type = DataType::BF16;
                                              return c;
                                            }()}},
                                .types = {{"T", DataType::BF16}}});
    std::vector<double> found = after.at("C");
    EXPECT_NE(found[offset == 0 ? found.size() - 1 : 0], 64);
    found.erase(offset == 0 ? found.end() - 1 : found.begin());
    expect_all(found, 64);
  }
}

TEST_P(MetalCases, B10_GridsAreRoundedUp) {
  for (const std::int64_t columns : {32, 96}) {
    const Contents after =
        run({.program = "gemm",
             .numbers = {{"M", 1}, {"N", columns}, {"K", 1024}, {"BN", 64}},
             .arrays = {{"A", ones({1, 1024})}, {"B", ones({1024, columns})}, {"C", poisoned({1, columns})}}});
    expect_all(after.at("C"), 1024);
  }
}

TEST_P(MetalCases, B15_OuterProducts) {
  const Contents after = run({.program = "gemm_nt",
                              .numbers = {{"M", 8}, {"N", 8}, {"K", 1}},
                              .arrays = {{"A", make_array({8, 1}, [](std::int64_t i) { return double(i + 1); })},
                                         {"B", make_array({8, 1}, [](std::int64_t i) { return double(i + 1); })},
                                         {"C", poisoned({8, 8})}}});
  for (std::int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(after.at("C")[static_cast<std::size_t>(i)], double((i / 8 + 1) * (i % 8 + 1)));
}

/// A masked score of -Inf goes through scalar code; no fragment load sees it.
TEST_P(MetalCases, D9_MasksWithInfinity) {
  const Contents after = run({.program = "attention",
                              .numbers = {{"B", 1},
                                          {"Hq", 1},
                                          {"Hkv", 1},
                                          {"Lq", 16},
                                          {"Lk", 16},
                                          {"D", 16},
                                          {"Dv", 16},
                                          {"causal", 1},
                                          {"BQ", 16},
                                          {"BK", 16}},
                              .arrays = {{"Q", ones({1, 1, 16, 16})},
                                         {"K", ones({1, 1, 16, 16})},
                                         {"V", ones({1, 1, 16, 16})},
                                         {"scale", filled({}, 1)},
                                         {"O", poisoned({1, 1, 16, 16})}}});
  for (const double one : after.at("O")) EXPECT_NEAR(one, 1, 1e-6);
}

constexpr const char* kManyBatches = R"(program p(G) {
  in A: f32[G, 8]
  in B: f32[G, 8]
  out C: f32[G]
  parallel g in G {
    axis m: 8, n: 8, k: 8
    a[m, k] = A[g, k + 8*m]
    b[k, n] = B[g, k + 8*n]
    zero[m, n] = 0.0
    c = mma(a, b, zero)
    C[g + (m + n)*G] = c
  }
})";

/// 65,537 groups: more than 16 bits number.
TEST_P(MetalCases, G5_MoreThanSixteenBitsOfBatches) {
  const std::int64_t batches = 65537;
  const auto number = [](std::int64_t i) { return double(i % 5); };
  const Array a = make_array({batches, 8}, number);
  const Contents after = run({.program = kManyBatches,
                              .numbers = {{"G", batches}},
                              .arrays = {{"A", a}, {"B", ones({batches, 8})}, {"C", poisoned({batches})}}});
  for (std::size_t g = 0; g < static_cast<std::size_t>(batches); ++g) {
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += a.values[g * 8 + k];
    ASSERT_EQ(after.at("C")[g], sum) << g;
  }
}

// ---- By the plan and the text ---------------------------------------------------------------------------------------

/// Every way to part the tile between subgroups.
TEST(MetalPlans, F5_EverySplitOfOneTile) {
  for (const char* threads : {"32", "64", "128", "256", "512"})
    lower::testing::run_planned("p M=64 N=16 K=64", {{"threads_per_group", threads}},
                                MatrixText{.bm = 64, .bn = 16, .bk = 64}.text());
}

TEST(MetalPlans, B13_SlicesOfTheContractionThatAreEmpty) {
  const char* const text = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[8, M, N]
  parallel p in 8, i in ceildiv(M, 32), j in ceildiv(N, 32) {
    axis m: 32, n: 32, k: 16
    acc[m, n] = 0.0
    serial s in min(1, max(0, ceildiv(K, 16) - p)) {
      a[m, k] = A[i*32 + m, p*16 + k]
      b[k, n] = B[p*16 + k, j*32 + n]
      acc = mma(a, b, acc)
    }
    C[p, i*32 + m, j*32 + n] = acc
  }
})";
  lower::testing::run_planned("p M=64 N=64 K=40", {}, text);
}

std::string metal_text(const lower::testing::Settings& settings) {
  const auto program = Program::load("gemm");
  EXPECT_TRUE(program);
  const auto kernel = compile(*program, {{{"M", 64}, {"N", 64}, {"K", 64}}, {}},
                              {.target = Target::MetalSimdgroup, .settings = settings});
  EXPECT_TRUE(kernel) << render(kernel.error());
  return kernel->print_after("msl").value_or("");
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(MetalPlans, C6_C8_EveryFenceIsABarrierThatOrdersMemory) {
  const auto lowered = lower::testing::lower_line("gemm M=64 N=64 K=64");
  ASSERT_TRUE(lowered);
  const std::string text = metal_text({});
  EXPECT_EQ(count_of(text, "threadgroup_barrier("), count_of(kernel::print(lowered->kernels), "fence "));
  EXPECT_EQ(count_of(text, "mem_none"), 0u);
}

TEST(MetalPlans, C13_C14_StaticArraysAndNoAttributeOfThirtyTwo) {
  for (const std::string threads : {"32", "64"}) {
    const std::string text = metal_text({{"threads_per_group", threads}});
    EXPECT_EQ(count_of(text, "[[threadgroup("), 0u);
    EXPECT_EQ(count_of(text, "max_total_threads_per_threadgroup(32)"), 0u);
    // A group of 32 declares more: a declaration of exactly 32 was miscompiled.
    EXPECT_EQ(count_of(text, "max_total_threads_per_threadgroup(64)"), 1u);
  }
}

/// Every window, also those that are more than two iterations in flight: the same values.
TEST(MetalPlans, C12_EveryWindow) {
  for (const char* window : {"1", "2", "3", "4", "5"}) {
    std::string text = MatrixText{.stages = true}.text();
    const std::string loop = "s in ceildiv(K, 16) {";
    text.replace(text.find(loop), loop.size(), "s in ceildiv(K, 16) window " + std::string(window) + " {");
    for (const char* wanted : {"0", "2"})
      lower::testing::run_planned("p M=64 N=64 K=80", {{"pipeline_window", wanted}}, text);
  }
}

}  // namespace
}  // namespace tilewright::cases
