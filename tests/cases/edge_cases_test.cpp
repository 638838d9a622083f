// Padding, zero sizes, pipelines: rows B8, B9, B12, C10, C11 of the list of public faults.
#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using EdgeCases = OnTargets;
TW_ON_ALL_TARGETS(EdgeCases);

TEST_P(EdgeCases, B8_EmptyContractionGivesPositiveZero) {
  Case c{.program = "gemm", .numbers = {{"M", 3}, {"N", 3}, {"K", 0}}};
  c.arrays["A"] = Array{{3, 0}, {}};
  c.arrays["B"] = Array{{0, 3}, {}};
  c.arrays["C"] = poisoned({3, 3});
  for (double value : only(run(c), "C")) {
    EXPECT_EQ(value, 0.0);
    EXPECT_FALSE(std::signbit(value));
  }
}

TEST_P(EdgeCases, B9_ZeroDimensionsAreACleanNoOp) {
  for (auto [m, n, k] : {std::tuple{0, 5, 3}, std::tuple{5, 0, 3}, std::tuple{0, 0, 0}}) {
    Case c{.program = "gemm", .numbers = {{"M", m}, {"N", n}, {"K", k}}};
    c.arrays["A"] = filled({m, k}, 1);
    c.arrays["B"] = filled({k, n}, 1);
    c.arrays["C"] = poisoned({m, n});
    EXPECT_TRUE(run(c).at("C").empty());
  }
  Case c{.program = "batched_gemm", .numbers = {{"G", 0}, {"M", 5}, {"N", 5}, {"K", 5}}};
  for (const char* name : {"A", "B", "C"}) c.arrays[name] = Array{{0, 5, 5}, {}};
  EXPECT_TRUE(run(c).at("C").empty());
}

/// Padding hides no NaN and makes none; zeros keep the sign that an ordered product gives them.
TEST_P(EdgeCases, B12_PaddingNeitherHidesNorMakesNaN) {
  Case c{.program = "gemm", .numbers = {{"M", 9}, {"N", 9}, {"K", 9}, {"BM", 8}, {"BN", 8}, {"BK", 8}}};
  Array a = filled({9, 9}, 1.0), b = filled({9, 9}, 1.0);
  for (std::size_t k = 0; k < 9; ++k) {
    a.values[3 * 9 + k] = -0.0;
    a.values[8 * 9 + k] = k == 8 ? 0.0 : 1.0;
    b.values[8 * 9 + k] = kInf;
  }
  a.values[3 * 9 + 8] = 1.0;
  c.arrays["A"] = a;
  c.arrays["B"] = b;
  c.arrays["C"] = poisoned({9, 9});
  const auto out = run(c).at("C");
  for (std::size_t m = 0; m < 9; ++m)
    for (std::size_t n = 0; n < 9; ++n) {
      if (m == 8) {
        EXPECT_TRUE(std::isnan(out[m * 9 + n])) << m << ", " << n;
      } else {
        EXPECT_EQ(out[m * 9 + n], kInf) << m << ", " << n;
      }
    }
}

TEST_P(EdgeCases, B12_SignedZeros) {
  for (std::int64_t size : {9, 8, 1}) {
    Case c{.program = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  in start: f32
  out C: f32[M, N]
  parallel i in ceildiv(M, 8), j in ceildiv(N, 8) {
    acc[m: 8, n: 8] = start
    pipeline s in ceildiv(K, 8) {
      a[m, k: 8] = A[i*8 + m, s*8 + k] else -0.0
      b[k, n] = B[s*8 + k, j*8 + n]
      acc = mma(a, b, acc)
    }
    C[i*8 + m, j*8 + n] = acc
  }
})",
           .numbers = {{"M", size}, {"N", size}, {"K", 8}}};
    c.arrays["A"] = filled({size, 8}, -0.0);
    c.arrays["B"] = filled({8, size}, 1.0);
    c.arrays["start"] = Array{{}, {-0.0}};
    c.arrays["C"] = poisoned({size, size});
    for (double value : only(run(c), "C")) EXPECT_TRUE(value == 0.0 && std::signbit(value)) << size;
    c.arrays["start"] = Array{{}, {0.0}};
    for (double value : only(run(c), "C")) EXPECT_TRUE(value == 0.0 && !std::signbit(value)) << size;
  }
}

/// Every class of value at interior and edge elements of a copy.
TEST_P(EdgeCases, SpecialValuesSurviveACopyAtEveryPlace) {
  const double special[] = {0.0, -0.0, 1e-45, -1e-45, 1e-39, kInf, -kInf, kNaN, 3.5};
  for (std::int64_t size : {1, 7, 8, 9, 17}) {
    Case c{.program = R"(program p(N) {
  in X: f32[N]
  out Y: f32[N]
  parallel i in ceildiv(N, 8) {
    x[r: 8] = X[i*8 + r]
    Y[i*8 + r] = x
  }
})",
           .numbers = {{"N", size}}};
    for (int shift = 0; shift < 9; ++shift) {
      c.arrays["X"] = make_array({size}, [&](std::int64_t i) { return special[(i + shift) % 9]; });
      c.arrays["Y"] = poisoned({size});
      const auto out = run(c).at("Y");
      for (std::int64_t i = 0; i < size; ++i) {
        const double expected = static_cast<float>(special[(i + shift) % 9]);
        const double found = out[static_cast<std::size_t>(i)];
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(found)
                                         : found == expected && std::signbit(found) == std::signbit(expected));
      }
    }
  }
}

TEST_P(EdgeCases, C10_ConditionalUseOfAPipelinedLoad) {
  Case c{.program = R"(program p(N) {
  in X: i32[N]
  in flag: i32
  out Y: i32[N]
  parallel p in 1 {
    pipeline t in N window 2 {
      stage "load"
      x = X[t]
      stage "use"
      if flag != 0 {
        Y[t] = x + 1
      }
    }
  }
})",
         .numbers = {{"N", 17}}};
  c.arrays["X"] = make_array({17}, [](std::int64_t i) { return static_cast<double>(i); }, DataType::I32);
  c.arrays["flag"] = Array{{}, {1.0}, {}, 0, DataType::I32};
  c.arrays["Y"] = filled({17}, -5, DataType::I32);
  const auto out = run(c).at("Y");
  for (std::size_t i = 0; i < 17; ++i) EXPECT_EQ(out[i], static_cast<double>(i + 1));
}

TEST_P(EdgeCases, C11_OrderOfIndependentStatementsDoesNotMatter) {
  auto text = [](const std::string& first, const std::string& second) {
    return R"(program p(K) {
  in A: f32[K, 8]
  in B: f32[K, 8]
  out S: f32[8]
  out C: f32[8, 8]
  parallel p in 1 {
    total[n: 8] = 0.0
    acc[m: 8, n] = 0.0
    pipeline s in ceildiv(K, 16) window 3 {
      a[k: 16, m] = A[s*16 + k, m]
      b[k, n] = B[s*16 + k, n]
      )" + first +
           "\n      " + second + R"(
    }
    S[n] = total
    C[m, n] = acc
  }
})";
  };
  Case c{.program = text("total = total + sum(b, k)", "acc = mma(a, b, acc)"), .numbers = {{"K", 5000}}};
  auto wave = [](std::int64_t i) { return std::sin(static_cast<double>(i)); };
  c.arrays["A"] = make_array({5000, 8}, [&](std::int64_t i) { return static_cast<float>(wave(i)); });
  c.arrays["B"] = make_array({5000, 8}, [&](std::int64_t i) { return static_cast<float>(wave(3 * i + 1)); });
  c.arrays["S"] = poisoned({8});
  c.arrays["C"] = poisoned({8, 8});
  const auto one = run(c);
  c.program = text("acc = mma(a, b, acc)", "total = total + sum(b, k)");
  const auto other = run(c);
  EXPECT_EQ(one.at("S"), other.at("S"));
  EXPECT_EQ(one.at("C"), other.at("C"));
}

}  // namespace
}  // namespace tilewright::cases
