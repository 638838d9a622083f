// Functions of real numbers against double.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "emulated.h"
#include "support/half.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

constexpr std::size_t kPoints = 128;
constexpr double kPi = std::numbers::pi;

struct RealFunction {
  const char* name;
  double (*value)(double x, double y, double z);
  double bound, low, high;
};

const std::vector<RealFunction> kReal1 = {
#define REAL_1(name, value, bound, low, high) \
  {#name, [](double x, double, double) -> double { return value; }, bound, low, high},
#include "kernels/functions.def"
#undef REAL_1
};
const std::vector<RealFunction> kReal2 = {
#define REAL_2(name, value, bound, low, high) \
  {#name, [](double x, double y, double) -> double { return value; }, bound, low, high},
#include "kernels/functions.def"
#undef REAL_2
};
const std::vector<RealFunction> kReal3 = {
#define REAL_3(name, value, bound, low, high) \
  {#name, [](double x, double y, double z) -> double { return value; }, bound, low, high},
#include "kernels/functions.def"
#undef REAL_3
};

/// The distance of neighbours at that value, of a format with that many bits of precision and that least exponent.
double ulp(double value, int precision, int least_exponent) {
  const int exponent = value == 0 ? least_exponent : std::max(std::ilogb(value), least_exponent);
  return std::ldexp(1.0, exponent - precision + 1);
}

double double_of_half(float value) { return double{f16_to_f32(f32_to_f16(value))}; }

void compare_with_double(const std::vector<RealFunction>& functions, std::size_t arguments, const std::string& kernel,
                         Dialect dialect) {
  std::vector<float> in;
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (std::size_t a = 0; a < arguments; ++a) {
      const std::vector<float> table = table_of(kPoints, functions[f].low, functions[f].high, 10 * f + a + 1);
      in.insert(in.end(), table.begin(), table.end());
    }
  std::vector<float> out(functions.size() * 3 * kPoints, -12345.0F);
  std::vector<std::uint32_t> count = {kPoints};
  run_clean("real.metal", dialect, kernel, kPoints / 32, 32, {bytes_of(in), bytes_of(out), bytes_of(count)});
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const RealFunction& function = functions[f];
    for (std::size_t i = 0; i < kPoints; ++i) {
      float x[3] = {};
      for (std::size_t a = 0; a < arguments; ++a) x[a] = in[(arguments * f + a) * kPoints + i];
      const double expected = function.value(x[0], x[1], x[2]);
      const double error = function.bound * ulp(expected, 24, -126);
      for (std::size_t form = 0; form < 2; ++form)
        EXPECT_NEAR(out[(3 * f + form) * kPoints + i], expected, error)
            << function.name << '(' << x[0] << ' ' << x[1] << ' ' << x[2] << ") form " << form;
      const double expected_half = function.value(double_of_half(x[0]), double_of_half(x[1]), double_of_half(x[2]));
      if (std::fabs(expected_half) > 60000) continue;
      EXPECT_NEAR(out[(3 * f + 2) * kPoints + i], expected_half, 0.51 * ulp(expected_half, 11, -14))
          << function.name << " of half (" << x[0] << ' ' << x[1] << ' ' << x[2] << ')';
    }
  }
}

class RealFunctions : public InDialect {};
INSTANTIATE_TEST_SUITE_P(Dialects, RealFunctions, ::testing::Values(Dialect::OpenCl, Dialect::Cpp20), name_of_dialect);

TEST_P(RealFunctions, OfOneNumber) { compare_with_double(kReal1, 1, "real_1", GetParam()); }
TEST_P(RealFunctions, OfTwoNumbers) { compare_with_double(kReal2, 2, "real_2", GetParam()); }
TEST_P(RealFunctions, OfThreeNumbers) { compare_with_double(kReal3, 3, "real_3", GetParam()); }

}  // namespace

}  // namespace tilewright::msl_emulator::shim_test
