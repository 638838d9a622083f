#include "support/checked_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

TEST(CheckedMath, OverflowIsNone) {
  EXPECT_EQ(checked_add(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checked_add(INT64_MAX, -1), INT64_MAX - 1);
  EXPECT_EQ(checked_sub(INT64_MIN, 1), std::nullopt);
  EXPECT_EQ(checked_sub(-1, INT64_MAX), INT64_MIN);
  EXPECT_EQ(checked_mul(std::int64_t{1} << 32, std::int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(checked_mul(INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(checked_mul(-(std::int64_t{1} << 32), std::int64_t{1} << 31), INT64_MIN);
}

TEST(CheckedMath, DivisionWithoutAnAnswerIsNone) {
  EXPECT_EQ(checked_floordiv(1, 0), std::nullopt);
  EXPECT_EQ(checked_floordiv(INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(checked_mod(1, 0), std::nullopt);
  EXPECT_EQ(checked_mod(INT64_MIN, -1), 0);
}

TEST(CheckedMath, DivisionRoundsDown) {
  for (std::int64_t a = -20; a <= 20; ++a)
    for (std::int64_t b = -6; b <= 6; ++b) {
      if (b == 0) continue;
      const auto expected = static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_EQ(checked_floordiv(a, b), expected) << a << " / " << b;
      EXPECT_EQ(checked_mod(a, b), a - b * expected) << a << " % " << b;
    }
}

}  // namespace
}  // namespace tilewright
