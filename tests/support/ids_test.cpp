#include "support/ids.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace tilewright {
namespace {

using AId = Id<struct ATag>;
using BId = Id<struct BTag>;
static_assert(!std::is_convertible_v<AId, BId>);

TEST(Ids, DefaultIsNone) {
  EXPECT_FALSE(AId{}.valid());
  EXPECT_TRUE(AId{0}.valid());
}

TEST(Ids, VectorHandsOutPositions) {
  IdVector<AId, int> items;
  EXPECT_EQ(items.push_back(7), AId{0});
  EXPECT_EQ(items.push_back(8), AId{1});
  EXPECT_EQ(items[AId{1}], 8);
  EXPECT_EQ(items.ids(), (std::vector<AId>{{0}, {1}}));
}

TEST(Ids, PoolKeepsLists) {
  IdPool pool;
  const auto empty = pool.add(std::vector<AId>{});
  const auto list = pool.add(std::vector<AId>{{3}, {1}});
  const auto other = pool.add(std::vector<BId>{{9}});
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(pool.get(list), (std::vector<AId>{{3}, {1}}));
  EXPECT_EQ(pool.at(other, 0), BId{9});
  pool.set(list, 1, AId{4});
  EXPECT_EQ(pool.get(list), (std::vector<AId>{{3}, {4}}));
  EXPECT_EQ(pool.at(other, 0), BId{9});
}

TEST(IdsDeathTest, ForeignPositionIsABrokenInvariant) {
  IdVector<AId, int> items;
  IdPool pool;
  EXPECT_DEATH(items[AId{0}], "broken invariant");
  EXPECT_DEATH(items[AId{}], "broken invariant");
  EXPECT_DEATH(pool.get(IdList<AId>{0, 1}), "broken invariant");
}

}  // namespace
}  // namespace tilewright
