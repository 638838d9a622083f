#include <gtest/gtest.h>

#include "lower/launch_layout.h"

namespace tilewright::lower {
namespace {

TEST(LaunchLayout, CountsFromTheLowestElementToTheHighest) {
  EXPECT_EQ(*make_buffer_layout({3, 4}, {4, 1}), (BufferLayout{{4, 1}, 0, 12}));
  EXPECT_EQ(*make_buffer_layout({3, 4}, {-4, 1}), (BufferLayout{{-4, 1}, -8, 12}));
  EXPECT_EQ(*make_buffer_layout({3, 4}, {-10, -2}), (BufferLayout{{-10, -2}, -26, 27}));
  EXPECT_EQ(*make_buffer_layout({3, 4}, {0, 0}), (BufferLayout{{0, 0}, 0, 1}));
  EXPECT_EQ(*make_buffer_layout({}, {}), (BufferLayout{{}, 0, 1}));
}

TEST(LaunchLayout, EmptyViewsHaveNoElements) {
  EXPECT_EQ(*make_buffer_layout({3, 0}, {INT64_MAX, INT64_MIN}), (BufferLayout{{INT64_MAX, INT64_MIN}, 0, 0}));
}

TEST(LaunchLayout, RefusesWhatDoesNotFit) {
  EXPECT_EQ(make_buffer_layout({3}, {}).error().front().code, DiagCode::ArgumentStrides);
  EXPECT_EQ(make_buffer_layout({-3}, {1}).error().front().code, DiagCode::NegativeSize);
  EXPECT_EQ(make_buffer_layout({3}, {INT64_MAX}).error().front().code, DiagCode::SizeOverflow);
  EXPECT_EQ(make_buffer_layout({2, 2}, {INT64_MAX, 1}).error().front().code, DiagCode::SizeOverflow);
  EXPECT_EQ(make_buffer_layout({2, 2}, {INT64_MAX, -1}).error().front().code, DiagCode::SizeOverflow);
}

}  // namespace
}  // namespace tilewright::lower
