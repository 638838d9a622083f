// The questions that a tile compiler asks, for all sizes at once: does a tiling cover each element once, do accesses
// stay inside, are rows of tiles disjoint. Each with the mutation that must turn the answer.
#include <gtest/gtest.h>

#include "sets/map.h"

namespace tilewright::sets {
namespace {

using Functions = std::vector<Function>;

/// { (i, m) -> 64 i + m : 0 <= i < ceildiv(M, 64), 0 <= m < width, 64 i + m < M } for M >= 1.
class Tiling {
 public:
  explicit Tiling(std::int64_t width)
      : tiles_(context_, {"M"}, {"i", "m"}), rows_(context_, {"M"}, {"r"}), domain_(domain(width)) {}

  Set domain(std::int64_t width) const {
    const Set box = Set::box(tiles_, Functions{size(tiles_).ceildiv(64), Function::constant(tiles_, width)});
    return box.intersect(less(row(), size(tiles_))).intersect(less(Function::constant(tiles_, 0), size(tiles_)));
  }
  Function row() const { return 64 * Function::dimension(tiles_, 0) + Function::dimension(tiles_, 1); }
  Map map() const { return Map(domain_, Functions{row()}, {"r"}); }
  /// [0, M), for M >= 1
  Set elements() const { return Set::box(rows_, Functions{size(rows_)}); }
  const Space& tiles() const { return tiles_; }

  static Function size(const Space& space) { return Function::parameter(space, "M"); }

 private:
  Context context_;
  Space tiles_, rows_;
  Set domain_;
};

TEST(Tilings, RaggedTilesCoverEachElementOnceForEverySize) {
  const Tiling tiling(64);
  EXPECT_EQ(tiling.map().is_bijective_onto(tiling.elements()), Truth::Yes);
  EXPECT_EQ(tiling.map().collision(), std::nullopt);
}

TEST(Tilings, ATileTooNarrowLeavesGaps) {
  const Tiling tiling(63);
  EXPECT_EQ(tiling.map().is_injective(), Truth::Yes);
  EXPECT_EQ(tiling.map().is_bijective_onto(tiling.elements()), Truth::No);
  const auto gap = tiling.elements().subtract(tiling.map().range()).sample();
  ASSERT_TRUE(gap.has_value());
  EXPECT_EQ(gap->dimensions[0] % 64, 63);
  EXPECT_LT(gap->dimensions[0], gap->parameters[0]);
}

TEST(Tilings, ATileTooWideCollides) {
  const Tiling tiling(65);
  EXPECT_EQ(tiling.map().range().is_equal(tiling.elements()), Truth::Yes);
  EXPECT_EQ(tiling.map().is_injective(), Truth::No);
  EXPECT_EQ(tiling.map().is_bijective_onto(tiling.elements()), Truth::No);
  const auto collision = tiling.map().collision();
  ASSERT_TRUE(collision.has_value());
  EXPECT_NE(collision->first, collision->second);
  for (const auto& tile : {collision->first, collision->second}) {
    EXPECT_EQ(tiling.row().value_at({collision->parameters, tile}), collision->image[0]);
    EXPECT_EQ(tiling.map().domain().contains({collision->parameters, tile}), Truth::Yes);
  }
}

TEST(Tilings, GuardedAccessesAreInBoundsForEverySize) {
  const Tiling tiling(64);
  const Function slack = tiling.row() - Tiling::size(tiling.tiles());
  EXPECT_EQ(tiling.map().domain().maximum_of(slack), -1);
  EXPECT_EQ(tiling.map().domain().minimum_of(tiling.row()), 0);
  EXPECT_EQ(tiling.map().range().is_subset_of(tiling.elements()), Truth::Yes);
}

TEST(Tilings, WithoutTheGuardOnlyMultiplesAreInBounds) {
  const Context context;
  const Space space(context, {"M"}, {"i", "m"});
  const Function i = Function::dimension(space, 0), m = Function::dimension(space, 1);
  const Function M = Function::parameter(space, "M"), zero = Function::constant(space, 0);
  const Set domain = Set::box(space, Functions{M.ceildiv(64), Function::constant(space, 64)});
  const Set outside = domain.intersect(greater_equal(64 * i + m, M));
  EXPECT_EQ(outside.is_empty(), Truth::No);
  const auto witness = outside.sample();
  ASSERT_TRUE(witness.has_value());
  EXPECT_GE(64 * witness->dimensions[0] + witness->dimensions[1], witness->parameters[0]);
  EXPECT_EQ(outside.intersect(equal(M.mod(64), zero)).is_empty(), Truth::Yes);
}

TEST(Tilings, SplitAndFuseAreInverse) {
  const Context context;
  const Space space(context, {"M"}, {"r"});
  const Function r = Function::dimension(space, 0), M = Function::parameter(space, "M");
  const Set rows = Set::box(space, Functions{M});
  const Map split(rows, Functions{r.floordiv(64), r.mod(64)}, {"i", "m"});
  const Space tiles = space.with_dimensions({"i", "m"});
  const Map fuse(Set::universe(tiles), Functions{64 * Function::dimension(tiles, 0) + Function::dimension(tiles, 1)},
                 {"r"});
  EXPECT_EQ(fuse.after(split).is_equal(Map::identity(rows)), Truth::Yes);
  EXPECT_EQ(split.inverse().is_equal(fuse.intersect_domain(split.range())), Truth::Yes);
}

/// A row-major matrix with K columns by strides that are numbers; the rows are disjoint iff the stride covers a row.
TEST(Tilings, StridedRowsOverlapBelowTheRowLength) {
  const Context context;
  const Space space(context, {"M"}, {"i", "k"});
  const Function i = Function::dimension(space, 0), k = Function::dimension(space, 1);
  const Set matrix = Set::box(space, Functions{Function::parameter(space, "M"), Function::constant(space, 48)});
  EXPECT_EQ(Map(matrix, Functions{48 * i + k}, {"address"}).is_injective(), Truth::Yes);
  EXPECT_EQ(Map(matrix, Functions{50 * i + k}, {"address"}).is_injective(), Truth::Yes);
  const Map overlapping(matrix, Functions{47 * i + k}, {"address"});
  EXPECT_EQ(overlapping.is_injective(), Truth::No);
  const auto collision = overlapping.collision();
  ASSERT_TRUE(collision.has_value());
  EXPECT_EQ(47 * collision->first[0] + collision->first[1], 47 * collision->second[0] + collision->second[1]);
}

}  // namespace
}  // namespace tilewright::sets
