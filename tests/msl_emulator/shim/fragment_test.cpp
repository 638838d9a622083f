// SIMD-group matrices: lane map, memory, numerics, indeterminate elements.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulated.h"
#include "support/half.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

std::size_t row_of(std::size_t lane) { return 4 * (lane >> 4) + (lane >> 1 & 3); }
std::size_t column_of(std::size_t lane) { return 4 * (lane >> 3 & 1) + 2 * (lane & 1); }

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

class Fragments : public InDialect {};
INSTANTIATE_TEST_SUITE_P(Dialects, Fragments, ::testing::Values(Dialect::OpenCl, Dialect::Cpp20), name_of_dialect);

TEST_P(Fragments, LaneMapAndConstruction) {
  std::vector<float> in = counting(64), out(192);
  run_clean("fragments.metal", GetParam(), "lane_map", 1, 32, {bytes_of(in), bytes_of(out)});
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t row = row_of(lane), column = column_of(lane) + j;
      EXPECT_EQ(out[2 * lane + j], in[8 * row + column]);
      EXPECT_EQ(out[64 + 2 * lane + j], row == column ? 1.0F : 0.0F);
      EXPECT_EQ(out[128 + 2 * lane + j], 7.0F);
    }
}

TEST_P(Fragments, LoadsAndStores) {
  std::vector<float> in = counting(256), out(512, -1.0F);
  std::vector<std::int32_t> stride = {13};
  run_clean("fragments.metal", GetParam(), "moves", 1, 32, {bytes_of(in), bytes_of(out), bytes_of(stride)});
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t c = 0; c < 8; ++c) {
      const float staged = in[(8 + r) * 16 + 8 + c];
      EXPECT_EQ(out[8 * r + c], in[3 + (1 + r) * 13 + 2 + c]) << r << ' ' << c;
      EXPECT_EQ(out[64 + 8 * r + c], in[c * 13 + r]) << r << ' ' << c;
      EXPECT_EQ(out[128 + 8 * r + c], in[(2 + c) * 13 + 1 + r]) << r << ' ' << c;
      EXPECT_EQ(out[192 + 8 * c + r], staged) << r << ' ' << c;
      EXPECT_EQ(out[256 + 8 * r + c], staged) << r << ' ' << c;
      EXPECT_EQ(out[320 + (4 + c) * 16 + 2 + r], staged) << r << ' ' << c;
    }
}

float in_bfloat(float value) { return bf16_to_f32(f32_to_bf16(value)); }
float in_half(float value) { return f16_to_f32(f32_to_f16(value)); }
float in_float(float value) { return value; }

TEST_P(Fragments, MultiplyIsAnAscendingFusedChain) {
  std::vector<float> in = table_of(192, -1, 1, 5), out(640);
  for (float& value : in) value *= 1.0F + 0x1p-12F;
  run_clean("fragments.metal", GetParam(), "multiplies", 1, 32, {bytes_of(in), bytes_of(out)});
  using Rounding = float (*)(float);
  const std::array<std::array<Rounding, 3>, 5> types = {{{in_float, in_float, in_float},
                                                         {in_half, in_half, in_float},
                                                         {in_bfloat, in_bfloat, in_float},
                                                         {in_half, in_half, in_half},
                                                         {in_float, in_half, in_float}}};
  for (std::size_t t = 0; t < types.size(); ++t)
    for (std::size_t r = 0; r < 8; ++r)
      for (std::size_t c = 0; c < 8; ++c) {
        float product = 0, sum = types[t][2](in[128 + 8 * r + c]);
        double exact = sum;
        for (std::size_t k = 0; k < 8; ++k) {
          const float a = types[t][0](in[8 * r + k]), b = types[t][1](in[64 + 8 * k + c]);
          product = std::fma(a, b, product);
          sum = std::fma(a, b, sum);
          exact += double{a} * b;
        }
        EXPECT_EQ(out[128 * t + 8 * r + c], types[t][2](product)) << "types " << t << " at " << r << ' ' << c;
        EXPECT_EQ(out[128 * t + 64 + 8 * r + c], types[t][2](sum)) << "types " << t << " at " << r << ' ' << c;
        EXPECT_NEAR(sum, exact, 8 * 0x1p-24 * 9) << "types " << t;
      }
}

/// One report of that kind at that line with those words.
void expect_report(Dialect dialect, const std::string& kernel, ReportKind kind, const std::string& words) {
  std::vector<float> out(128);
  const LaunchResult result = run("fragments.metal", dialect, kernel, 1, 32, {bytes_of(out)});
  ASSERT_EQ(result.reports.size(), 1U) << kernel;
  EXPECT_EQ(report_kind_name(result.reports[0].kind), report_kind_name(kind)) << kernel;
  EXPECT_NE(result.reports[0].message.find(words), std::string::npos) << result.reports[0].message;
}

TEST_P(Fragments, IndeterminateElementsAreReported) {
  const ReportKind kind = ReportKind::UninitializedRead;
  expect_report(GetParam(), "poisoned_a", kind, "operand a is indeterminate at row 0, column 0");
  expect_report(GetParam(), "poisoned_b", kind, "operand b is indeterminate at row 0, column 0");
  expect_report(GetParam(), "poisoned_c", kind, "operand c, the accumulator, is indeterminate at row 0, column 0");
  // Lane 13: row 2, columns 6 and 7.
  expect_report(GetParam(), "poisoned_one", kind, "operand a is indeterminate at row 2, column 7");
  expect_report(GetParam(), "poisoned_store", kind, "simdgroup_store: operand a is indeterminate at row 0, column 0");
}

TEST_P(Fragments, LanesMustAgreeOnTheAddress) {
  expect_report(GetParam(), "uneven_lanes", ReportKind::BarrierDivergence,
                "lane 9 of the SIMD group names another address");
}

}  // namespace

}  // namespace tilewright::msl_emulator::shim_test
