// One rounding, to nearest even, wherever numbers become bf16: rows E6 to E8 of the list of public faults.
#include <random>

#include "cases/case_runner.h"

namespace tilewright::cases {
namespace {

using RoundingCases = OnTargets;
TW_ON_ALL_TARGETS(RoundingCases);

/// The bf16 number nearest to x, of two the one with an even last bit, by the spacing of bf16 numbers around x; x is
/// within the range of bf16.
double nearest_bf16(double x) {
  if (x == 0) return x;
  const int exponent = std::max(std::ilogb(x), -126);
  const double spacing = std::ldexp(1.0, exponent - 7);
  const double steps = x / spacing, below = std::floor(steps);
  const double rest = steps - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
  return std::copysign((below + (up ? 1.0 : 0.0)) * spacing, x);
}

constexpr const char* kMultiply = R"(program p(N) {
  in X: bf16[N]
  in Y: bf16[N]
  out Z: bf16[N]
  parallel i in N {
    Z[i] = X[i] * Y[i]
  }
})";

TEST_P(RoundingCases, E6_ProductsOfBf16RoundToEven) {
  std::mt19937 random(11);
  std::vector<double> x, y;
  // (1 + p/128) (1 + q/128) is half way between two numbers where p q + 128 (p + q) is 64 modulo 128, below 2.
  std::size_t ties = 0;
  for (int p = 0; p < 128; ++p)
    for (int q = 0; q < 128; ++q) {
      const int whole = (128 + p) * (128 + q);
      if (whole < 2 * 128 * 128 && whole % 128 == 64) x.push_back(1 + p / 128.0), y.push_back(1 + q / 128.0), ++ties;
    }
  EXPECT_GT(ties, 100u);
  while (x.size() < ties + 10000) {
    const auto number = [&] {
      const double fraction = 1 + static_cast<double>(random() % 128) / 128;
      return std::ldexp(random() % 2 == 0 ? fraction : -fraction, static_cast<int>(random() % 100) - 50);
    };
    x.push_back(number());
    y.push_back(number());
  }
  const auto count = static_cast<std::int64_t>(x.size());
  const auto found = run({.program = kMultiply,
                          .numbers = {{"N", count}},
                          .arrays = {{"X", {{count}, x, {}, 0, DataType::BF16}},
                                     {"Y", {{count}, y, {}, 0, DataType::BF16}},
                                     {"Z", poisoned({count}, DataType::BF16)}}})
                         .at("Z");
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], nearest_bf16(x[i] * y[i])) << x[i] << " * " << y[i];
}

constexpr const char* kNarrow = R"(program p(N) {
  in X: f32[N]
  out Z: bf16[N]
  parallel i in N {
    Z[i] = bf16(X[i])
  }
})";

std::vector<double> narrowed(Target target, const std::vector<double>& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return run(target, {.program = kNarrow,
                      .numbers = {{"N", count}},
                      .arrays = {{"X", {{count}, numbers}}, {"Z", poisoned({count}, DataType::BF16)}}})
      .at("Z");
}

TEST_P(RoundingCases, E7_SubnormalsOfBf16AreKept) {
  std::vector<double> x;
  for (int exponent = -126; exponent >= -136; --exponent)
    for (double factor : {1.0, 1.25, 1.5, 1.75, -1.0, -1.5}) x.push_back(std::ldexp(factor, exponent));
  const std::vector<double> found = narrowed(GetParam(), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(found[i], nearest_bf16(x[i])) << x[i];
  EXPECT_EQ(narrowed(GetParam(), {0x1p-127, 0x1p-133}), (std::vector<double>{0x1p-127, 0x1p-133}));
}

std::vector<double> around_ties() {
  std::vector<double> x;
  for (double base : {1.0, 1.0078125, 1.9921875, 65536.0, 0x1p-100})
    for (double part : {0.0, 0.25, 0.5, 0.75})
      for (double ulps : {-1.0, 0.0, 1.0})
        for (double sign : {1.0, -1.0})
          x.push_back(sign * (base * (1 + part * 0x1p-7) + ulps * std::ldexp(1.0, std::ilogb(base) - 23)));
  return x;
}

TEST_P(RoundingCases, E8_OneConversionEverywhere) {
  const std::vector<double> x = around_ties();
  const std::vector<double> found = narrowed(GetParam(), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(found[i], nearest_bf16(static_cast<float>(x[i]))) << x[i];
  EXPECT_EQ(narrowed(GetParam(), {1.00390625, 1.00390625 + 0x1p-23}), (std::vector<double>{1.0, 1.0078125}));
}

}  // namespace
}  // namespace tilewright::cases
