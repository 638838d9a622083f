// Index maps as values: text in both directions, faults, the layouts.
#include "proof/index_map.h"

#include <gtest/gtest.h>

#include "proof/index_map_layouts.h"
#include "proof/map_cases.h"

namespace tilewright::proof::index_map_test {
namespace {

TEST(IndexMapText, PrintsOneLineAPart) {
  EXPECT_EQ(print_index_map(xor_swizzle_map(4, 8, 1)), "in 4, 8\nout 32\nto (d0 * 8) + (d1 ^ ((d0 >> 1) % 8))\n");
  EXPECT_EQ(print_index_map(tiled_cover({30}, {8})), "in 4, 8\nout 30\nto (d0 * 8) + d1\nif (d0 * 8) + d1 < 30\n");
  EXPECT_EQ(print_index_map(IndexMap{}), "in ()\nout ()\n");
}

TEST(IndexMapText, ParsesBackEveryOperation) {
  const std::string text =
      "in 5, 0\nout 9, 2\nto ceildiv(d0, 3) - (d1 << 2)\nto max(min(d0, -4), (d1 & 7) ^ (d0 >> 1)) % (1 / 0)\n"
      "if (d0 * 2) << 1 < -9\n";
  const auto parsed = parse_guarded_map(text);
  ASSERT_TRUE(parsed) << render(parsed.error());
  EXPECT_EQ(print_index_map(*parsed), text);
}

TEST(IndexMapText, RoundTripOfRandomMaps) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CaseRandom random(seed);
    const GuardedMap guarded = seed % 2 == 0 ? random_cover(random) : GuardedMap{random_map(random), {}};
    const std::string text = print_index_map(guarded);
    const auto parsed = parse_guarded_map(text);
    ASSERT_TRUE(parsed) << "seed " << seed << "\n" << text << render(parsed.error());
    EXPECT_EQ(print_index_map(*parsed), text);
    EXPECT_EQ(index_map_subject(*parsed), index_map_subject(guarded));
    for (const Point& point : all_points(guarded.map.inputs))
      EXPECT_EQ(value_at(parsed->map, point), value_at(guarded.map, point));
  }
}

TEST(IndexMapText, FaultsNameTheLine) {
  const auto expect = [](const std::string& text, const std::string& mentions) {
    const auto parsed = parse_guarded_map(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error()[0].code, DiagCode::SyntaxError);
    EXPECT_NE(parsed.error()[0].message.find(mentions), std::string::npos) << parsed.error()[0].message;
  };
  expect("", "a line 'in ..'");
  expect("in 4", "line 1 of the map: expected a line break");
  expect("in 4\n", "a line 'out ..'");
  expect("out 4\n", "line 1 of the map: 'out' does not belong here");
  expect("in 4\nout 4\nto d0\nin 4\n", "line 4");
  expect("in 4\nout 4\nto d0\nif d0 < 3\nto d0\n", "line 5");
  expect("in 4\nout 4\nto d0 + \n", "line 3 of the map: expected an integer");
  expect("in 4\nout 4\nto d0 ? 3\n", "expected an operator, found '? 3'");
  expect("in 4\nout 4\nto (d0 + 3\n", "expected ')'");
  expect("in 4\nout 4\nto d0 + 3 + 3\n", "expected the end of the line");
  expect("in 4\nout 4\nto 9223372036854775808\n", "an integer of 64 bits");
  expect("in -4\nout 4\nto d0\n", "an extent is not negative");
  expect("in 4\nout 4\nto d1\n", "result 0 reads d1, and the map has 1 inputs");
  expect("in 4\nout 4, 4\nto d0\n", "1 results for 2 outputs");
  expect("in 4\nout 4\nto d0\nif d0\n", "expected ' < '");
  expect("in 4\nout 4\nto " + std::string(5000, '(') + "\n", "too large");
  EXPECT_FALSE(parse_index_map("in 4\nout 4\nto d0\nif d0 < 3\n"));
  EXPECT_TRUE(parse_index_map("in 4\nout 4\nto d0\n"));
}

TEST(IndexMapFault, ForeignLeavesAndSizeAreNamed) {
  IndexMap map = flatten_map({2, 3});
  EXPECT_FALSE(index_map_fault(map));
  map.results[0] = map.arena.symbol(tile::SymbolId{0});
  EXPECT_EQ(index_map_fault(map), "result 0 has a leaf that is no input");
  map.results[0] = map.arena.axis(tile::AxisId{0});
  for (int i = 0; i < 12; ++i) map.results[0] = map.arena.make(tile::IndexKind::BitXor, map.results[0], map.results[0]);
  EXPECT_EQ(index_map_fault(map), "result 0 has more than 4096 nodes");
}

TEST(IndexMapLayouts, FlattenAndUnflattenAreInverse) {
  const IndexMap flat = flatten_map({3, 1, 4});
  const IndexMap digits = unflatten_map({3, 1, 4});
  for (const Point& point : all_points(flat.inputs)) EXPECT_EQ(value_at(digits, *value_at(flat, point)), point);
}

TEST(IndexMapLayouts, FragmentMapsAgree) {
  for (std::int64_t gm = 1; gm <= 3; ++gm)
    for (std::int64_t rm = 1; rm <= 3; ++rm)
      for (std::int64_t gn = 1; gn <= 3; ++gn)
        for (std::int64_t rn = 1; rn <= 3; ++rn) {
          const FragmentFactors factors{gm, rm, gn, rn};
          const IndexMap owner = fragment_owner_map(factors);
          const IndexMap atom = fragment_atom_map(factors);
          const IndexMap shards = fragment_shard_map(factors);
          for (const Point& point : all_points(owner.inputs)) {
            const auto home = value_at(owner, point);
            ASSERT_EQ(value_at(atom, *home), point);
            EXPECT_EQ(value_at(shards, {point[0] / rm, point[0] % rm, point[1] / rn, point[1] % rn}), home);
          }
        }
}

TEST(BoxPoints, OverflowHasNoNumber) {
  constexpr std::int64_t kBig = std::int64_t{1} << 32;
  EXPECT_EQ(box_points({}), 1u);
  EXPECT_EQ(box_points({kBig, kBig - 1}), static_cast<std::uint64_t>(kBig) * (kBig - 1));
  EXPECT_FALSE(box_points({kBig, kBig}));
  EXPECT_EQ(box_points({kBig, kBig, 0}), 0u);
}

}  // namespace
}  // namespace tilewright::proof::index_map_test
