// mma and whole matrix programs: order, classes, bounds, sampling, speed of the exact path.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tile/interpreter_run.h"

namespace tilewright::tile::testing {
namespace {

const char* const kGemm =
    "program gemm(M, N, K; BM: {2, 4, 64} = 4, BN: {2, 4, 64} = 4, BK: {2, 4, 32} = 4, T: type {f32, f16, bf16} = f32) "
    "{\n"
    "in A: T[M, K]\n in B: T[K, N]\n out C: f32[M, N]\n"
    "parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {\n acc[m: BM, n: BN] = 0.0\n"
    "pipeline s in ceildiv(K, BK) {\n a[m, k: BK] = A[i*BM + m, s*BK + k]\n b[k, n] = B[s*BK + k, j*BN + n]\n"
    "acc = mma(a, b, acc)\n }\n C[i*BM + m, j*BN + n] = acc\n } }";

/// One mma of rows x depth by depth x columns onto C, all inputs.
const char* const kOneMma =
    "program p(M, N, K; T: type {f32, f16, bf16} = f32) { in A: T[M, K]\n in B: T[K, N]\n in C: f32[M, N]\n out Y: "
    "f32[M, N]\n"
    "parallel i in 1 {\n axis m: M, n: N, k: K\n a[m, k] = A[m, k]\n b[k, n] = B[k, n]\n c[m, n] = C[m, n]\n"
    "Y[m, n] = mma(a, b, c)\n } }";

TEST(Mma, TypedIsTheAscendingChainOfFusedMultiplyAdds) {
  for (const auto& [M, N, K] : {std::array{5, 11, 7}, std::array{33, 1, 9}, std::array{1, 17, 20}}) {
    Trial run(kOneMma, {{"M", M}, {"N", N}, {"K", K}});
    run.fill_random(7);
    ASSERT_EQ(run.disagreement(), "");
    const Values a = run.values("A"), b = run.values("B"), c = run.values("C"), y = run.values("Y");
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        float sum = static_cast<float>(c[m * N + n]);
        for (int k = 0; k < K; ++k)
          sum = std::fma(static_cast<float>(a[m * K + k]), static_cast<float>(b[k * N + n]), sum);
        EXPECT_EQ(y[m * N + n], sum);
      }
  }
}

TEST(Mma, BatchesAndSeveralContractions) {
  Trial run(
      "program p() { in A: f32[2, 3, 2, 2]\n in B: f32[2, 2, 2, 9]\n out Y: f32[2, 3, 9]\n parallel i in 1 {\n"
      "axis g: 2, m: 3, n: 9, k: 2, l: 2\n a[m, k, g, l] = A[g, m, k, l]\n b[n, l, g, k] = B[l, g, k, n]\n zero[n, g, "
      "m] = 0.0\n"
      "c = mma(a, b, zero)\n Y[g, m, n] = c\n } }");
  run.fill_random(3);
  ASSERT_EQ(run.disagreement(), "");
  const Values a = run.values("A"), b = run.values("B"), y = run.values("Y");
  for (int g = 0; g < 2; ++g)
    for (int m = 0; m < 3; ++m)
      for (int n = 0; n < 9; ++n) {
        float sum = 0;
        for (int k = 0; k < 2; ++k)
          for (int l = 0; l < 2; ++l)
            sum = std::fma(static_cast<float>(a[((g * 3 + m) * 2 + k) * 2 + l]),
                           static_cast<float>(b[((l * 2 + g) * 2 + k) * 9 + n]), sum);
        EXPECT_EQ(y[(g * 3 + m) * 9 + n], sum);
      }
}

TEST(Mma, IntegersWrap) {
  Trial run(
      "program p(K) { in A: i32[2, K]\n in B: i32[K, 2]\n out Y: i32[2, 2]\n parallel i in 1 {\n axis m: 2, n: 2, k: "
      "K\n"
      "a[m, k] = A[m, k]\n b[k, n] = B[k, n]\n c[m, n] = i32(1)\n Y[m, n] = mma(a, b, c)\n } }",
      {{"K", 2}});
  run.fill("A", {65536, 1, 3, 4}).fill("B", {65536, 1, 5, -6});
  ASSERT_EQ(run.disagreement(), "");
  expect_same(run.values("Y"), {6, 65531, 196629, -20});
}

TEST(Mma, ClassesOfZerosInfinitiesAndNan) {
  auto one = [](Values a, Values b, double c) {
    Trial run(kOneMma, {{"M", 1}, {"N", 1}, {"K", static_cast<std::int64_t>(a.size())}});
    run.fill("A", a).fill("B", b).fill("C", {c});
    EXPECT_EQ(run.disagreement(), "");
    const ExactOutput output = run.exact("Y");
    return std::pair(output.value[0], output.bound[0]);
  };
  auto expect = [](std::pair<double, double> found, double value) {
    EXPECT_TRUE(same(found.first, value)) << found.first;
    EXPECT_EQ(found.second, 0);
  };
  expect(one({-0.0, 0}, {1, -1}, -0.0), -0.0);
  expect(one({0.0, 0}, {1, -1}, -0.0), 0.0);
  expect(one({0}, {kInf}, 1), kNan);
  expect(one({1, 2}, {kInf, 1}, 1), kInf);
  expect(one({1, 2}, {kInf, -kInf}, 1), kNan);
  expect(one({1, 2}, {1, 1}, -kInf), -kInf);
  expect(one({1e30, 1e30}, {1e30, 1}, 0), kInf);
  EXPECT_EQ(one({1e25, 1e25}, {1e25, -1e25}, 0).second, kInf);
  EXPECT_LT(one({1, -1}, {1, 1}, 0).second, 1e-6);
  EXPECT_GT(one({1, -1}, {1, 1}, 0).second, 0);
}

TEST(Mma, EmptyContractionGivesTheAccumulator) {
  Trial run(kOneMma, {{"M", 2}, {"N", 1}, {"K", 0}});
  run.fill("C", {-0.0, 1.5});
  ASSERT_EQ(run.disagreement(), "");
  expect_same(run.values("Y"), {-0.0, 1.5});
  const ExactOutput exact = run.exact("Y");
  expect_same(exact.value, {-0.0, 1.5});
  expect_same(exact.bound, {0, 0});
}

TEST(Mma, OperandsWithBounds) {
  Trial run(
      "program p(M, N, K) { in A: f32[M, K]\n in B: f32[K, N]\n out Y: f32[M, N]\n parallel i in 1 {\n axis m: M, n: "
      "N, k: K\n"
      "a[m, k] = A[m, k]\n b[k, n] = B[k, n]\n zero[m, n] = 0.0\n Y[m, n] = mma(exp(a), tanh(b), mma(a, exp(b), "
      "zero))\n } }",
      {{"M", 9}, {"N", 13}, {"K", 21}});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    run.fill_random(seed, -2, 2);
    EXPECT_EQ(run.disagreement(), "");
  }
  const ExactOutput output = run.exact("Y");
  for (double bound : output.bound) EXPECT_LT(bound, 1e-2);
}

TEST(Gemm, RaggedEdgesInEveryType) {
  for (DataType type : {DataType::F32, DataType::F16, DataType::BF16})
    for (const auto& [M, N, K] : {std::array{7, 5, 9}, std::array{1, 1, 1}, std::array{8, 8, 0}, std::array{0, 3, 2}}) {
      Trial run(kGemm, {{"M", M}, {"N", N}, {"K", K}}, {{"T", type}});
      run.fill_random(11);
      EXPECT_EQ(run.disagreement(), "");
    }
}

TEST(Gemm, PaddedZerosAreOperands) {
  Trial run(kGemm, {{"M", 1}, {"N", 1}, {"K", 1}});
  run.fill("A", {kInf}).fill("B", {2});
  ASSERT_EQ(run.disagreement(), "");
  EXPECT_TRUE(same(run.values("C")[0], kInf));
}

/// Sum of |a||b| for each result, for the tests that bounds are not vacuous.
Values magnitudes(const Trial& run, int M, int N, int K) {
  const Values a = run.values("A"), b = run.values("B");
  Values sums(static_cast<std::size_t>(M * N));
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k)
      for (int n = 0; n < N; ++n) sums[m * N + n] += std::abs(a[m * K + k] * b[k * N + n]);
  return sums;
}

TEST(Gemm, BoundsAreNotVacuous) {
  const int M = 8, N = 8, K = 1024;
  Trial whole(kOneMma, {{"M", M}, {"N", N}, {"K", K}});
  Trial tiled(kGemm, {{"M", M}, {"N", N}, {"K", K}, {"BK", 32}});
  whole.fill_random(5);
  tiled.fill_random(5);
  const Values sums = magnitudes(tiled, M, N, K);
  const Values of_whole = magnitudes(whole, M, N, K);
  const ExactOutput at_once = whole.exact("Y");
  const ExactOutput in_steps = tiled.exact("C");
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_LT(at_once.bound[i], 1e-4 * of_whole[i] + 1e-6);
    EXPECT_LT(in_steps.bound[i], 1e-5 * sums[i]);
  }
}

TEST(Gemm, RoundingOperandsToFewerBitsIsNoticed) {
  const int M = 16, N = 16, K = 1024;
  Trial run(kGemm, {{"M", M}, {"N", N}, {"K", K}, {"BM", 16}, {"BN", 16}, {"BK", 32}});
  run.fill_random(6);
  const ExactOutput expected = run.exact("C");
  for (const char* name : {"A", "B"}) {
    Values values = run.values(name);
    for (double& v : values) v = std::ldexp(std::round(std::ldexp(v, 11 - std::ilogb(v))), std::ilogb(v) - 11);
    run.fill(name, values);
  }
  ASSERT_TRUE(run.typed().has_value());
  const Values found = run.values("C");
  int wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    wrong += agree(found[i], expected.value[i], expected.bound[i]) != Agreement::Within ? 1 : 0;
  EXPECT_GT(wrong, M * N / 2);
}

std::string relaxed_text(std::string text) {
  const std::size_t at = text.find("mma(a, b, ");
  return text.insert(text.find(')', at), ", relaxed");
}

/// The low bits of every element of A and B are dropped, then the program runs; the elements off their bounds.
int too_far_without(int low_bits, const std::string& text, const std::map<std::string, double>& fill = {}) {
  const int M = 16, N = 16, K = 256;
  Trial run(text, {{"M", M}, {"N", N}, {"K", K}, {"BM", 16}, {"BN", 16}, {"BK", 32}});
  run.fill_random(6);
  for (const auto& [name, number] : fill) run.fill(name, Values(run.values(name).size(), number));
  const ExactOutput expected = run.exact("C");
  for (const char* name : {"A", "B"}) {
    Values values = run.values(name);
    for (double& v : values)
      v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> low_bits << low_bits);
    run.fill(name, values);
  }
  EXPECT_TRUE(run.typed().has_value());
  const Values found = run.values("C");
  int wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    wrong += agree(found[i], expected.value[i], expected.bound[i]) != Agreement::Within ? 1 : 0;
  return wrong;
}

TEST(Relaxed, OperandsOfTenBitsAreWithinTheBoundAndNoOthers) {
  const std::string relaxed = relaxed_text(kGemm);
  EXPECT_EQ(too_far_without(13, relaxed), 0);
  EXPECT_GT(too_far_without(13, kGemm), 128);
  // Numbers that lose nearly all that they may: the bound has no slack to speak of.
  const std::map<std::string, double> worst{{"A", 1 + 0x1p-10 - 0x1p-23}, {"B", 1 + 0x1p-10 - 0x1p-23}};
  EXPECT_EQ(too_far_without(13, relaxed, worst), 0);
  const std::map<std::string, double> beyond{{"A", 1 + 0x1.02p-10}, {"B", 1 + 0x1.02p-10}};
  EXPECT_EQ(too_far_without(13, relaxed, beyond), 0);
  EXPECT_EQ(too_far_without(14, relaxed, beyond), 256);
}

TEST(Relaxed, TheBoundIsTheStrictOneAndTheRounding) {
  const std::map<std::string, std::int64_t> sizes{{"M", 3}, {"N", 5}, {"K", 32}};
  Trial strict(kOneMma, sizes), relaxed(relaxed_text(kOneMma), sizes);
  strict.fill_random(2), relaxed.fill_random(2);
  const ExactOutput narrow = strict.exact("Y"), wide = relaxed.exact("Y");
  const Values a = relaxed.values("A"), b = relaxed.values("B");
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 5; ++n) {
      const auto i = static_cast<std::size_t>(m * 5 + n);
      double magnitude = 0;
      for (int k = 0; k < 32; ++k) magnitude += std::abs(a[m * 32 + k] * b[k * 5 + n]);
      EXPECT_EQ(wide.value[i], narrow.value[i]);
      const double rounding = magnitude * (2 * 0x1p-10 + 0x1p-20);
      EXPECT_NEAR(wide.bound[i] - narrow.bound[i], rounding, rounding * 1e-4);
    }
}

/// Where no bit may go, nothing changes: narrow types, and numbers of few bits.
TEST(Relaxed, WhatHasNoMoreBitsKeepsItsBound) {
  for (DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
    const std::map<std::string, std::int64_t> sizes{{"M", 3}, {"N", 5}, {"K", 9}};
    Trial strict(kOneMma, sizes, {{"T", type}}), relaxed(relaxed_text(kOneMma), sizes, {{"T", type}});
    for (Trial* run : {&strict, &relaxed}) {
      run->fill_random(4);
      if (type != DataType::F32) continue;
      for (const char* name : {"A", "B"}) {
        Values values = run->values(name);
        for (double& v : values) v = std::round(v * 8);
        run->fill(name, values);
      }
    }
    EXPECT_EQ(strict.exact("Y").bound, relaxed.exact("Y").bound) << data_type_name(type);
  }
}

TEST(Relaxed, SpecialNumbersStay) {
  auto one = [](Values a, Values b, double c) {
    Trial run(relaxed_text(kOneMma), {{"M", 1}, {"N", 1}, {"K", static_cast<std::int64_t>(a.size())}});
    run.fill("A", a).fill("B", b).fill("C", {c});
    EXPECT_EQ(run.disagreement(), "");
    const ExactOutput output = run.exact("Y");
    return std::pair(output.value[0], output.bound[0]);
  };
  const double ragged = 1 + 0x1p-23;
  EXPECT_TRUE(same(one({kNan}, {ragged}, 1).first, kNan));
  EXPECT_EQ(one({kInf, ragged}, {ragged, ragged}, 1).first, kInf);
  EXPECT_EQ(one({kInf, ragged}, {ragged, ragged}, 1).second, 0);
  EXPECT_TRUE(same(one({kInf}, {0}, 1).first, kNan));
  EXPECT_EQ(one({-0.0, 0}, {1, -1}, -0.0).second, 0);
  // A subnormal may become 0, and a number near the largest may become Inf.
  EXPECT_EQ(one({kInf}, {0x1p-140}, 1).second, kInf);
  EXPECT_EQ(one({0x1.fffffep127}, {0x1p-10}, 1).second, kInf);
  EXPECT_LT(one({0x1.fep127}, {0x1p-10}, 1).second, kInf);
}

/// Ragged edges, in the order of the text as well.
TEST(Relaxed, TheTypedInterpreterIsWithinTheBound) {
  for (const char* words : {", relaxed", ", relaxed, ordered"}) {
    std::string text = kGemm;
    text.insert(text.find(", acc)") + 5, words);
    Trial run(text, {{"M", 7}, {"N", 5}, {"K", 9}});
    run.fill_random(11);
    EXPECT_EQ(run.disagreement(), "");
  }
}

/// The gemm above in f32, but each mma adds its products in a random tree, some fused.
Values gemm_in_random_trees(const Trial& run, std::mt19937_64& random, int M, int N, int K, int BK) {
  const Values a = run.values("A"), b = run.values("B");
  Values c(static_cast<std::size_t>(M * N));
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float acc = 0;
      for (int s = 0; s < K; s += BK) {
        std::vector<float> nodes{acc};
        for (int k = s; k < std::min(s + BK, K); ++k) {
          const float x = static_cast<float>(a[m * K + k]), y = static_cast<float>(b[k * N + n]);
          float& some = nodes[random() % nodes.size()];
          if (random() % 3 == 0)
            some = std::fma(x, y, some);
          else
            nodes.push_back(x * y);
        }
        while (nodes.size() > 1) {
          std::swap(nodes[random() % nodes.size()], nodes.back());
          const float last = nodes.back();
          nodes.pop_back();
          nodes[random() % nodes.size()] += last;
        }
        acc = nodes.front();
      }
      c[m * N + n] = acc;
    }
  return c;
}

TEST(Gemm, EveryOrderIsWithinTheBound) {
  std::mt19937_64 random(9);
  const int M = 6, N = 10, K = 75, BK = 16;
  for (int trial = 0; trial < 60; ++trial) {
    Trial run(kGemm, {{"M", M}, {"N", N}, {"K", K}, {"BK", BK}});
    const double scale = std::exp2(static_cast<double>(random() % 120) - 60);
    run.fill_random(random(), -scale, scale);
    const ExactOutput expected = run.exact("C");
    for (int order = 0; order < 4; ++order) {
      const Values found = gemm_in_random_trees(run, random, M, N, K, BK);
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(agree(found[i], expected.value[i], expected.bound[i]), Agreement::Within)
            << found[i] << " against " << expected.value[i] << " +- " << expected.bound[i] << ", scale " << scale;
    }
  }
}

void want(InterpreterOptions& options, ObjectId output, std::vector<std::int64_t> rows) {
  if (!options.rows) options.rows.emplace();
  (*options.rows)[output] = std::move(rows);
}

TEST(Sampling, SampledRowsEqualTheFullRun) {
  Trial run(kGemm, {{"M", 23}, {"N", 9}, {"K", 17}});
  run.fill_random(4);
  const ExactOutput full = run.exact("C");
  InterpreterOptions options;
  const std::vector<std::int64_t> rows{0, 13, 22};
  want(options, run.id("C"), rows);
  ASSERT_EQ(row_count(run.program(), run.id("C")), 23);
  const ExactOutput sampled = run.exact("C", options);
  for (std::int64_t row = 0; row < 23; ++row)
    for (std::int64_t n = 0; n < 9; ++n) {
      const auto i = static_cast<std::size_t>(row * 9 + n);
      const bool wanted = std::find(rows.begin(), rows.end(), row) != rows.end();
      EXPECT_EQ(sampled.written[i], wanted ? 1 : 0);
      if (!wanted) continue;
      EXPECT_EQ(sampled.value[i], full.value[i]);
      EXPECT_EQ(sampled.bound[i], full.bound[i]);
    }
}

TEST(Sampling, OnlyInstancesThatTouchTheRowsRun) {
  // Every instance but the last one reads outside of A.
  const char* const text =
      "program p(N) { in A: f32[N]\n out Y: f32[N]\n parallel i in N {\n Y[N - 1 - i] = A[N - 2 + 2*i] assume\n } }";
  Trial run(text, {{"N", 4}});
  InterpreterOptions options;
  EXPECT_FALSE(run.exact().has_value());
  want(options, run.id("Y"), {3});
  EXPECT_TRUE(run.exact(options).has_value());
  EXPECT_TRUE(run.typed(options).has_value());
  want(options, run.id("Y"), {3, 2});
  EXPECT_FALSE(run.exact(options).has_value());
}

TEST(Sampling, WhatLaterLaunchesReadIsComplete) {
  const char* const text =
      "program p(N) { in A: f32[N]\n temp T: f32[N]\n out Y: f32[N]\n out Z: f32[N]\n parallel i in N {\n T[i] = A[i] "
      "* 2.0\n"
      "Z[i] = A[i]\n }\n parallel i in N {\n Y[i] = T[N - 1 - i]\n } }";
  Trial run(text, {{"N", 8}});
  run.fill_random(1);
  InterpreterOptions options;
  want(options, run.id("Y"), {2});
  want(options, run.id("Z"), {5});
  const auto outputs = run.exact(options);
  ASSERT_TRUE(outputs.has_value());
  const Values a = run.values("A");
  EXPECT_EQ(outputs->at(run.id("Y")).value[2], 2 * a[5]);
  EXPECT_EQ(outputs->at(run.id("Z")).value[5], a[5]);
}

TEST(Sampling, ProgressGoesFromZeroToOne) {
  Trial run(kGemm, {{"M", 64}, {"N", 64}, {"K", 4}});
  Values seen;
  InterpreterOptions options;
  options.progress = [&](double done) { seen.push_back(done); };
  ASSERT_TRUE(run.exact(options).has_value());
  ASSERT_GE(seen.size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
  EXPECT_LE(seen.size(), 260u);
}

}  // namespace
}  // namespace tilewright::tile::testing
