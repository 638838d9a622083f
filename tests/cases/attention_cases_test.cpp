// Reductions and attention: rows D3, D5-D8, D10, D11 of the list of public faults.
#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using AttentionCases = OnTargets;
TW_ON_ALL_TARGETS(AttentionCases);

double wave(std::int64_t i) { return static_cast<float>(std::sin(1.0 + static_cast<double>(i))); }

struct Sizes {
  std::int64_t lq, lk, d, dv;
  std::int64_t causal = 0;
  std::int64_t heads = 1, key_heads = 1;
};

Case attention(const Sizes& s, double scale = 0.5) {
  Case c{.program = "attention",
         .numbers = {{"B", 1},
                     {"Hq", s.heads},
                     {"Hkv", s.key_heads},
                     {"Lq", s.lq},
                     {"Lk", s.lk},
                     {"D", s.d},
                     {"Dv", s.dv},
                     {"causal", s.causal},
                     {"BQ", 8},
                     {"BK", 8}}};
  c.arrays["Q"] = make_array({1, s.heads, s.lq, s.d}, wave);
  c.arrays["K"] = make_array({1, s.key_heads, s.lk, s.d}, [](std::int64_t i) { return wave(i + 100); });
  c.arrays["V"] = make_array({1, s.key_heads, s.lk, s.dv}, [](std::int64_t i) { return wave(i + 200); });
  c.arrays["scale"] = Array{{}, {scale}};
  c.arrays["O"] = poisoned({1, s.heads, s.lq, s.dv});
  return c;
}

/// Softmax attention written out in FP64, bottom-right causal.
std::vector<double> expected(const Case& c, const Sizes& s) {
  const auto &q = c.arrays.at("Q").values, &k = c.arrays.at("K").values, &v = c.arrays.at("V").values;
  const double scale = static_cast<float>(c.arrays.at("scale").values[0]);
  std::vector<double> out;
  for (std::int64_t h = 0; h < s.heads; ++h)
    for (std::int64_t row = 0; row < s.lq; ++row) {
      const std::int64_t kh = h / (s.heads / s.key_heads);
      const std::int64_t seen = s.causal ? std::clamp<std::int64_t>(row + 1 + s.lk - s.lq, 0, s.lk) : s.lk;
      std::vector<double> weight;
      double best = -kInf, total = 0;
      for (std::int64_t key = 0; key < seen; ++key) {
        double dot = 0;
        for (std::int64_t d = 0; d < s.d; ++d)
          dot += q[static_cast<std::size_t>((h * s.lq + row) * s.d + d)] *
                 k[static_cast<std::size_t>((kh * s.lk + key) * s.d + d)];
        weight.push_back(dot * scale);
        best = std::max(best, weight.back());
      }
      for (double& w : weight) total += w = std::exp(w - best);
      for (std::int64_t e = 0; e < s.dv; ++e) {
        double sum = 0;
        for (std::int64_t key = 0; key < seen; ++key)
          sum += weight[static_cast<std::size_t>(key)] * v[static_cast<std::size_t>((kh * s.lk + key) * s.dv + e)];
        out.push_back(seen == 0 ? 0.0 : sum / total);
      }
    }
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5) << i;
}

TEST_P(AttentionCases, D3_NaNWinsInMaxAndMin) {
  const std::vector<std::vector<double>> rows = {{1, kNaN, 3}, {kNaN, 2, 3}, {1, 2, kNaN}, {kNaN}};
  for (const auto& row : rows) {
    Case c{.program = R"(program p(N) {
  in X: f32[N]
  out high: f32[1]
  out low: f32[1]
  parallel i in 1 {
    x[r: 4] = X[r] else -inf
    y[r] = X[r] else inf
    high[0] = max(x, r)
    low[0] = min(y, r)
  }
})",
           .numbers = {{"N", static_cast<std::int64_t>(row.size())}}};
    c.arrays["X"] = Array{{static_cast<std::int64_t>(row.size())}, row};
    c.arrays["high"] = poisoned({1});
    c.arrays["low"] = poisoned({1});
    const auto out = run(c);
    EXPECT_TRUE(std::isnan(out.at("high")[0]));
    EXPECT_TRUE(std::isnan(out.at("low")[0]));
  }
}

TEST_P(AttentionCases, D5_FullyMaskedRowIsZero) {
  const Sizes sizes{.lq = 3, .lk = 2, .d = 4, .dv = 4, .causal = 1};
  const Case c = attention(sizes);
  const auto out = run(c).at("O");
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(out[e], 0.0);
  expect_near(out, expected(c, sizes));
}

TEST_P(AttentionCases, D5_SoftmaxOfAFullyMaskedRowIsZero) {
  Case c{.program = "softmax", .numbers = {{"N", 2}, {"C", 3}}};
  c.arrays["X"] = Array{{2, 3}, {-kInf, -kInf, -kInf, 0, 0, -kInf}};
  c.arrays["Y"] = poisoned({2, 3});
  EXPECT_EQ(run(c).at("Y"), (std::vector<double>{0, 0, 0, 0.5, 0.5, 0}));
}

TEST_P(AttentionCases, D6_NaNInAMaskedKeyStaysOut) {
  const Sizes sizes{.lq = 4, .lk = 4, .d = 4, .dv = 3, .causal = 1};
  Case c = attention(sizes);
  const auto clean = run(c).at("O");
  for (std::size_t d = 0; d < 4; ++d) c.arrays["K"].values[3 * 4 + d] = kNaN;
  const auto out = run(c).at("O");
  for (std::size_t i = 0; i < 3 * 3; ++i) EXPECT_EQ(out[i], clean[i]) << i;
  for (std::size_t i = 3 * 3; i < 4 * 3; ++i) EXPECT_TRUE(std::isnan(out[i]));
}

TEST_P(AttentionCases, D7_CausalMaskIsAlignedBottomRight) {
  for (const Sizes& sizes :
       {Sizes{.lq = 2, .lk = 5, .d = 4, .dv = 4, .causal = 1}, Sizes{.lq = 5, .lk = 2, .d = 4, .dv = 4, .causal = 1},
        Sizes{.lq = 9, .lk = 17, .d = 5, .dv = 3, .causal = 1},
        Sizes{.lq = 17, .lk = 9, .d = 5, .dv = 3, .causal = 1}}) {
    const Case c = attention(sizes);
    const auto out = run(c).at("O");
    expect_near(out, expected(c, sizes));
    for (std::int64_t row = 0; row < sizes.lq - sizes.lk; ++row)
      for (std::int64_t e = 0; e < sizes.dv; ++e)
        EXPECT_EQ(out[static_cast<std::size_t>(row * sizes.dv + e)], 0.0) << row;
  }
}

TEST_P(AttentionCases, D8_LastKeyTileIsPartlyEmpty) {
  const Sizes sizes{.lq = 3, .lk = 9, .d = 5, .dv = 5};
  const Case c = attention(sizes);
  expect_near(run(c).at("O"), expected(c, sizes));
}

/// K and V lie in a larger buffer whose rows past the end hold Inf and NaN: they are never operands.
TEST_P(AttentionCases, B11_RowsPastTheEndAreNeverOperands) {
  const Sizes sizes{.lq = 1, .lk = 5, .d = 4, .dv = 4};
  Case c = attention(sizes);
  const Case clean = c;
  for (const char* name : {"K", "V"})
    for (std::size_t i = 0; i < 12; ++i) c.arrays[name].values.push_back(i % 2 ? kNaN : kInf);
  expect_near(run(c).at("O"), expected(clean, sizes));
}

TEST_P(AttentionCases, D10_OneQueryAndOneKey) {
  const Sizes sizes{.lq = 1, .lk = 1, .d = 16, .dv = 16};
  const Case c = attention(sizes, 3.0);
  expect_near(run(c).at("O"), c.arrays.at("V").values);
  for (std::int64_t keys : {2, 3}) {
    const Sizes more{.lq = 1, .lk = keys, .d = 16, .dv = 16};
    const Case d = attention(more, 3.0);
    expect_near(run(d).at("O"), expected(d, more));
  }
}

/// Backward of softmax with one key, as two products: dP = dO V^T, dS = P (dP - sum(P dP)), dQ = dS K. P = 1, so dQ =
/// 0.
TEST_P(AttentionCases, D10_GradientOfASingleKeyIsZero) {
  Case c{.program = R"(program p(D) {
  in dO: f32[1, D]
  in V: f32[1, D]
  in K: f32[1, D]
  in P: f32[1, 1]
  out dQ: f32[1, D]
  parallel i in 1 {
    g[q: 1, d: D] = dO[q, d]
    v[k: 1, d] = V[k, d]
    p[q, k] = P[q, k]
    dp = matmul(g, v, q, k)
    ds = p * (dp - sum(p * dp, k)) * 3.0
    key[k, d] = K[k, d]
    dQ[q, d] = matmul(ds, key, q, d)
  }
})",
         .numbers = {{"D", 16}}};
  for (const char* name : {"dO", "V", "K"}) c.arrays[name] = make_array({1, 16}, wave);
  c.arrays["P"] = filled({1, 1}, 1.0);
  c.arrays["dQ"] = poisoned({1, 16});
  for (double value : only(run(c), "dQ")) EXPECT_EQ(value, 0.0);
}

TEST_P(AttentionCases, D11_KeyAndValueSizesDiffer) {
  const Sizes sizes{.lq = 5, .lk = 7, .d = 96, .dv = 64};
  const Case c = attention(sizes);
  expect_near(run(c).at("O"), expected(c, sizes));
}

TEST_P(AttentionCases, GroupedHeadsShareTheirKeys) {
  const Sizes sizes{.lq = 3, .lk = 4, .d = 4, .dv = 4, .causal = 0, .heads = 6, .key_heads = 2};
  const Case c = attention(sizes);
  expect_near(run(c).at("O"), expected(c, sizes));
  Case bad = attention(sizes);
  bad.numbers["Hkv"] = 4;
  expect_refused(try_run(bad), DiagCode::RequirementFailed, {"Hq%Hkv == 0", "Hq = 6", "Hkv = 4"});
}

}  // namespace
}  // namespace tilewright::cases
