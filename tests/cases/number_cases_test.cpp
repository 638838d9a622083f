// Precision, NaN, activations: rows E2-E5, E10-E12 of the list of public faults.
#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using NumberCases = OnTargets;
TW_ON_ALL_TARGETS(NumberCases);

Case scaled_gemm(double alpha, double beta) {
  Case c{.program = "gemm_alpha_beta", .numbers = {{"M", 4}, {"N", 4}, {"K", 4}}};
  c.arrays["A"] = filled({4, 4}, 1.0);
  c.arrays["B"] = filled({4, 4}, 2.0);
  c.arrays["C"] = filled({4, 4}, 5.0);
  c.arrays["alpha"] = Array{{}, {alpha}};
  c.arrays["beta"] = Array{{}, {beta}};
  return c;
}

TEST_P(NumberCases, E2_BetaZeroNeverReadsC) {
  Case c = scaled_gemm(1.0, 0.0);
  c.arrays["C"] = filled({4, 4}, kNaN);
  for (double value : only(run(c), "C")) EXPECT_EQ(value, 8.0);
  c.arrays["beta"] = Array{{}, {-0.0}};
  for (double value : only(run(c), "C")) EXPECT_EQ(value, 8.0);
}

TEST_P(NumberCases, E3_AlphaZeroStillMultiplies) {
  Case c = scaled_gemm(0.0, 1.0);
  for (double value : only(run(c), "C")) EXPECT_EQ(value, 5.0);
  c.arrays["A"].values[5] = kNaN;
  const auto out = run(c).at("C");
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(std::isnan(out[i]), i / 4 == 1) << i;
}

TEST_P(NumberCases, F6_AlphaAndBetaAreAppliedOnce) {
  for (double value : only(run(scaled_gemm(2.0, 3.0)), "C")) EXPECT_EQ(value, 31.0);
}

/// 0.5 x (1 + tanh(u)) without its cancellation.
double gelu(double x) {
  const double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

/// GELU of each value: a 1-wide product with 1, then the epilogue.
std::vector<double> gelu_of(Target target, std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  Case c{.program = "gemm_bias_gelu", .numbers = {{"M", count}, {"N", 1}, {"K", 1}}};
  c.arrays["A"] = Array{{count, 1}, std::move(values)};
  c.arrays["B"] = filled({1, 1}, 1.0);
  c.arrays["bias"] = filled({1}, 0.0);
  c.arrays["C"] = poisoned({count, 1});
  return run(target, c).at("C");
}

TEST_P(NumberCases, E4_GeluIsFiniteForLargeArguments) {
  std::vector<double> x;
  for (double v = -20; v <= 20; v += 0.5) x.push_back(v);
  for (double v : {1e30, -1e30, kInf, -kInf, 3e38, -3e38}) x.push_back(v);
  const auto y = gelu_of(GetParam(), x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > 10) {
      EXPECT_EQ(y[i], static_cast<double>(static_cast<float>(x[i]))) << x[i];
    } else if (x[i] < -20) {
      EXPECT_EQ(y[i], 0.0) << x[i];
    } else {
      EXPECT_NEAR(y[i], gelu(x[i]), 1e-5 * std::abs(gelu(x[i])) + 1e-37) << x[i];
    }
  }
}

TEST_P(NumberCases, E5_GeluKeepsItsBitsWhereItIsSmall) {
  std::vector<double> x;
  for (double v = -6; v <= -4; v += 0.125) x.push_back(v);
  const auto y = gelu_of(GetParam(), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], gelu(x[i]), 1e-5 * std::abs(gelu(x[i]))) << x[i];
}

TEST_P(NumberCases, NaNPassesThroughActivations) {
  EXPECT_TRUE(std::isnan(gelu_of(GetParam(), {kNaN})[0]));
  Case c{.program = "gemm_bias_relu", .numbers = {{"M", 1}, {"N", 1}, {"K", 1}}};
  c.arrays["A"] = filled({1, 1}, kNaN);
  c.arrays["B"] = filled({1, 1}, 1.0);
  c.arrays["bias"] = filled({1}, 0.0);
  c.arrays["C"] = poisoned({1, 1});
  EXPECT_TRUE(std::isnan(run(c).at("C")[0]));
}

TEST_P(NumberCases, E10_EpilogueRunsInF32WithOneRounding) {
  Case c{.program = R"(program p(N) {
  in A: bf16[N, 2]
  in B: bf16[2, 1]
  in bias: bf16[1]
  out C: bf16[N, 1]
  parallel i in ceildiv(N, 4) {
    a[m: 4, k: 2] = A[i*4 + m, k]
    b[k, n: 1] = B[k, n]
    bias_row[n] = bias[n]
    acc = matmul(a, b, m, n)
    C[i*4 + m, n] = bf16((acc + f32(bias_row)) * 0.1)
  }
})",
         .numbers = {{"N", 5}}};
  // 256 + 1 is not a bf16 number (spacing 2); (257 - 256) * 0.1 is 0.1, but 0 when the product is rounded first.
  c.arrays["A"] = Array{{5, 2}, {256, 1, 256, 1, 256, 1, 256, 1, 256, 1}, {}, 0, DataType::BF16};
  c.arrays["B"] = filled({2, 1}, 1.0, DataType::BF16);
  c.arrays["bias"] = filled({1}, -256.0, DataType::BF16);
  c.arrays["C"] = poisoned({5, 1}, DataType::BF16);
  for (double value : only(run(c), "C")) EXPECT_EQ(value, 0.10009765625);
}

/// Neither x * 0 nor (a + b) - a is simplified.
TEST_P(NumberCases, E11_NoFastMath) {
  Case c{.program = R"(program p(N) {
  in X: f32[N]
  in Y: f32[N]
  out zero: f32[N]
  out rest: f32[N]
  out quotient: f32[N]
  parallel i in N {
    x = X[i]
    y = Y[i]
    zero[i] = x * 0.0
    rest[i] = (x + y) - x
    quotient[i] = x / 3.0
  }
})",
         .numbers = {{"N", 4}}};
  c.arrays["X"] = Array{{4}, {kInf, kNaN, -1.0, 16777216.0}};
  c.arrays["Y"] = Array{{4}, {1, 1, 1, 1}};
  for (const char* name : {"zero", "rest", "quotient"}) c.arrays[name] = poisoned({4});
  const auto out = run(c);
  EXPECT_TRUE(std::isnan(out.at("zero")[0]));
  EXPECT_TRUE(std::isnan(out.at("zero")[1]));
  EXPECT_TRUE(out.at("zero")[2] == 0.0 && std::signbit(out.at("zero")[2]));
  EXPECT_TRUE(std::isnan(out.at("rest")[0]));
  EXPECT_EQ(out.at("rest")[3], 0.0);
  EXPECT_EQ(out.at("quotient")[3], static_cast<double>(16777216.0f / 3.0f));
}

/// The flags that fix the arithmetic are part of what was compiled.
TEST(NumberCasesText, E11_TheCompiledCodeAllowsNoContractionOrReordering) {
  auto program = Program::load("softmax");
  ASSERT_TRUE(program);
  auto kernel = compile(*program, {.numbers = {{"N", 3}, {"C", 5}}, .types = {}});
  ASSERT_TRUE(kernel);
  auto text = kernel->print_after("llvm");
  ASSERT_TRUE(text) << render(text.error());
  for (const char* flag : {" fast ", " reassoc ", " contract ", " nnan ", " ninf ", " nsz ", " arcp "})
    EXPECT_EQ(text->find(flag), std::string::npos) << flag;
}

TEST(NumberCasesText, E12_WiderOutputTypesAreRefusedByName) {
  auto program = Program::parse(R"(program p(N) {
  in X: f32[N]
  out Y: f64[N]
  parallel i in N {
    x = X[i]
    Y[i] = x
  }
})",
                                "case.tile");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error()[0].code, DiagCode::ReservedType) << render(program.error());
  EXPECT_EQ(program.error()[0].place.line, 3u);
  EXPECT_NE(program.error()[0].message.find("f64"), std::string::npos);
}

TEST_P(NumberCases, E12_AnArgumentOfAWiderTypeIsRefused) {
  auto program = Program::load("rowsum");
  ASSERT_TRUE(program);
  auto kernel = compile(*program, {.numbers = {{"N", 2}, {"C", 2}}, .types = {}}, {.target = GetParam()});
  ASSERT_TRUE(kernel);
  std::vector<std::int32_t> x(4, 1);
  std::vector<float> s(2, 7.0f);
  auto done = kernel->run({{"X", {DataType::I32, reinterpret_cast<std::byte*>(x.data()), 4, 0, {2, 2}, {2, 1}}},
                           {"S", {DataType::F32, reinterpret_cast<std::byte*>(s.data()), 2, 0, {2}, {1}}}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, DiagCode::ArgumentType);
  EXPECT_EQ(s, (std::vector<float>{7, 7}));
}

}  // namespace
}  // namespace tilewright::cases
