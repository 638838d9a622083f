// Several users of one value, epilogues, static extents: rows F2, F4, F7 of the list of public faults.
#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using FusionCases = OnTargets;
TW_ON_ALL_TARGETS(FusionCases);

double ramp(std::int64_t i) { return static_cast<double>(i % 7) - 3; }

std::vector<double> product(const Array& a, const Array& b, std::int64_t m, std::int64_t n, std::int64_t k) {
  std::vector<double> out(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t l = 0; l < k; ++l)
        out[static_cast<std::size_t>(i * n + j)] +=
            a.values[static_cast<std::size_t>(i * k + l)] * b.values[static_cast<std::size_t>(l * n + j)];
  return out;
}

TEST_P(FusionCases, F2_AValueWithSeveralUsersIsStoredAndUsed) {
  Case c{.program = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out D: f32[M, N]
  out E: f32[M, N]
  out F: f32[M, N]
  parallel i in ceildiv(M, 8), j in ceildiv(N, 8) {
    acc[m: 8, n: 8] = 0.0
    pipeline s in ceildiv(K, 4) {
      a[m, k: 4] = A[i*8 + m, s*4 + k]
      b[k, n] = B[s*4 + k, j*8 + n]
      acc = mma(a, b, acc)
    }
    e = max(acc, 0.0)
    D[i*8 + m, j*8 + n] = acc
    E[i*8 + m, j*8 + n] = e
    F[i*8 + m, j*8 + n] = acc + e
  }
})",
         .numbers = {{"M", 9}, {"N", 10}, {"K", 5}}};
  c.arrays["A"] = make_array({9, 5}, ramp);
  c.arrays["B"] = make_array({5, 10}, [](std::int64_t i) { return ramp(i * 3); });
  for (const char* name : {"D", "E", "F"}) c.arrays[name] = poisoned({9, 10});
  const auto out = run(c);
  const auto d = product(c.arrays["A"], c.arrays["B"], 9, 10, 5);
  for (std::size_t i = 0; i < 90; ++i) {
    EXPECT_EQ(out.at("D")[i], d[i]) << i;
    EXPECT_EQ(out.at("E")[i], std::max(d[i], 0.0)) << i;
    EXPECT_EQ(out.at("F")[i], d[i] + std::max(d[i], 0.0)) << i;
  }
}

TEST_P(FusionCases, F4_TheAccumulatorIsAnOrdinaryTileAfterTheLoop) {
  Case c{.program = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  out best: f32[M]
  parallel i in ceildiv(M, 8) {
    acc[m: 8, n: N] = 0.0
    serial s in ceildiv(K, 4) {
      a[m, k: 4] = A[i*8 + m, s*4 + k]
      b[k, n] = B[s*4 + k, n]
      acc = mma(a, b, acc)
    }
    acc = acc * 2.0
    best[i*8 + m] = max(acc, n)
    C[i*8 + m, n] = acc
  }
})",
         .numbers = {{"M", 9}, {"N", 10}, {"K", 5}}};
  c.arrays["A"] = make_array({9, 5}, ramp);
  c.arrays["B"] = make_array({5, 10}, [](std::int64_t i) { return ramp(i * 3); });
  c.arrays["C"] = poisoned({9, 10});
  c.arrays["best"] = poisoned({9});
  const auto out = run(c);
  const auto d = product(c.arrays["A"], c.arrays["B"], 9, 10, 5);
  for (std::size_t m = 0; m < 9; ++m) {
    double best = -kInf;
    for (std::size_t n = 0; n < 10; ++n) {
      EXPECT_EQ(out.at("C")[m * 10 + n], 2 * d[m * 10 + n]);
      best = std::max(best, 2 * d[m * 10 + n]);
    }
    EXPECT_EQ(out.at("best")[m], best);
  }
}

TEST_P(FusionCases, F6_RowSumBesideTheProduct) {
  Case c{.program = R"(program p(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  out S: f32[M]
  parallel i in ceildiv(M, 8) {
    acc[m: 8, n: N] = 0.0
    total[m] = 0.0
    serial s in ceildiv(K, 4) {
      a[m, k: 4] = A[i*8 + m, s*4 + k]
      b[k, n] = B[s*4 + k, n]
      acc = mma(a, b, acc)
      total = total + sum(a, k)
    }
    C[i*8 + m, n] = acc
    S[i*8 + m] = total
  }
})",
         .numbers = {{"M", 9}, {"N", 3}, {"K", 6}}};
  c.arrays["A"] = make_array({9, 6}, ramp);
  c.arrays["B"] = make_array({6, 3}, ramp);
  c.arrays["C"] = poisoned({9, 3});
  c.arrays["S"] = poisoned({9});
  const auto out = run(c);
  EXPECT_EQ(out.at("C"), product(c.arrays["A"], c.arrays["B"], 9, 3, 6));
  for (std::int64_t m = 0; m < 9; ++m) {
    double sum = 0;
    for (std::int64_t k = 0; k < 6; ++k) sum += ramp(m * 6 + k);
    EXPECT_EQ(out.at("S")[static_cast<std::size_t>(m)], sum);
  }
}

TEST_P(FusionCases, F7_StaticExtentsAroundPowersOfTwo) {
  for (std::int64_t extent : {127, 128, 255, 256, 32768, 65536}) {
    const std::string n = std::to_string(extent);
    Case c{.program = "program p() {\n  in X: f32[" + n + "]\n  out Y: f32[" + n + "]\n  out S: f32[1]\n" +
                      "  parallel i in 1 {\n    x[r: " + n +
                      "] = X[r]\n    Y[r] = x + 1.0\n    S[0] = sum(x, r)\n  }\n}\n"};
    // A tile of this size does not fit what one thread of a GPU keeps for itself; that is refused by name.
    if (extent == 65536 && is_metal(GetParam())) {
      c.arrays = {{"X", make_array({extent}, ramp)}, {"Y", poisoned({extent})}, {"S", poisoned({1})}};
      expect_refused(try_run(c), DiagCode::Unsupported, {"262144 bytes"});
      continue;
    }
    c.arrays["X"] = make_array({extent}, ramp);
    c.arrays["Y"] = poisoned({extent});
    c.arrays["S"] = poisoned({1});
    const auto out = run(c);
    double sum = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      ASSERT_EQ(out.at("Y")[static_cast<std::size_t>(i)], ramp(i) + 1) << extent << ": " << i;
      sum += ramp(i);
    }
    EXPECT_EQ(out.at("S")[0], sum) << extent;
  }
}

}  // namespace
}  // namespace tilewright::cases
