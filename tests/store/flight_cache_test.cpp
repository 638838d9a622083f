#include "store/flight_cache.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tilewright::store {
namespace {

using Cache = FlightCache<std::shared_ptr<int>>;

auto make(int value) {
  return [value] { return Result<std::shared_ptr<int>>(std::make_shared<int>(value)); };
}

// cases.md H8: threads that compile the same kernels at the same time.
TEST(FlightCache, SixteenThreadsMakeFourValuesOnce) {
  Cache cache(10);
  std::atomic<int> made = 0, waiting = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      const std::string key = "k" + std::to_string(t % 4);
      ++waiting;
      while (waiting < 16) std::this_thread::yield();
      const auto value = cache.get(key, [&] {
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return make(t % 4)();
      });
      EXPECT_EQ(**value, t % 4);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 4);
  EXPECT_EQ(cache.counts().made, 4u);
  EXPECT_EQ(cache.counts().hits + cache.counts().joined, 12u);
}

TEST(FlightCache, TheLeastRecentlyUsedGoFirst) {
  Cache cache(2);
  static_cast<void>(cache.get("a", make(1)));
  static_cast<void>(cache.get("b", make(2)));
  EXPECT_TRUE(cache.find("a"));
  static_cast<void>(cache.get("c", make(3)));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  cache.clear();
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_FALSE(cache.find("a"));
}

TEST(FlightCache, FailuresAreToldAndNotKept) {
  Cache cache(2);
  const auto failed = cache.get("a", [] { return Result<std::shared_ptr<int>>(failure(DiagCode::BadOption, "no")); });
  EXPECT_EQ(failed.error().front().code, DiagCode::BadOption);
  EXPECT_EQ(**cache.get("a", make(5)), 5);
}

TEST(FlightCache, AnExceptionLeavesTheNextOneToTry) {
  Cache cache(2);
  const auto thrower = []() -> Result<std::shared_ptr<int>> { throw std::runtime_error("x"); };
  EXPECT_THROW(static_cast<void>(cache.get("a", thrower)), std::runtime_error);
  EXPECT_EQ(**cache.get("a", make(5)), 5);
}

TEST(FlightCache, ValuesInUseOutliveTheCache) {
  std::shared_ptr<int> kept;
  {
    Cache cache(1);
    kept = *cache.get("a", make(9));
    static_cast<void>(cache.get("b", make(1)));
  }
  EXPECT_EQ(*kept, 9);
}

}  // namespace
}  // namespace tilewright::store
