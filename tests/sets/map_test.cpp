// Maps against enumeration of their pairs.
#include "sets/map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sets/twins.h"

namespace tilewright::sets {
namespace {

using Functions = std::vector<Function>;
using Values = std::vector<std::int64_t>;

/// A random map from a part of [-reach, reach]^2 to two functions, and its images.
struct MapTwin {
  Map map;
  std::map<Values, Values> images;
};

MapTwin random_map(const Context& context, std::uint64_t seed, std::int64_t reach) {
  TwinSource source(Space(context, {}, {"i", "j"}), seed);
  const SetTwin domain = source.bounded_set(0, reach);
  const FunctionTwin x = source.function(1), y = source.function(1);
  MapTwin twin{Map(domain.set, Functions{x.function, y.function}, {"x", "y"}), {}};
  for (const Point& point : points_of(domain, source.grid(reach)))
    twin.images[point.dimensions] = {x.value(point.dimensions), y.value(point.dimensions)};
  return twin;
}

/// Points without parameters.
std::vector<Point> as_points(const std::set<Values>& all) {
  std::vector<Point> points;
  for (const Values& values : all) points.push_back({{}, values});
  return points;
}

template <class Law>
void for_each_seed(int runs, Law law) {
  for (int run = 1; run <= runs; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << run);
    const Context context;
    law(context, static_cast<std::uint64_t>(run));
    EXPECT_EQ(context.overruns(), 0u);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MapLaws, DomainRangeAndGraph) {
  for_each_seed(30, [](const Context& context, std::uint64_t seed) {
    const MapTwin twin = random_map(context, seed, 4);
    std::set<Values> inputs, outputs, pairs;
    for (const auto& [from, to] : twin.images) {
      inputs.insert(from);
      outputs.insert(to);
      pairs.insert({from[0], from[1], to[0], to[1]});
    }
    EXPECT_EQ(twin.map.domain().points(), as_points(inputs));
    EXPECT_EQ(twin.map.range().points(), as_points(outputs));
    EXPECT_EQ(twin.map.graph().points(), as_points(pairs));
    EXPECT_EQ(Map::from_graph(twin.map.graph(), 2).is_equal(twin.map), Truth::Yes);
    EXPECT_EQ(twin.map.inverse().domain().points(), as_points(outputs));
    EXPECT_EQ(twin.map.is_empty(), truth_of(twin.images.empty()));
    EXPECT_EQ(twin.map.is_single_valued(), Truth::Yes);
    for (const auto& [from, to] : twin.images) ASSERT_EQ(twin.map.apply({{}, from}), (Point{{}, to}));
    EXPECT_EQ(twin.map.apply({{}, {5, 5}}), std::nullopt);
  });
}

TEST(MapLaws, ImagesAndPreimages) {
  for_each_seed(30, [](const Context& context, std::uint64_t seed) {
    const MapTwin twin = random_map(context, seed, 4);
    const SetTwin part = TwinSource(twin.map.domain_space(), seed + 1000).bounded_set(0, 3);
    std::set<Values> image, preimage;
    for (const auto& [from, to] : twin.images) {
      if (part.holds(from)) image.insert(to);
      if (part.holds(to)) preimage.insert(from);
    }
    EXPECT_EQ(twin.map.image(part.set).points(), as_points(image));
    EXPECT_EQ(twin.map.preimage(part.set).points(), as_points(preimage));
    EXPECT_EQ(twin.map.intersect_domain(part.set).range().points(), as_points(image));
    EXPECT_EQ(twin.map.intersect_range(part.set).domain().points(), as_points(preimage));
  });
}

TEST(MapLaws, CompositionAppliesOneAfterTheOther) {
  for_each_seed(20, [](const Context& context, std::uint64_t seed) {
    const MapTwin f = random_map(context, seed, 4), g = random_map(context, seed + 1000, 4);
    std::set<Values> pairs;
    for (const auto& [from, to] : f.images)
      if (const auto found = g.images.find(to); found != g.images.end())
        pairs.insert({from[0], from[1], found->second[0], found->second[1]});
    const Map composed = g.map.after(f.map);
    EXPECT_EQ(composed.graph().points(), as_points(pairs));
    EXPECT_EQ(composed.inverse().is_equal(f.map.inverse().after(g.map.inverse())), Truth::Yes);
    EXPECT_EQ(f.map.after(Map::identity(f.map.domain())).is_equal(f.map), Truth::Yes);
  });
}

TEST(MapLaws, InjectiveOrCollision) {
  int injective = 0, colliding = 0;
  for_each_seed(40, [&](const Context& context, std::uint64_t seed) {
    const MapTwin twin = random_map(context, seed, 4);
    std::set<Values> outputs;
    for (const auto& [from, to] : twin.images) outputs.insert(to);
    const bool is_injective = outputs.size() == twin.images.size();
    EXPECT_EQ(twin.map.is_injective(), truth_of(is_injective));
    EXPECT_EQ(twin.map.is_bijective_onto(twin.map.range()), truth_of(is_injective));
    EXPECT_EQ(twin.map.inverse().is_single_valued(), truth_of(is_injective));
    const auto collision = twin.map.collision();
    EXPECT_EQ(collision.has_value(), !is_injective);
    (collision ? colliding : injective)++;
    if (!collision) return;
    EXPECT_NE(collision->first, collision->second);
    EXPECT_EQ(twin.images.at(collision->first), collision->image);
    EXPECT_EQ(twin.images.at(collision->second), collision->image);
  });
  EXPECT_GT(injective, 3);
  EXPECT_GT(colliding, 3);
}

TEST(MapLaws, SetOperationsOnPairs) {
  for_each_seed(20, [](const Context& context, std::uint64_t seed) {
    const MapTwin f = random_map(context, seed, 3), g = random_map(context, seed + 1000, 3);
    const Set a = f.map.graph(), b = g.map.graph();
    EXPECT_EQ(f.map.unite(g.map).graph().is_equal(a.unite(b)), Truth::Yes);
    EXPECT_EQ(f.map.intersect(g.map).graph().is_equal(a.intersect(b)), Truth::Yes);
    EXPECT_EQ(f.map.subtract(g.map).graph().is_equal(a.subtract(b)), Truth::Yes);
    EXPECT_EQ(f.map.is_subset_of(g.map), a.is_subset_of(b));
    EXPECT_EQ(f.map.is_subset_of(f.map.unite(g.map)), Truth::Yes);
    EXPECT_EQ(f.map.is_equal(g.map), a.is_equal(b));
  });
}

TEST(Map, SeveralImagesAreNoImage) {
  const Context context;
  const Space space(context, {}, {"i"});
  const Set two = Set::box(space, Values{2});
  const Map all = Map::product(two, two);
  EXPECT_EQ(all.graph().count(), 4u);
  EXPECT_EQ(all.is_single_valued(), Truth::No);
  EXPECT_EQ(all.apply({{}, {0}}), std::nullopt);
  EXPECT_EQ(all.is_bijective_onto(two), Truth::No);
  EXPECT_TRUE(all.collision().has_value());
}

TEST(Map, WithoutInputsOrOutputs) {
  const Context context;
  const Space line(context, {}, {"i"}), none(context, {}, {});
  const Set four = Set::box(line, Values{4});
  const Map forget(four, Functions{}, {});
  EXPECT_EQ(forget.is_single_valued(), Truth::Yes);
  EXPECT_EQ(forget.is_injective(), Truth::No);
  EXPECT_EQ(forget.range().is_equal(Set::universe(none)), Truth::Yes);
  EXPECT_EQ(forget.domain().is_equal(four), Truth::Yes);
  EXPECT_EQ(forget.apply({{}, {3}}), Point{});
  EXPECT_EQ(forget.apply({{}, {4}}), std::nullopt);
  EXPECT_TRUE(forget.collision().has_value());
  const Map unit(Set::universe(none), Functions{}, {});
  EXPECT_EQ(unit.is_bijective_onto(Set::universe(none)), Truth::Yes);
  EXPECT_EQ(unit.collision(), std::nullopt);
  EXPECT_EQ(Map::from_graph(four, 0).range().is_equal(four), Truth::Yes);
  EXPECT_EQ(Map::from_graph(four, 1).domain().is_equal(four), Truth::Yes);
}

TEST(Map, ParametersReachBothSpaces) {
  const Context context;
  const Space space(context, {"M"}, {"i"}), other(context, {"N"}, {"r"});
  const Function i = Function::dimension(space, 0), M = Function::parameter(space, "M");
  const Map shift(Set::universe(space), Functions{i + M}, {"r"});
  const Set below = less(Function::dimension(other, 0), Function::parameter(other, "N"));
  const Set source = shift.preimage(below);
  EXPECT_EQ(source.space().parameters(), (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(source.contains({{3, 10}, {6}}), Truth::Yes);
  EXPECT_EQ(source.contains({{3, 10}, {7}}), Truth::No);
  EXPECT_EQ(shift.apply({{3}, {4}}), (Point{{3}, {7}}));
  EXPECT_EQ(shift.fix("M", 2).apply({{2}, {4}}), (Point{{2}, {6}}));
  EXPECT_EQ(shift.fix("M", 2).apply({{3}, {4}}), std::nullopt);
  EXPECT_EQ(shift.text(), "[M] -> { [i] -> [r = M + i] }");
}

TEST(MapDeathTest, BrokenPremises) {
  const Context context;
  const Space line(context, {}, {"i"}), plane(context, {}, {"i", "j"});
  const Set universe = Set::universe(line);
  const Map identity = Map::identity(universe);
  EXPECT_DEATH(Map(universe, Functions{}, {"x"}), "broken invariant");
  EXPECT_DEATH(Map(universe, Functions{Function::dimension(plane, 0)}, {"x"}), "broken invariant");
  EXPECT_DEATH(identity.image(Set::universe(plane)), "broken invariant");
  EXPECT_DEATH(identity.after(Map::identity(Set::universe(plane))), "broken invariant");
  EXPECT_DEATH(identity.unite(Map::identity(Set::universe(plane))), "broken invariant");
  EXPECT_DEATH(Map::from_graph(universe, 2), "broken invariant");
}

}  // namespace
}  // namespace tilewright::sets
