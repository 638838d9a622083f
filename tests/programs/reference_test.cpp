// What each program of the standard library is for, written a second time as plain loops in FP64.
//
// The differential tests show that targets agree with the meaning of a program; these show that the program means what
// its head comment says.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using References = OnTargets;
TW_ON_ALL_TARGETS(References);

double wave(std::int64_t i) { return static_cast<float>(std::sin(0.7 * static_cast<double>(i) + 0.3)); }

Array waves(std::vector<std::int64_t> extents, std::int64_t phase) {
  return make_array(std::move(extents), [&](std::int64_t i) { return wave(i * 3 + phase); });
}

/// A matrix of a case, by row and column.
struct Matrix {
  const Array& array;
  double operator()(std::int64_t row, std::int64_t column) const {
    return array.values[static_cast<std::size_t>(row * array.extents[1] + column)];
  }
};

void expect_each(const std::vector<double>& found, std::int64_t count,
                 const std::function<double(std::int64_t)>& wanted, double tolerance = 1e-4) {
  ASSERT_EQ(static_cast<std::int64_t>(found.size()), count);
  for (std::int64_t i = 0; i < count; ++i) {
    const double expected = wanted(i);
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], expected, tolerance + tolerance * std::abs(expected)) << i;
  }
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

constexpr std::int64_t kM = 37, kN = 35, kK = 29;

Case product_case(const char* program, bool a_transposed, bool b_transposed) {
  Case c{.program = program, .numbers = {{"M", kM}, {"N", kN}, {"K", kK}}};
  c.arrays["A"] = a_transposed ? waves({kK, kM}, 1) : waves({kM, kK}, 1);
  c.arrays["B"] = b_transposed ? waves({kN, kK}, 2) : waves({kK, kN}, 2);
  c.arrays["C"] = poisoned({kM, kN});
  return c;
}

double dot(const Case& c, bool a_transposed, bool b_transposed, std::int64_t m, std::int64_t n) {
  const Matrix a{c.arrays.at("A")}, b{c.arrays.at("B")};
  double sum = 0;
  for (std::int64_t k = 0; k < kK; ++k) sum += (a_transposed ? a(k, m) : a(m, k)) * (b_transposed ? b(n, k) : b(k, n));
  return sum;
}

TEST_P(References, MatrixProductsInAllFourOrientations) {
  const char* names[] = {"gemm", "gemm_nt", "gemm_tn", "gemm_tt"};
  for (int which = 0; which < 4; ++which) {
    const bool ta = (which & 2) != 0, tb = (which & 1) != 0;
    const Case c = product_case(names[which], ta, tb);
    expect_each(run(c).at("C"), kM * kN, [&](std::int64_t i) { return dot(c, ta, tb, i / kN, i % kN); });
  }
}

TEST_P(References, AlphaAndBeta) {
  Case c = product_case("gemm_alpha_beta", false, false);
  c.arrays["alpha"] = Array{{}, {0.75}};
  c.arrays["beta"] = Array{{}, {-2.0}};
  c.arrays["C"] = waves({kM, kN}, 3);
  expect_each(run(c).at("C"), kM * kN, [&](std::int64_t i) {
    return 0.75 * dot(c, false, false, i / kN, i % kN) - 2.0 * c.arrays["C"].values[static_cast<std::size_t>(i)];
  });
}

TEST_P(References, BatchedProduct) {
  Case c{.program = "batched_gemm", .numbers = {{"G", 3}, {"M", 5}, {"N", 7}, {"K", 9}}};
  c.arrays["A"] = waves({3, 5, 9}, 1);
  c.arrays["B"] = waves({3, 9, 7}, 2);
  c.arrays["C"] = poisoned({3, 5, 7});
  expect_each(run(c).at("C"), 3 * 5 * 7, [&](std::int64_t i) {
    const std::int64_t g = i / 35, m = i / 7 % 5, n = i % 7;
    double sum = 0;
    for (std::int64_t k = 0; k < 9; ++k)
      sum += c.arrays["A"].values[static_cast<std::size_t>((g * 5 + m) * 9 + k)] *
             c.arrays["B"].values[static_cast<std::size_t>((g * 9 + k) * 7 + n)];
    return sum;
  });
}

TEST_P(References, BiasEpilogues) {
  for (const char* program : {"gemm_bias_gelu", "gemm_bias_relu"}) {
    Case c = product_case(program, false, false);
    c.arrays["bias"] = waves({kN}, 4);
    expect_each(run(c).at("C"), kM * kN, [&](std::int64_t i) {
      const double x = dot(c, false, false, i / kN, i % kN) + c.arrays["bias"].values[static_cast<std::size_t>(i % kN)];
      return std::string(program) == "gemm_bias_relu" ? std::max(x, 0.0) : gelu(x);
    });
  }
}

TEST_P(References, TwoLayerPerceptron) {
  constexpr std::int64_t kRows = 9, kIn = 11, kHidden = 70, kOut = 5;
  Case c{.program = "mlp", .numbers = {{"N", kRows}, {"D", kIn}, {"H", kHidden}, {"C", kOut}}};
  c.arrays["X"] = waves({kRows, kIn}, 1);
  c.arrays["W1"] = waves({kIn, kHidden}, 2);
  c.arrays["B1"] = waves({kHidden}, 3);
  c.arrays["W2"] = waves({kHidden, kOut}, 4);
  c.arrays["B2"] = waves({kOut}, 5);
  c.arrays["Y"] = poisoned({kRows, kOut});
  const Matrix x{c.arrays["X"]}, w1{c.arrays["W1"]}, w2{c.arrays["W2"]};
  expect_each(run(c).at("Y"), kRows * kOut, [&](std::int64_t i) {
    double y = c.arrays["B2"].values[static_cast<std::size_t>(i % kOut)];
    for (std::int64_t h = 0; h < kHidden; ++h) {
      double sum = c.arrays["B1"].values[static_cast<std::size_t>(h)];
      for (std::int64_t d = 0; d < kIn; ++d) sum += x(i / kOut, d) * w1(d, h);
      y += gelu(sum) * w2(h, i % kOut);
    }
    return y;
  });
}

constexpr std::int64_t kRows = 6, kColumns = 203;

Case row_case(const char* program, std::vector<std::string> inputs, std::vector<std::string> vectors,
              std::vector<std::string> outputs) {
  Case c{.program = program, .numbers = {{"N", kRows}, {"C", kColumns}}};
  std::int64_t phase = 1;
  for (const auto& name : inputs) c.arrays[name] = waves({kRows, kColumns}, phase++);
  for (const auto& name : vectors) c.arrays[name] = waves({kColumns}, phase++);
  for (const auto& name : outputs) c.arrays[name] = poisoned({kRows, kColumns});
  return c;
}

double fold_row(const std::function<double(std::int64_t)>& at) {
  double sum = 0;
  for (std::int64_t column = 0; column < kColumns; ++column) sum += at(column);
  return sum;
}

TEST_P(References, Softmax) {
  const Case c = row_case("softmax", {"X"}, {}, {"Y"});
  const Matrix x{c.arrays.at("X")};
  expect_each(
      run(c).at("Y"), kRows * kColumns,
      [&](std::int64_t i) {
        const std::int64_t row = i / kColumns;
        return std::exp(x(row, i % kColumns)) / fold_row([&](std::int64_t j) { return std::exp(x(row, j)); });
      },
      1e-6);
}

TEST_P(References, SoftmaxOfLargeLogitsDoesNotOverflow) {
  Case c{.program = "softmax", .numbers = {{"N", 1}, {"C", 3}}};
  c.arrays["X"] = Array{{1, 3}, {1000, 1000, -1000}};
  c.arrays["Y"] = poisoned({1, 3});
  EXPECT_EQ(run(c).at("Y"), (std::vector<double>{0.5, 0.5, 0}));
}

TEST_P(References, RmsNorm) {
  const Case c = row_case("rmsnorm", {"X"}, {"gain"}, {"Y"});
  const Matrix x{c.arrays.at("X")};
  expect_each(run(c).at("Y"), kRows * kColumns, [&](std::int64_t i) {
    const std::int64_t row = i / kColumns, column = i % kColumns;
    const double mean = fold_row([&](std::int64_t j) { return x(row, j) * x(row, j); }) / kColumns;
    return x(row, column) / std::sqrt(mean + 1e-5) * c.arrays.at("gain").values[static_cast<std::size_t>(column)];
  });
}

double normalised(const std::function<double(std::int64_t)>& at, std::int64_t column) {
  const double mean = fold_row(at) / kColumns;
  const double variance = fold_row([&](std::int64_t j) { return (at(j) - mean) * (at(j) - mean); }) / kColumns;
  return (at(column) - mean) / std::sqrt(variance + 1e-5);
}

TEST_P(References, LayerNorm) {
  const Case c = row_case("layernorm", {"X"}, {"gain", "shift"}, {"Y"});
  const Matrix x{c.arrays.at("X")};
  expect_each(run(c).at("Y"), kRows * kColumns, [&](std::int64_t i) {
    const auto column = static_cast<std::size_t>(i % kColumns);
    return normalised([&](std::int64_t j) { return x(i / kColumns, j); }, i % kColumns) *
               c.arrays.at("gain").values[column] +
           c.arrays.at("shift").values[column];
  });
}

TEST_P(References, ResidualLayerNorm) {
  const Case c = row_case("residual_layernorm", {"X", "R"}, {"gain", "shift"}, {"H", "Y"});
  const Matrix x{c.arrays.at("X")}, r{c.arrays.at("R")};
  const auto out = run(c);
  expect_each(out.at("H"), kRows * kColumns,
              [&](std::int64_t i) { return x(i / kColumns, i % kColumns) + r(i / kColumns, i % kColumns); });
  expect_each(out.at("Y"), kRows * kColumns, [&](std::int64_t i) {
    const auto column = static_cast<std::size_t>(i % kColumns);
    const std::int64_t row = i / kColumns;
    return normalised([&](std::int64_t j) { return x(row, j) + r(row, j); }, i % kColumns) *
               c.arrays.at("gain").values[column] +
           c.arrays.at("shift").values[column];
  });
}

TEST_P(References, SwiGlu) {
  const Case c = row_case("swiglu", {"gate", "up"}, {}, {"Y"});
  const Matrix g{c.arrays.at("gate")}, u{c.arrays.at("up")};
  expect_each(run(c).at("Y"), kRows * kColumns, [&](std::int64_t i) {
    const double x = g(i / kColumns, i % kColumns);
    return x / (1 + std::exp(-x)) * u(i / kColumns, i % kColumns);
  });
}

TEST_P(References, RowSum) {
  Case c = row_case("rowsum", {"X"}, {}, {});
  c.arrays["S"] = poisoned({kRows});
  const Matrix x{c.arrays.at("X")};
  expect_each(run(c).at("S"), kRows,
              [&](std::int64_t row) { return fold_row([&](std::int64_t j) { return x(row, j); }); });
}

TEST_P(References, CrossEntropyWithLabelsInsideAndOutside) {
  Case c = row_case("cross_entropy", {"X"}, {}, {});
  c.arrays["label"] = Array{{kRows}, {0, 202, 127, 128, -1, 203}, {}, 0, DataType::I32};
  c.arrays["loss"] = poisoned({kRows});
  const Matrix x{c.arrays.at("X")};
  expect_each(run(c).at("loss"), kRows, [&](std::int64_t row) {
    const auto label = static_cast<std::int64_t>(c.arrays["label"].values[static_cast<std::size_t>(row)]);
    if (label < 0 || label >= kColumns) return 0.0;
    return std::log(fold_row([&](std::int64_t j) { return std::exp(x(row, j)); })) - x(row, label);
  });
}

TEST_P(References, RotaryEmbedding) {
  constexpr std::int64_t kLength = 11, kHeads = 3, kSize = 10, kHalf = kSize / 2;
  Case c{.program = "rope", .numbers = {{"B", 2}, {"L", kLength}, {"H", kHeads}, {"D", kSize}}};
  c.arrays["X"] = waves({2, kLength, kHeads, kSize}, 1);
  auto angle = [&](std::int64_t i) {
    const std::int64_t position = i / kHalf;
    return static_cast<double>(position) * std::pow(10000.0, -2.0 * static_cast<double>(i % kHalf) / kSize);
  };
  c.arrays["cosine"] =
      make_array({kLength, kHalf}, [&](std::int64_t i) { return static_cast<float>(std::cos(angle(i))); });
  c.arrays["sine"] =
      make_array({kLength, kHalf}, [&](std::int64_t i) { return static_cast<float>(std::sin(angle(i))); });
  c.arrays["Y"] = poisoned({2, kLength, kHeads, kSize});
  expect_each(run(c).at("Y"), 2 * kLength * kHeads * kSize, [&](std::int64_t i) {
    const std::int64_t d = i % kSize, position = i / (kSize * kHeads) % kLength;
    const double turn = angle(position * kHalf + d % kHalf);
    const auto& x = c.arrays["X"].values;
    const double low = x[static_cast<std::size_t>(i - d + d % kHalf)];
    const double high = x[static_cast<std::size_t>(i - d + d % kHalf + kHalf)];
    return d < kHalf ? low * std::cos(turn) - high * std::sin(turn) : high * std::cos(turn) + low * std::sin(turn);
  });
}

TEST_P(References, RotaryEmbeddingNeedsPairs) {
  Case c{.program = "rope", .numbers = {{"B", 1}, {"L", 1}, {"H", 1}, {"D", 3}}};
  expect_refused(try_run(c), DiagCode::RequirementFailed, {"D%2 == 0", "D = 3", "pairs"});
}

TEST_P(References, ConvolutionWithPaddingAndStride) {
  constexpr std::int64_t kH = 7, kW = 8, kC = 3, kF = 4, kR = 3, kS = 2;
  for (auto [pad, stride] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{2, 2}, std::pair{0, 3}}) {
    const std::int64_t oh = (kH + 2 * pad - kR) / stride + 1, ow = (kW + 2 * pad - kS) / stride + 1;
    Case c{.program = "conv2d",
           .numbers = {{"N", 2},
                       {"H", kH},
                       {"W", kW},
                       {"C", kC},
                       {"F", kF},
                       {"R", kR},
                       {"S", kS},
                       {"pad", pad},
                       {"stride", stride}}};
    c.arrays["X"] = waves({2, kH, kW, kC}, 1);
    c.arrays["filter"] = waves({kR, kS, kC, kF}, 2);
    c.arrays["Y"] = poisoned({2, oh, ow, kF});
    expect_each(run(c).at("Y"), 2 * oh * ow * kF, [&, pad = pad, stride = stride](std::int64_t i) {
      const std::int64_t f = i % kF, x = i / kF % ow, y = i / (kF * ow) % oh, n = i / (kF * ow * oh);
      double sum = 0;
      for (std::int64_t r = 0; r < kR; ++r)
        for (std::int64_t s = 0; s < kS; ++s) {
          const std::int64_t row = y * stride + r - pad, column = x * stride + s - pad;
          if (row < 0 || row >= kH || column < 0 || column >= kW) continue;
          for (std::int64_t k = 0; k < kC; ++k)
            sum += c.arrays["X"].values[static_cast<std::size_t>(((n * kH + row) * kW + column) * kC + k)] *
                   c.arrays["filter"].values[static_cast<std::size_t>(((r * kS + s) * kC + k) * kF + f)];
        }
      return sum;
    });
  }
}

}  // namespace
}  // namespace tilewright::cases
