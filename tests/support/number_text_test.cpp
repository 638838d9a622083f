#include "support/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace tilewright {
namespace {

TEST(NumberText, IntegersAreReadWhole) {
  EXPECT_EQ(parse_int64("0"), 0);
  EXPECT_EQ(parse_int64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_uint64("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_int32("-2147483648"), INT32_MIN);
}

TEST(NumberText, IntegersOutOfRangeAreToldApart) {
  EXPECT_EQ(parse_int64("9223372036854775808").error(), NumberFault::OutOfRange);
  EXPECT_EQ(parse_int32("2147483648").error(), NumberFault::OutOfRange);
  EXPECT_EQ(parse_uint64("18446744073709551616").error(), NumberFault::OutOfRange);
  EXPECT_EQ(parse_int64("99999999999999999999x").error(), NumberFault::Malformed);
}

TEST(NumberText, MalformedIntegers) {
  for (std::string_view text : {"", "-", "+1", " 1", "1 ", "1.0", "0x10", "1_000", "1e3", "--1", "nan"}) {
    ASSERT_FALSE(parse_int64(text)) << text;
    EXPECT_EQ(parse_int64(text).error(), NumberFault::Malformed) << text;
  }
  EXPECT_EQ(parse_uint64("-1").error(), NumberFault::Malformed);
  EXPECT_EQ(parse_int64(std::string_view("1\0", 2)).error(), NumberFault::Malformed);
}

TEST(NumberText, FloatsAreReadWhole) {
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_EQ(parse_double("-1e-3"), -0.001);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("5."), 5.0);
  EXPECT_EQ(parse_double("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_double("0e999"), 0.0);
  EXPECT_TRUE(std::signbit(*parse_double("-0.0")));
}

TEST(NumberText, FloatsRoundOnce) {
  // Just above the middle of two floats; by way of double it would be a tie and go down.
  EXPECT_EQ(parse_float("1.00000005960464477540"), 0x1.000002p0f);
  EXPECT_EQ(parse_float("16777217"), 16777216.0f);
}

TEST(NumberText, FloatsOutOfRange) {
  for (std::string_view text : {"1e400", "-1e400", "1e-400", "1e99999999999999999999"}) {
    ASSERT_FALSE(parse_double(text)) << text;
    EXPECT_EQ(parse_double(text).error(), NumberFault::OutOfRange) << text;
  }
  EXPECT_EQ(parse_float("3.5e38").error(), NumberFault::OutOfRange);
  EXPECT_EQ(parse_float("1e-46").error(), NumberFault::OutOfRange);
}

TEST(NumberText, MalformedFloats) {
  for (std::string_view text : {"", "-", ".", "-.", "1e", "1e5x", "+1", " 1", "1 ", "0x1p3", "1_0", "--1", "1,5", "INF",
                                "infinity", "NaN", "nan(1)", "--inf", "e5"}) {
    ASSERT_FALSE(parse_double(text)) << text;
    EXPECT_EQ(parse_double(text).error(), NumberFault::Malformed) << text;
  }
}

TEST(NumberText, Forms) {
  EXPECT_EQ(format_double(0.0), "0.0");
  EXPECT_EQ(format_double(-0.0), "-0.0");
  EXPECT_EQ(format_double(1.0), "1.0");
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_float(0.1f), "0.1");
  EXPECT_EQ(format_double(1e5), "100000.0");
  EXPECT_EQ(format_double(-1e30), "-1e+30");
  EXPECT_EQ(format_double(1e-5), "1e-05");
  EXPECT_EQ(format_double(5e-324), "5e-324");
  EXPECT_EQ(format_float(3.4028235e38f), "3.4028235e+38");
  EXPECT_EQ(format_float(INFINITY), "inf");
  EXPECT_EQ(format_double(-INFINITY), "-inf");
  EXPECT_EQ(format_double(std::copysign(NAN, 1.0)), "nan");
  EXPECT_EQ(format_float(std::copysign(NAN, -1.0f)), "-nan");
}

TEST(NumberText, InfinitiesAndNansAreReadBack) {
  EXPECT_EQ(parse_double("inf"), INFINITY);
  EXPECT_EQ(parse_float("-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(*parse_double("nan")) && !std::signbit(*parse_double("nan")));
  EXPECT_TRUE(std::isnan(*parse_float("-nan")) && std::signbit(*parse_float("-nan")));
}

TEST(NumberText, EveryKindOfBitPatternReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    if (!std::isnan(wide)) {
      const auto again = parse_double(format_double(wide));
      ASSERT_TRUE(again && std::bit_cast<std::uint64_t>(*again) == std::bit_cast<std::uint64_t>(wide))
          << format_double(wide);
    }
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(narrow)) {
      const auto again = parse_float(format_float(narrow));
      ASSERT_TRUE(again && std::bit_cast<std::uint32_t>(*again) == std::bit_cast<std::uint32_t>(narrow))
          << format_float(narrow);
    }
  }
}

}  // namespace
}  // namespace tilewright
