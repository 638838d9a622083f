// map.bijective: proved, refuted, unknown, both sides of each bound; against enumeration.
#include "proof/map_bijective.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_map.h"
#include "proof/index_map_layouts.h"
#include "proof/map_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::map_bijective_test {
namespace {

using Family = MapBijective;

/// The witness violates: two points with one value, or, where the domain can be enumerated, a value of no point.
void expect_bijection_violated(const IndexMap& map, const Refuted& refuted) {
  if (refuted.code == Family::kCollision) {
    const Point first = witness_point(refuted.witness, "d");
    const Point second = witness_point(refuted.witness, "other_d");
    EXPECT_NE(first, second);
    EXPECT_TRUE(value_at(map, first) && value_at(map, first) == value_at(map, second)) << print_index_map(map);
    return;
  }
  ASSERT_EQ(refuted.code, Family::kUnreached);
  const Point output = witness_point(refuted.witness, "y");
  EXPECT_TRUE(inside(map.outputs, output)) << print_index_map(map);
  if (*box_points(map.inputs) > 10'000) return;
  for (const Point& point : all_points(map.inputs)) EXPECT_NE(value_at(map, point), output) << print_index_map(map);
}

Verdict<Family> ask(const IndexMap& map, std::uint64_t limit) {
  const auto verdict = prove_map_bijective(map, total_token(map), limit);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) expect_bijection_violated(map, *refuted);
  if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
    const auto check = check_map_bijective(proved->certificate(), map, {1000, 300, 1});
    EXPECT_TRUE(check) << render(check.error());
  }
  return verdict;
}

std::string answer(const std::string& text, std::uint64_t limit = 0) {
  const auto map = parse_index_map(text);
  EXPECT_TRUE(map) << text;
  const auto verdict = ask(*map, limit);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return std::string(refuted->code);
  if (const auto* unknown = std::get_if<Unknown>(&verdict)) return std::string(unknown->code);
  return "proved";
}

TEST(MapBijective, LayoutsOfAnySizeByMethodAlone) {
  const std::int64_t big = 1 << 10;
  for (const IndexMap& map :
       {flatten_map({big, 7, big, 3}), unflatten_map({big, 7, big, 3}), xor_swizzle_map(big, 64, 3),
        fragment_owner_map({big, 6, 8, 3}), fragment_atom_map({big, 6, 8, 3}), fragment_shard_map({big, 6, 8, 3}),
        fragment_owner_map({1, 1, 1, 1}), fragment_atom_map({1, 5, 7, 1})})
    EXPECT_TRUE(is_proved(ask(map, 0))) << print_index_map(map);
}

TEST(MapBijective, FragmentFactorsAreCovered) {
  int count = 0;
  for (std::int64_t gm = 1; gm <= 8; gm *= 2)
    for (std::int64_t rm = 1; rm <= 5; ++rm)
      for (std::int64_t gn = 1; gn <= 8; gn *= 2)
        for (std::int64_t rn = 1; rn <= 5; ++rn, ++count)
          for (const IndexMap& map : {fragment_owner_map({gm, rm, gn, rn}), fragment_atom_map({gm, rm, gn, rn}),
                                      fragment_shard_map({gm, rm, gn, rn})})
            ASSERT_TRUE(is_proved(ask(map, 0))) << print_index_map(map);
  EXPECT_EQ(count, 400);
}

TEST(MapBijective, SizesPlusAndMinusOne) {
  EXPECT_EQ(answer("in 1000000, 4\nout 4000000\nto (d0 * 4) + d1\n"), "proved");
  EXPECT_EQ(answer("in 1000000, 3\nout 4000000\nto (d0 * 4) + d1\n"), "unreached");
  EXPECT_EQ(answer("in 1000000, 5\nout 4000001\nto (d0 * 4) + d1\n"), "collision");
  EXPECT_EQ(answer("in 1000000, 4\nout 4000001\nto (d0 * 4) + d1\n"), "unreached");
  EXPECT_EQ(answer("in 1000000, 4\nout 4000001\nto ((d0 * 4) + d1) + 1\n"), "unreached");
}

TEST(MapBijective, UnreachedValues) {
  EXPECT_EQ(answer("in 1000000\nout 2000000\nto d0 * 2\n"), "unreached");             // ends of the range
  EXPECT_EQ(answer("in 1000001\nout 2000001\nto d0 * 2\n"), "unreached");             // a common divisor
  EXPECT_EQ(answer("in 1000, 2\nout 2999\nto (d0 * 3) - (d1 - 1)\n"), "unreached");   // a gap between radices
  EXPECT_EQ(answer("in 1024\nout 1024, 2\nto d0\nto (d0 >> 1) & 1\n"), "unreached");  // a bit of the others
  EXPECT_EQ(answer("in 3\nout 5\nto (d0 * d0) % 5\n", 3), "unreached");               // enumerated
  EXPECT_EQ(answer("in 3\nout 5\nto (d0 * d0) % 5\n", 2), "quota");
}

TEST(MapBijective, PigeonholesNeedAWitness) {
  // More points than values: two of the first values + 1 points collide.
  const std::string text = "in 1001\nout 1000\nto ((d0 * d0) + d0) % 1000\n";
  EXPECT_EQ(answer(text, 1001), "collision");
  EXPECT_EQ(answer("in 100000\nout 11\nto (d0 * 3) % 11\n", 12), "collision");
  EXPECT_EQ(answer("in 100000\nout 11\nto (d0 * 3) % 11\n", 11), "quota");
}

TEST(MapBijective, EmptyBoxes) {
  EXPECT_EQ(answer("in 0\nout 0\nto d0\n"), "proved");
  EXPECT_EQ(answer("in 0\nout 1\nto d0\n"), "unreached");
  EXPECT_EQ(answer("in ()\nout ()\n"), "proved");
  EXPECT_EQ(answer("in 3\nout ()\n"), "collision");
}

TEST(MapBijective, EnumerationUpToTheLimit) {
  EXPECT_EQ(answer("in 1001\nout 1001\nto (d0 * 10) % 1001\n", 1001), "proved");
  EXPECT_EQ(answer("in 1001\nout 1001\nto (d0 * 10) % 1001\n", 1000), "quota");
}

TEST(MapBijective, EveryAlterationIsRefused) {
  for (const IndexMap& map :
       {xor_swizzle_map(4, 8, 1), fragment_owner_map({2, 3, 4, 1}), flatten_map({70000, 70000})}) {
    const auto verdict = prove_map_bijective(map, total_token(map));
    ASSERT_TRUE(is_proved(verdict));
    const CertificateCheck check = [&](const Certificate& c) { return check_map_bijective(c, map, {1000, 50, 1}); };
    EXPECT_GT(expect_alterations_refused(std::get<Proved<Family>>(verdict).certificate(), check), 20);
  }
}

TEST(MapBijective, AFalseStatementIsRefused) {
  const IndexMap map = flatten_map({4, 8});
  IndexMap wide = map;
  wide.outputs = {33};
  Certificate certificate = std::get<Proved<Family>>(prove_map_bijective(map, total_token(map))).certificate();
  certificate.subject = index_map_subject(wide);
  certificate.fields[1].value = "33";
  EXPECT_FALSE(check_map_bijective(certificate, wide));
  EXPECT_FALSE(check_map_bijective(certificate, wide, {10, 100, 1}));
}

TEST(MapBijective, AgreesWithEnumeration) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    const IndexMap map = random_total_map(random);
    const std::uint64_t limit = random.chance(1, 8) ? kEnumerationLimit : 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_index_map(map));
    const MapTruth truth = truth_of({map, {}});
    const auto verdict = ask(map, limit);
    if (is_proved(verdict)) {
      tally.add(Finding::Kind::Proved);
      ASSERT_TRUE(truth.injective && truth.onto);
    } else if (std::holds_alternative<Refuted>(verdict)) {
      tally.add(Finding::Kind::Refuted);
      ASSERT_FALSE(truth.injective && truth.onto);
    } else {
      tally.add(Finding::Kind::Unknown);
      ASSERT_EQ(limit, 0u);
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::map_bijective_test
