// Functions against plain arithmetic at all points of small cubes, and at the ends of int64.
#include "sets/function.h"

#include <gtest/gtest.h>

#include "sets/set.h"
#include "sets/twins.h"

namespace tilewright::sets {
namespace {

using Functions = std::vector<Function>;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

TEST(FunctionLaws, ValuesAreThoseOfTheExpression) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Context context;
    TwinSource source(Space(context, {"M"}, {"i", "j"}), seed);
    const FunctionTwin twin = source.function(3);
    for (const Point& point : source.grid(2))
      ASSERT_EQ(twin.function.value_at(point), twin.value(coordinates_of(point))) << twin.function.text();
  }
}

TEST(FunctionLaws, AfterIsSubstitution) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Context context;
    const Space inner_space(context, {"M"}, {"i", "j"});
    TwinSource inner(inner_space, seed), outer(Space(context, {"M"}, {"x", "y", "z"}), seed + 1000);
    const FunctionTwin x = inner.function(1), y = inner.function(1), z = inner.function(1), f = outer.function(2);
    const Function composed = f.function.after(inner_space, Functions{x.function, y.function, z.function});
    for (const Point& point : inner.grid(2)) {
      const Coordinates at = coordinates_of(point);
      ASSERT_EQ(composed.value_at(point), f.value({at[0], x.value(at), y.value(at), z.value(at)}));
    }
  }
}

TEST(FunctionLaws, EqualityIsEqualityOfValues) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Context context;
    TwinSource source(Space(context, {}, {"i", "j"}), seed);
    const FunctionTwin f = source.function(2), g = source.function(2);
    const Set all = cube(source.space(), 4);
    bool same = true;
    for (const Point& point : source.grid(4)) same = same && f.value(point.dimensions) == g.value(point.dimensions);
    EXPECT_EQ(f.function.restrict_to(all).is_equal(g.function.restrict_to(all)), truth_of(same));
    EXPECT_EQ((f.function + g.function - g.function).is_equal(f.function), Truth::Yes);
  }
}

TEST(Function, DivisionOfNegativeNumbersRoundsDown) {
  const Context context;
  const Space space(context, {}, {"i"});
  const Function i = Function::dimension(space, 0);
  EXPECT_EQ(i.floordiv(4).value_at({{}, {-1}}), -1);
  EXPECT_EQ(i.mod(4).value_at({{}, {-1}}), 3);
  EXPECT_EQ(i.ceildiv(4).value_at({{}, {-1}}), 0);
  EXPECT_EQ((4 * i.floordiv(4) + i.mod(4)).is_equal(i), Truth::Yes);
  EXPECT_EQ(i.ceildiv(4).is_equal((i + Function::constant(space, 3)).floordiv(4)), Truth::Yes);
}

TEST(Function, ProductsNeedAConstant) {
  const Context context;
  const Space space(context, {"M"}, {"i"});
  const Function i = Function::dimension(space, 0), M = Function::parameter(space, "M");
  const Function zero_or_more = i.mod(2), three = Function::constant(space, 3);
  EXPECT_FALSE(product(i, M).has_value());
  EXPECT_FALSE(product(i, i).has_value());
  EXPECT_FALSE(product(zero_or_more, i).has_value());
  EXPECT_EQ(product(three, i)->is_equal(3 * i), Truth::Yes);
  EXPECT_EQ(product(i, three)->is_equal(3 * i), Truth::Yes);
  // Constant, though not by its form.
  const Function five = i.mod(3) - i.mod(3) + Function::constant(space, 5);
  EXPECT_EQ(five.constant_value(), 5);
  EXPECT_EQ(product(M, choose(less(i, M), five, five))->is_equal(5 * M), Truth::Yes);
  EXPECT_EQ(i.constant_value(), std::nullopt);
  EXPECT_EQ(M.constant_value(), std::nullopt);
}

TEST(Function, RestrictionLeavesItUndefinedElsewhere) {
  const Context context;
  const Space space(context, {}, {"i"});
  const Function i = Function::dimension(space, 0);
  const Set box = Set::box(space, std::vector<std::int64_t>{4});
  const Function cut = i.restrict_to(box);
  EXPECT_EQ(cut.value_at({{}, {3}}), 3);
  EXPECT_EQ(cut.value_at({{}, {4}}), std::nullopt);
  EXPECT_EQ(cut.domain().is_equal(box), Truth::Yes);
  EXPECT_EQ(cut.is_equal(i), Truth::No);
  EXPECT_EQ((cut + i).value_at({{}, {4}}), std::nullopt);
  EXPECT_EQ(product(Function::constant(space, 2).restrict_to(box), i)->value_at({{}, {4}}), std::nullopt);
  EXPECT_EQ(less_equal(cut, i).is_equal(box), Truth::Yes);
}

TEST(Function, NothingWraps) {
  const Context context;
  const Space space(context, {}, {"i", "j"});
  const Function i = Function::dimension(space, 0), j = Function::dimension(space, 1);
  const Function f = kHuge * i + (kHuge - 1) * j;
  EXPECT_EQ(f.value_at({{}, {1, 0}}), kHuge);
  EXPECT_EQ(f.value_at({{}, {1, 1}}), INT64_MAX);
  EXPECT_EQ(f.value_at({{}, {2, 0}}), std::nullopt) << "2^63";
  EXPECT_EQ(f.value_at({{}, {-2, 0}}), INT64_MIN);
  EXPECT_EQ(f.value_at({{}, {-2, -1}}), std::nullopt);
  EXPECT_EQ((f - f + i).is_equal(i), Truth::Yes);
  EXPECT_EQ((kHuge * (kHuge * i)).floordiv(kHuge).is_equal(kHuge * i), Truth::Yes);
  EXPECT_EQ(Function::constant(space, INT64_MIN).constant_value(), INT64_MIN);
  EXPECT_EQ((-Function::constant(space, INT64_MIN)).constant_value(), std::nullopt);
  EXPECT_EQ(i.mod(INT64_MAX).value_at({{}, {INT64_MIN, 0}}), INT64_MAX - 1);

  const Set line = equal(f, Function::constant(space, 1)).intersect(cube(space, 8));
  EXPECT_EQ(line.points(), (std::vector<Point>{{{}, {1, -1}}}));
  const Set far = equal(i, 2 * Function::constant(space, kHuge)).intersect(equal(j, i));
  EXPECT_EQ(far.is_empty(), Truth::No);
  EXPECT_EQ(far.sample(), std::nullopt) << "beyond int64";
  EXPECT_EQ(far.points(), std::nullopt);
  EXPECT_EQ(far.count(), 1u);
  EXPECT_EQ(far.maximum_of(i), std::nullopt);
  EXPECT_EQ(far.maximum_of(i - Function::constant(space, kHuge)), kHuge);
}

TEST(Function, WithoutDimensions) {
  const Context context;
  const Space space(context, {"M"}, {});
  const Function tiles = Function::parameter(space, "M").ceildiv(64);
  EXPECT_EQ(tiles.value_at({{65}, {}}), 2);
  const Space line(context, {}, {"i"});
  EXPECT_EQ(tiles.after(line, Functions{}).value_at({{65}, {7}}), 2);
  EXPECT_EQ(Function::constant(Space(context, {}, {}), 9).value_at({}), 9);
}

TEST(Function, Text) {
  const Context context;
  const Space space(context, {"M"}, {"i"});
  EXPECT_EQ((2 * Function::dimension(space, 0) + Function::parameter(space, "M")).text(),
            "[M] -> { [i] -> [(M + 2i)] }");
}

TEST(FunctionDeathTest, BrokenPremises) {
  const Context context;
  const Space space(context, {"M"}, {"i"});
  const Function i = Function::dimension(space, 0);
  EXPECT_DEATH(i.floordiv(0), "broken invariant");
  EXPECT_DEATH(i.mod(-2), "broken invariant");
  EXPECT_DEATH(i.ceildiv(0), "broken invariant");
  EXPECT_DEATH(Function::dimension(space, 1), "broken invariant");
  EXPECT_DEATH(Function::parameter(space, "N"), "broken invariant");
  EXPECT_DEATH(i.after(space, Functions{}), "broken invariant");
  EXPECT_DEATH(i.value_at({{1}, {}}), "broken invariant");
}

}  // namespace
}  // namespace tilewright::sets
