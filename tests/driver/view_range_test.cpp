// Ranges of views and the test for elements that are addressed twice, against enumeration.
#include "driver/view_range.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using Numbers = std::vector<std::int64_t>;

ArrayView view_of(Numbers extents, Numbers strides, std::int64_t offset = 0) {
  return {DataType::F32, nullptr, 0, offset, std::move(extents), std::move(strides)};
}

TEST(ViewRange, CountsFromLowestToHighest) {
  EXPECT_EQ(element_range(view_of({2, 3}, {3, 1})), (ElementRange{0, 6}));
  EXPECT_EQ(element_range(view_of({2, 3}, {-3, 1}, 3)), (ElementRange{0, 6}));
  EXPECT_EQ(element_range(view_of({4}, {0}, 7)), (ElementRange{7, 8}));
  EXPECT_EQ(element_range(view_of({}, {}, 5)), (ElementRange{5, 6}));
  EXPECT_EQ(element_range(view_of({3}, {-1})), (ElementRange{-2, 1}));
}

TEST(ViewRange, WithoutPointsIsEmptyWhereverItStands) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(element_range(view_of({0, 5}, {huge, huge}, huge))->empty());
}

TEST(ViewRange, AxesOfOnePointHaveNoReach) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(element_range(view_of({1, 4}, {huge, 1})), (ElementRange{0, 4}));
  std::int64_t visited = 0;
  for_each_element(view_of({1, 4, 1}, {huge, 1, huge}), [&](std::int64_t, std::int64_t) { ++visited; });
  EXPECT_EQ(visited, 4);
}

TEST(ViewRange, SaysWhenAPositionOverflows) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(element_range(view_of({3}, {huge})));
  EXPECT_FALSE(element_range(view_of({2}, {huge}, 1)));
  EXPECT_FALSE(element_range(view_of({}, {}, huge)));
  EXPECT_FALSE(point_count({std::int64_t{1} << 32, std::int64_t{1} << 31}));
  EXPECT_EQ(point_count({std::int64_t{1} << 62, 0, std::int64_t{1} << 62}), 0);
}

TEST(ViewRange, WalkVisitsEveryPointInOrder) {
  const ArrayView view = view_of({2, 3, 2}, {100, -10, 1}, 20);
  Numbers positions, ordinals;
  for_each_element(view, [&](std::int64_t ordinal, std::int64_t position) {
    ordinals.push_back(ordinal);
    positions.push_back(position);
  });
  EXPECT_EQ(positions, (Numbers{20, 21, 10, 11, 0, 1, 120, 121, 110, 111, 100, 101}));
  for (std::size_t i = 0; i < ordinals.size(); ++i) EXPECT_EQ(ordinals[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(point_of(7, view.extents), (Numbers{1, 0, 1}));
}

// Every view with up to three axes of up to four points and strides from -6 to 6.
TEST(SelfOverlap, AgreesWithEnumeration) {
  std::mt19937 generator(1);
  for (int round = 0; round < 4000; ++round) {
    Numbers extents, strides;
    for (std::size_t d = generator() % 4; d-- > 0;) {
      extents.push_back(static_cast<std::int64_t>(generator() % 5));
      strides.push_back(static_cast<std::int64_t>(generator() % 13) - 6);
    }
    std::map<std::int64_t, int> visits;
    for_each_element(view_of(extents, strides), [&](std::int64_t, std::int64_t position) { ++visits[position]; });
    bool twice = false;
    for (const auto& [position, count] : visits) twice = twice || count > 1;
    const SelfOverlapVerdict verdict = find_self_overlap(extents, strides);
    ASSERT_EQ(verdict.kind, twice ? SelfOverlap::Certain : SelfOverlap::None);
    if (!twice) continue;
    std::int64_t first = 0, second = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      first += verdict.first[d] * strides[d];
      second += verdict.second[d] * strides[d];
    }
    EXPECT_EQ(first, second);
    EXPECT_NE(verdict.first, verdict.second);
  }
}

TEST(SelfOverlap, LargeViews) {
  EXPECT_EQ(find_self_overlap({1 << 20, 1 << 20}, {1 << 20, 1}).kind, SelfOverlap::None);
  EXPECT_EQ(find_self_overlap({1 << 20, 1 << 20}, {1 << 20, 0}).kind, SelfOverlap::Certain);
  // Strides 2 and 3 meet at 6, but finding that needs more than sorted strides.
  EXPECT_EQ(find_self_overlap({1 << 20, 1 << 20}, {2, 3}).kind, SelfOverlap::Unknown);
}

}  // namespace
}  // namespace tilewright::driver
