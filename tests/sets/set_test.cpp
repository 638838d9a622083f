// Sets against enumeration: each law over all points of small cubes, and questions on both sides of their boundary.
#include "sets/set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sets/twins.h"

namespace tilewright::sets {
namespace {

using Values = std::vector<std::int64_t>;

struct Shape {
  std::vector<std::string> parameters, dimensions;
  std::int64_t reach;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kAll = {
      {{}, {"i"}, 8}, {{}, {"i", "j"}, 8}, {{}, {"i", "j", "k"}, 3}, {{"M"}, {"i"}, 5}, {{"M"}, {"i", "j"}, 3}};
  return kAll;
}

/// Runs a law on random sources of all shapes. Each seed is printed where it fails.
template <class Law>
void for_each_source(int runs, Law law) {
  for (const Shape& shape : shapes())
    for (int run = 0; run < runs; ++run) {
      const Context context;
      const Space space(context, shape.parameters, shape.dimensions);
      const auto seed = static_cast<std::uint64_t>(run) + 1;
      SCOPED_TRACE(testing::Message() << "rank " << space.rank() << ", parameters " << shape.parameters.size()
                                      << ", seed " << seed);
      TwinSource source(space, seed);
      law(source, shape.reach);
      EXPECT_EQ(context.overruns(), 0u);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(SetLaws, PointsAreThoseOfTheConditions) {
  for_each_source(30, [](TwinSource& source, std::int64_t reach) {
    const SetTwin twin = source.bounded_set(2, reach);
    const auto grid = source.grid(reach);
    const auto expected = points_of(twin, grid);
    EXPECT_EQ(twin.set.points(), expected) << twin.set.text();
    EXPECT_EQ(twin.set.count(), expected.size()) << twin.set.text();
    EXPECT_EQ(twin.set.is_empty(), truth_of(expected.empty()));
    for (int i = 0; i < 10; ++i) {
      const Point& point =
          grid[static_cast<std::size_t>(source.between(0, static_cast<std::int64_t>(grid.size()) - 1))];
      EXPECT_EQ(twin.set.contains(point), truth_of(twin.holds(coordinates_of(point))));
    }
  });
}

TEST(SetLaws, ASampleIsAMember) {
  for_each_source(20, [](TwinSource& source, std::int64_t) {
    const SetTwin twin = source.set(2);
    const auto sample = twin.set.sample();
    EXPECT_EQ(sample.has_value(), twin.set.is_empty() == Truth::No) << twin.set.text();
    if (!sample) return;
    EXPECT_TRUE(twin.holds(coordinates_of(*sample))) << twin.set.text();
    EXPECT_EQ(twin.set.contains(*sample), Truth::Yes);
    EXPECT_EQ(Set::of_point(source.space(), *sample).points(), std::vector<Point>{*sample});
  });
}

TEST(SetLaws, QuestionsAboutTwoSets) {
  for_each_source(20, [](TwinSource& source, std::int64_t reach) {
    const SetTwin a = source.bounded_set(1, reach), b = source.bounded_set(1, reach);
    const auto grid = source.grid(reach);
    const auto in_a = points_of(a, grid), in_b = points_of(b, grid);
    std::vector<Point> shared;
    std::ranges::set_intersection(in_a, in_b, std::back_inserter(shared));
    EXPECT_EQ(a.set.is_subset_of(b.set), truth_of(shared.size() == in_a.size()));
    EXPECT_EQ(a.set.is_equal(b.set), truth_of(in_a == in_b));
    EXPECT_EQ(a.set.is_disjoint_from(b.set), truth_of(shared.empty()));
    EXPECT_EQ(a.set.is_equal(a.set.unite(a.set.intersect(b.set))), Truth::Yes) << "absorption";
    EXPECT_EQ(a.set.gist(b.set).intersect(b.set).points(), shared) << "gist agrees on what is known";
  });
}

TEST(SetLaws, ProjectionForgetsDimensions) {
  for_each_source(20, [](TwinSource& source, std::int64_t reach) {
    const SetTwin twin = source.bounded_set(1, reach);
    const auto gone = static_cast<std::size_t>(source.between(0, static_cast<std::int64_t>(source.space().rank()) - 1));
    std::set<Point> shadows;
    std::set<Values> parameters;
    for (Point point : points_of(twin, source.grid(reach))) {
      parameters.insert(point.parameters);
      point.dimensions.erase(point.dimensions.begin() + static_cast<std::ptrdiff_t>(gone));
      shadows.insert(point);
    }
    const Set projected = twin.set.project_out(std::vector<std::size_t>{gone});
    EXPECT_EQ(projected.points(), (std::vector<Point>{shadows.begin(), shadows.end()})) << twin.set.text();
    EXPECT_EQ(projected.space().rank() + 1, source.space().rank());
    EXPECT_EQ(twin.set.parameter_condition().count(), parameters.size());
    EXPECT_EQ(twin.set.where(twin.set.parameter_condition()).is_equal(twin.set), Truth::Yes);
  });
}

TEST(SetLaws, FixingIsFiltering) {
  for_each_source(10, [](TwinSource& source, std::int64_t reach) {
    const SetTwin twin = source.bounded_set(1, reach);
    const std::int64_t value = source.between(-reach, reach);
    auto expected = points_of(twin, source.grid(reach));
    const std::size_t last = source.space().rank() - 1;
    std::erase_if(expected, [=](const Point& point) { return point.dimensions[last] != value; });
    EXPECT_EQ(twin.set.fix_dimension(last, value).points(), expected);
    for (const std::string& name : source.space().parameters()) {
      auto with_parameter = points_of(twin, source.grid(reach));
      std::erase_if(with_parameter, [=](const Point& point) { return point.parameters[0] != value; });
      EXPECT_EQ(twin.set.fix(name, value).points(), with_parameter);
    }
  });
}

TEST(SetLaws, LexicographicExtremes) {
  for_each_source(15, [](TwinSource& source, std::int64_t reach) {
    SetTwin twin = source.bounded_set(1, reach);
    auto inside = points_of(twin, source.grid(reach));
    if (inside.empty()) {
      EXPECT_EQ(twin.set.lexmin(), std::nullopt);
      EXPECT_EQ(twin.set.lexmax(), std::nullopt);
      return;
    }
    const Values chosen = inside[inside.size() / 2].parameters;
    for (std::size_t i = 0; i < chosen.size(); ++i) twin.set = twin.set.fix(source.space().parameters()[i], chosen[i]);
    std::erase_if(inside, [&](const Point& point) { return point.parameters != chosen; });
    EXPECT_EQ(twin.set.lexmin(), inside.front());
    EXPECT_EQ(twin.set.lexmax(), inside.back());
  });
}

TEST(SetLaws, ExtremesOfFunctions) {
  for_each_source(20, [](TwinSource& source, std::int64_t reach) {
    const SetTwin twin = source.bounded_set(1, reach);
    const FunctionTwin f = source.function(2);
    std::set<std::int64_t> values;
    for (const Point& point : points_of(twin, source.grid(reach))) values.insert(f.value(coordinates_of(point)));
    EXPECT_EQ(twin.set.minimum_of(f.function), values.empty() ? std::nullopt : std::optional(*values.begin()));
    EXPECT_EQ(twin.set.maximum_of(f.function), values.empty() ? std::nullopt : std::optional(*values.rbegin()));
  });
}

TEST(Set, BoxesHaveTheirExtents) {
  const Context context;
  const Space space(context, {}, {"i", "j"});
  const Set box = Set::box(space, Values{3, 4});
  EXPECT_EQ(box.count(), 12u);
  EXPECT_EQ(box.contains({{}, {2, 3}}), Truth::Yes);
  EXPECT_EQ(box.contains({{}, {3, 3}}), Truth::No);
  EXPECT_EQ(box.contains({{}, {-1, 3}}), Truth::No);
  EXPECT_EQ(Set::box(space, Values{3, 0}).is_empty(), Truth::Yes);
  EXPECT_EQ(Set::box(space, Values{INT64_MIN, 5}).is_empty(), Truth::Yes);
  const Function i = Function::dimension(space, 0), three = Function::constant(space, 3);
  const Set triangle = Set::box(space, std::vector<Function>{three, i + Function::constant(space, 1)});
  EXPECT_EQ(triangle.count(), 6u);
}

TEST(Set, CountIsExactOrNothing) {
  const Context context;
  const Space space(context, {}, {"i", "j"});
  const std::int64_t big = std::int64_t{1} << 31;
  EXPECT_EQ(Set::box(space, Values{big, big}).count(), std::uint64_t{1} << 62);
  EXPECT_EQ(Set::box(space, Values{INT64_MAX, 2}).count(), 2 * static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(Set::box(space, Values{INT64_MAX, 3}).count(), std::nullopt) << "beyond uint64";
  const Set two_boxes = Set::box(space, Values{big, 2}).unite(Set::box(space, Values{2, big}));
  EXPECT_EQ(two_boxes.count(), 4 * static_cast<std::uint64_t>(big) - 4);
  const Function i = Function::dimension(space, 0), j = Function::dimension(space, 1);
  EXPECT_EQ(Set::box(space, Values{big, big}).intersect(less(i, j)).count(), std::nullopt) << "above the limit";
  EXPECT_EQ(less(i, j).count(), std::nullopt) << "infinite";
  EXPECT_EQ(Set::box(space, Values{362, 362}).intersect(less(i, j)).count(), 362u * 361u / 2) << "65341 points";
  EXPECT_EQ(Set::box(space, Values{363, 363}).intersect(less(i, j)).count(), std::nullopt) << "65703 points";
  EXPECT_EQ(context.overruns(), 0u) << "the limit came first";
  EXPECT_EQ(less(i, j).lexmin(), std::nullopt);
  EXPECT_EQ(Set::box(space, Values{10, 10}).points(99), std::nullopt);
  EXPECT_EQ(Set::box(space, Values{10, 10}).points(100)->size(), 100u);
}

TEST(Set, UnboundedFunctionsHaveNoExtreme) {
  const Context context;
  const Space space(context, {"M"}, {"i"});
  const Function i = Function::dimension(space, 0), M = Function::parameter(space, "M");
  const Set below = less(i, M);
  EXPECT_EQ(below.maximum_of(i), std::nullopt);
  EXPECT_EQ(below.maximum_of(i - M), -1);
  EXPECT_EQ(below.minimum_of(i - M), std::nullopt);
  EXPECT_EQ(below.fix("M", 7).maximum_of(i), 6);
  EXPECT_EQ(below.is_bounded(), Truth::No);
  EXPECT_EQ(Set::box(space, std::vector<Function>{M}).is_bounded(), Truth::Yes);
  EXPECT_EQ(Set::empty(space).maximum_of(i), std::nullopt);
}

TEST(Set, RankZeroIsAConditionOnParameters) {
  const Context context;
  const Space space(context, {"M"}, {});
  const Function M = Function::parameter(space, "M");
  const Set positive = greater(M, Function::constant(space, 0));
  EXPECT_EQ(Set::universe(space).contains({{-5}, {}}), Truth::Yes);
  EXPECT_EQ(positive.contains({{1}, {}}), Truth::Yes);
  EXPECT_EQ(positive.contains({{0}, {}}), Truth::No);
  EXPECT_EQ(positive.fix("M", 3).count(), 1u);
  EXPECT_EQ(positive.fix("M", 3).lexmin(), (Point{{3}, {}}));
  const Space bare(context, {}, {});
  EXPECT_EQ(Set::universe(bare).count(), 1u);
  EXPECT_EQ(Set::universe(bare).points(), std::vector<Point>{Point{}});
  EXPECT_EQ(Set::empty(bare).count(), 0u);
  EXPECT_EQ(Set::universe(bare).complement().is_empty(), Truth::Yes);
  EXPECT_EQ(Set::box(bare, Values{}).is_empty(), Truth::No);
  EXPECT_EQ(Set::universe(bare).sample(), Point{});

  const Space line(context, {"M"}, {"i"});
  const Set below = Set::box(line, std::vector<Function>{Function::parameter(line, "M")});
  EXPECT_EQ(below.parameter_condition().is_equal(positive), Truth::Yes);
  EXPECT_EQ(below.where(positive.complement()).is_empty(), Truth::Yes);
}

TEST(Set, ParametersMeetByNameDimensionsByPosition) {
  const Context context;
  const Space left(context, {"M", "N"}, {"i"}), right(context, {"N", "K"}, {"x"});
  const Set below_m = less(Function::dimension(left, 0), Function::parameter(left, "M"));
  const Set above_k = greater(Function::dimension(right, 0), Function::parameter(right, "K"));
  const Set both_of = below_m.intersect(above_k);
  EXPECT_EQ(both_of.space(), Space(context, {"M", "N", "K"}, {"i"}));
  EXPECT_EQ(both_of.contains({{5, 0, 2}, {3}}), Truth::Yes);
  EXPECT_EQ(both_of.contains({{5, 0, 3}, {3}}), Truth::No);
  EXPECT_EQ(both_of.is_subset_of(below_m), Truth::Yes);
  EXPECT_EQ(below_m.is_subset_of(both_of), Truth::No);
}

TEST(Set, TextNamesTheDimensions) {
  const Context context;
  const Space space(context, {"M"}, {"row"});
  EXPECT_EQ(Set::box(space, std::vector<Function>{Function::parameter(space, "M")}).text(),
            "[M] -> { [row] : 0 <= row < M }");
}

TEST(SetDeathTest, BrokenPremises) {
  const Context context, other;
  const Space line(context, {"M"}, {"i"}), plane(context, {}, {"i", "j"}), elsewhere(other, {"M"}, {"i"});
  const Set universe = Set::universe(line);
  EXPECT_DEATH(universe.intersect(Set::universe(plane)), "broken invariant");
  EXPECT_DEATH(universe.intersect(Set::universe(elsewhere)), "broken invariant");
  EXPECT_DEATH(universe.fix("N", 1), "broken invariant");
  EXPECT_DEATH(universe.fix_dimension(1, 1), "broken invariant");
  EXPECT_DEATH(universe.project_out(std::vector<std::size_t>{0, 0}), "broken invariant");
  EXPECT_DEATH(universe.contains({{}, {1}}), "broken invariant");
  EXPECT_DEATH(universe.where(universe), "broken invariant");
  EXPECT_DEATH(Set::box(plane, Values{1}), "broken invariant");
  EXPECT_DEATH(Space(context, {"M", "M"}, {}), "broken invariant");
}

}  // namespace
}  // namespace tilewright::sets
