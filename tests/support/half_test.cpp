#include "support/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tilewright {
namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// A binary format of 16 bits, described by numbers alone; the conversions below use only double arithmetic on them.
struct Format {
  int mantissa_bits;
  int min_exponent;  ///< of the smallest normal value
  int max_exponent;  ///< of the largest
};
constexpr Format kF16{10, -14, 15};
constexpr Format kBf16{7, -126, 127};

int exponent_bits(const Format& format) { return 15 - format.mantissa_bits; }
std::uint16_t infinity_bits(const Format& format) {
  return static_cast<std::uint16_t>(((1u << exponent_bits(format)) - 1) << format.mantissa_bits);
}

double soft_widen(const Format& format, std::uint16_t bits) {
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  const int field = (bits & 0x7fff) >> format.mantissa_bits;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  const int unit = format.min_exponent - format.mantissa_bits;
  if (field == 0) return sign * std::ldexp(mantissa, unit);
  return sign * std::ldexp(mantissa + (1 << format.mantissa_bits), unit + field - 1);
}

/// Rounds to a multiple of the last place, by std::nearbyint, and reads the fields off the result.
std::uint16_t soft_narrow(const Format& format, double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity_bits(format));
  const int exponent = std::max(std::ilogb(magnitude), format.min_exponent);
  const int unit = exponent - format.mantissa_bits;
  magnitude = std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
  if (magnitude >= std::ldexp(2.0, format.max_exponent))
    return static_cast<std::uint16_t>(sign | infinity_bits(format));
  if (magnitude < std::ldexp(1.0, format.min_exponent))
    return static_cast<std::uint16_t>(
        sign | static_cast<int>(std::ldexp(magnitude, format.mantissa_bits - format.min_exponent)));
  const int rounded_exponent = std::ilogb(magnitude);
  const int mantissa =
      static_cast<int>(std::ldexp(magnitude, format.mantissa_bits - rounded_exponent)) - (1 << format.mantissa_bits);
  const int field = rounded_exponent - format.min_exponent + 1;
  return static_cast<std::uint16_t>(sign | (field << format.mantissa_bits) | mantissa);
}

/// Floats at and around every boundary of both formats, and many more.
std::vector<std::uint32_t> interesting_floats() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t high = 0; high < 0x10000u; ++high)
    for (std::uint32_t low :
         {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      all.push_back(high << 16 | low);
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) all.push_back(static_cast<std::uint32_t>(random()));
  // The range in which f16 has values, where random bit patterns are sparse.
  for (int i = 0; i < 1'000'000; ++i)
    all.push_back(0x32800000u + static_cast<std::uint32_t>(random() % (0x47800000u - 0x32800000u)));
  return all;
}

TEST(Half, EveryF16RoundTrips) {
  for (std::uint32_t i = 0; i < 0x10000u; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const bool is_nan = (i & 0x7fffu) > 0x7c00u;
    ASSERT_EQ(f32_to_f16(f16_to_f32(half)), is_nan ? (half | 0x200) : half) << std::hex << i;
  }
}

TEST(Half, EveryBf16RoundTrips) {
  for (std::uint32_t i = 0; i < 0x10000u; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const bool is_nan = (i & 0x7fffu) > 0x7f80u;
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(half)), is_nan ? (half | 0x40) : half) << std::hex << i;
  }
}

TEST(Half, WideningAgreesWithTheSoftModel) {
  for (std::uint32_t i = 0; i < 0x10000u; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    if ((i & 0x7fffu) < 0x7c00u) {
      ASSERT_EQ(bits_of(f16_to_f32(half)), bits_of(static_cast<float>(soft_widen(kF16, half)))) << i;
    }
    if ((i & 0x7fffu) < 0x7f80u) {
      ASSERT_EQ(bits_of(bf16_to_f32(half)), bits_of(static_cast<float>(soft_widen(kBf16, half)))) << i;
    }
  }
}

TEST(Half, NarrowingAgreesWithTheSoftModel) {
  for (std::uint32_t bits : interesting_floats()) {
    const float value = float_of(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(f32_to_f16(value), soft_narrow(kF16, value)) << std::hexfloat << value;
    ASSERT_EQ(f32_to_bf16(value), soft_narrow(kBf16, value)) << std::hexfloat << value;
  }
}

TEST(Half, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f32_to_f16(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(f32_to_f16(std::nextafter(1.0f + 0x1p-11f, 2.0f)), 0x3c01);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(f32_to_f16(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(f32_to_f16(0x3p-25f), 0x0002);
  EXPECT_EQ(f32_to_f16(-0x3p-25f), 0x8002);
  EXPECT_EQ(f32_to_bf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(f32_to_bf16(1.0f + 0x3p-8f), 0x3f82);
  EXPECT_EQ(f32_to_bf16(std::nextafter(1.0f + 0x1p-8f, 2.0f)), 0x3f81);
}

TEST(Half, SubnormalBecomesNormalByRounding) {
  EXPECT_EQ(f32_to_f16(0x1.ffcp-15f), 0x03ff + 0x0001);
  EXPECT_EQ(f32_to_f16(0x1.ff8p-15f), 0x03ff);
  EXPECT_EQ(f32_to_bf16(float_of(0x007fffffu)), 0x0080);
}

TEST(Half, SubnormalsOfBf16AreKept) {
  EXPECT_EQ(f32_to_bf16(0x1p-127f), 0x0040);
  EXPECT_EQ(bf16_to_f32(0x0040), 0x1p-127f);
  EXPECT_EQ(f32_to_bf16(0x1p-133f), 0x0001);
  EXPECT_EQ(bf16_to_f32(0x0001), 0x1p-133f);
  EXPECT_EQ(f32_to_bf16(0x1p-134f), 0x0000);
  EXPECT_EQ(f32_to_bf16(0x3p-134f), 0x0002);
  EXPECT_EQ(f32_to_bf16(-0x1p-133f), 0x8001);
}

TEST(Half, OverflowGoesToInfinity) {
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xfc00);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(f32_to_bf16(float_of(0x7f7f7fffu)), 0x7f7f);
  EXPECT_EQ(f32_to_bf16(float_of(0xff7f8000u)), 0xff80);
}

TEST(Half, SignsOfZeroAndInfinityStay) {
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
  EXPECT_EQ(f32_to_bf16(-0.0f), 0x8000);
  EXPECT_TRUE(std::signbit(f16_to_f32(0x8000)));
  EXPECT_TRUE(std::signbit(bf16_to_f32(0x8000)));
  EXPECT_EQ(f16_to_f32(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(f32_to_bf16(-std::numeric_limits<float>::infinity()), 0xff80);
}

TEST(Half, NanStaysQuietNanWithItsSignAndTheTopOfItsPayload) {
  EXPECT_EQ(f32_to_f16(float_of(0x7f800001u)), 0x7e00);  // the payload is below what f16 keeps
  EXPECT_EQ(f32_to_f16(float_of(0xffc00000u)), 0xfe00);
  EXPECT_EQ(f32_to_f16(float_of(0x7fa02000u)), 0x7f01);
  EXPECT_EQ(f32_to_bf16(float_of(0x7f800001u)), 0x7fc0);
  EXPECT_EQ(f32_to_bf16(float_of(0xffffffffu)), 0xffff);
  EXPECT_EQ(f32_to_bf16(float_of(0x7fa10000u)), 0x7fe1);
  EXPECT_EQ(bits_of(f16_to_f32(0x7c01)), 0x7fc02000u);
  EXPECT_EQ(bits_of(f16_to_f32(0xfe00)), 0xffc00000u);
  EXPECT_EQ(bits_of(bf16_to_f32(0xff81)), 0xffc10000u);
}

}  // namespace
}  // namespace tilewright
