// The check of outputs: right ones pass, each way of being wrong does not, with whole products and with signed sums.
#include "bench/reference.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "bench/product_f64.h"

namespace tilewright::bench {
namespace {

Operands operands_of(const Problem& problem) {
  auto made = Operands::make(problem);
  EXPECT_TRUE(made.has_value());
  return std::move(*made);
}

/// A plain product in f32, of operands that `narrow` changed.
template <class Narrow>
void multiply(const Problem& problem, const Operands& operands, Narrow narrow) {
  const auto [m, n, k] = problem.shape;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += narrow(operands.input(0)[i * k + p]) * narrow(operands.input(1)[p * n + j]);
      operands.output()[i * n + j] = sum;
    }
}

float keep(float x) { return x; }

/// The upper bits of the mantissa alone, as TF32 has them.
float narrowed(float x) {
  const float scaled = x * 8193.0F;
  return scaled - (scaled - x);
}

constexpr double kWhole = 1e30, kSums = 1;

class ProductCheck : public testing::TestWithParam<double> {};

TEST_P(ProductCheck, ARightProductPasses) {
  for (const Shape shape : {Shape{1, 1, 1}, {5, 7, 3}, {33, 65, 129}, {4, 64, 300}, {3, 200, 2}}) {
    const Problem problem{BenchProgram::Gemm, shape};
    const Operands operands = operands_of(problem);
    multiply(problem, operands, keep);
    const Reference reference = Reference::make(problem, operands, GetParam());
    EXPECT_TRUE(reference.check(operands.output_values()).ok) << reference.check(operands.output_values()).fault;
  }
}

TEST_P(ProductCheck, OneWrongElementAnywhereIsSeen) {
  const Problem problem{BenchProgram::Gemm, {6, 70, 40}};
  const Operands operands = operands_of(problem);
  multiply(problem, operands, keep);
  const Reference reference = Reference::make(problem, operands, GetParam());
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (float& value : operands.output_values()) {
    const float before = value;
    for (const float wrong : {kNan, before + 0.01F, before - 1.0F, std::numeric_limits<float>::infinity()}) {
      value = wrong;
      EXPECT_FALSE(reference.check(operands.output_values()).ok);
    }
    value = before;
  }
  EXPECT_TRUE(reference.check(operands.output_values()).ok);
}

TEST_P(ProductCheck, NarrowedOperandsAreSeen) {
  for (const Shape shape : {Shape{40, 64, 64}, {8, 128, 2000}}) {
    const Problem problem{BenchProgram::Gemm, shape};
    const Operands operands = operands_of(problem);
    multiply(problem, operands, narrowed);
    EXPECT_FALSE(Reference::make(problem, operands, GetParam()).check(operands.output_values()).ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, ProductCheck, testing::Values(kWhole, kSums));

TEST(Reference, SaysWhatWasCompared) {
  const Problem problem{BenchProgram::Gemm, {4, 4, 4}};
  const Operands operands = operands_of(problem);
  EXPECT_EQ(Reference::make(problem, operands).extent(), "every element");
  EXPECT_EQ(Reference::make(problem, operands, kSums).extent(), "every element, in signed sums of 64");
  const Verdict verdict = Reference::make(problem, operands).check(operands.output_values());
  EXPECT_NE(verdict.fault.find("row 0, column 0: expected"), std::string::npos) << verdict.fault;
}

TEST(Reference, RowsThatAreNotComparedMustBeWritten) {
  const Problem problem{BenchProgram::GemmBiasGelu, {9, 4, 2}};
  const Operands operands = operands_of(problem);
  const Reference reference = Reference::make(problem, operands, 20);  // one row in four
  const auto [m, n, k] = problem.shape;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double x = operands.input(2)[j];
      for (std::int64_t p = 0; p < k; ++p)
        x += static_cast<double>(operands.input(0)[i * k + p]) * operands.input(1)[p * n + j];
      operands.output()[i * n + j] =
          static_cast<float>(0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))));
    }
  EXPECT_TRUE(reference.check(operands.output_values()).ok) << reference.check(operands.output_values()).fault;
  operands.output()[n * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(reference.check(operands.output_values()).ok);
}

TEST(ProductF64, EqualsThePlainLoop) {
  const std::int64_t m = 7, n = 35, k = 19;
  std::vector<float> a(static_cast<std::size_t>(m * 2 * k));
  std::vector<double> b(static_cast<std::size_t>(k * n)), c(static_cast<std::size_t>(m * n));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = input_element(0, i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = input_element(1, i);
  product_f64(m, n, k, a.data(), 2 * k, b.data(), c.data());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(a[static_cast<std::size_t>(i * 2 * k + p)]) * b[static_cast<std::size_t>(p * n + j)];
      EXPECT_NEAR(c[static_cast<std::size_t>(i * n + j)], sum, 1e-13);
    }
}

}  // namespace
}  // namespace tilewright::bench
