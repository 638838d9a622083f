#include "runtime/msl_emulator/runner/schedule.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tilewright::msl_emulator::runner {
namespace {

TEST(Schedule, OrdersOfLanesArePermutations) {
  for (std::uint32_t schedule = 0; schedule < 20; ++schedule) {
    const auto order = order_of_32(schedule, 7 + schedule);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 32u);
  }
  EXPECT_EQ(order_of_32(0, 9)[5], 5);
  EXPECT_EQ(order_of_32(1, 9)[5], 26);
  EXPECT_NE(order_of_32(2, 1), order_of_32(2, 2));
}

TEST(Schedule, OrdersOfGroupsArePermutations) {
  for (const std::uint64_t count : {1u, 2u, 3u, 4u, 12u, 97u, 360u})
    for (std::uint32_t schedule = 0; schedule < 6; ++schedule) {
      const GroupOrder order(count, schedule, 11 * schedule);
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < count; ++i) seen.insert(order.at(i));
      EXPECT_EQ(seen.size(), count) << count << " groups, schedule " << schedule;
      EXPECT_LT(*seen.rbegin(), count);
    }
  EXPECT_EQ(GroupOrder(10, 0, 3).at(4), 4u);
  EXPECT_EQ(GroupOrder(10, 1, 3).at(0), 9u);
  EXPECT_EQ(GroupOrder(0xffffffff, 1, 3).at(0xfffffffe), 0u);
}

}  // namespace
}  // namespace tilewright::msl_emulator::runner
