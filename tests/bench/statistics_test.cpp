// Medians and means, and that turns are taken in every order.
#include "bench/statistics.h"

#include <set>

#include <gtest/gtest.h>

namespace tilewright::bench {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({9, 1, 5}), 5);
  EXPECT_EQ(median_of({4, 1, 2, 100}), 3);
}

TEST(Statistics, SpreadKeepsTheEnds) { EXPECT_EQ(spread_of({5, 1, 9, 2}), (Spread{3.5, 1, 9})); }

TEST(Statistics, GeometricMean) {
  EXPECT_FALSE(geometric_mean({}).has_value());
  EXPECT_NEAR(*geometric_mean(std::vector<double>{2, 8}), 4, 1e-12);
  EXPECT_NEAR(*geometric_mean(std::vector<double>{0.5, 2, 1}), 1, 1e-12);
}

// A machine that slows down by half in one round changes both times and no ratio.
TEST(Statistics, RatiosAreTakenRoundByRound) {
  const std::vector<double> ours = {10, 20, 10}, peer = {11, 22, 11};
  EXPECT_DOUBLE_EQ(median_ratio(peer, ours), 1.1);
}

TEST(Rotation, EveryRoundIsAPermutationAndEverybodyBeginsOnce) {
  for (const std::size_t count : {1U, 2U, 5U, 12U}) {
    std::set<std::size_t> first;
    for (std::size_t round = 0; round < 2 * count; ++round) {
      std::set<std::size_t> seen;
      for (std::size_t turn = 0; turn < count; ++turn) seen.insert(rotated_turn(round, turn, count));
      EXPECT_EQ(seen.size(), count);
      EXPECT_LT(*seen.rbegin(), count);
      first.insert(rotated_turn(round, 0, count));
    }
    EXPECT_EQ(first.size(), count);
  }
}

}  // namespace
}  // namespace tilewright::bench
