// map.total_in_bounds: proved, refuted, unknown, both sides of each bound; against enumeration.
#include "proof/map_total_in_bounds.h"

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_map.h"
#include "proof/index_map_layouts.h"
#include "proof/map_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::map_total_in_bounds_test {
namespace {

using Family = MapTotalInBounds;

IndexMap parsed(const std::string& text) {
  auto map = parse_index_map(text);
  EXPECT_TRUE(map) << text << render(map.error());
  return std::move(*map);
}

void expect_violation(const IndexMap& map, const Refuted& refuted) {
  const Point point = witness_point(refuted.witness, "d");
  ASSERT_TRUE(inside(map.inputs, point)) << print_index_map(map);
  const auto value = value_at(map, point);
  EXPECT_FALSE(value && inside(map.outputs, *value)) << print_index_map(map);
  bool violates = false;
  for (std::size_t i = 0; i < map.results.size(); ++i) {
    const auto result = result_at(map, i, point);
    if (refuted.code == Family::kNoValue) violates = violates || !result;
    if (refuted.code == Family::kBeforeStart) violates = violates || (result && *result < 0);
    if (refuted.code == Family::kPastEnd) violates = violates || (result && *result >= map.outputs[i]);
  }
  EXPECT_TRUE(violates) << print_index_map(map);
}

void expect_refuted(const std::string& text, std::string_view code, std::uint64_t limit = 0) {
  const IndexMap map = parsed(text);
  const auto verdict = prove_map_total_in_bounds(map, limit);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << text;
  EXPECT_EQ(refuted->code, code) << text;
  expect_violation(map, *refuted);
}

void expect_proved(const std::string& text, std::uint64_t limit = 0) {
  const IndexMap map = parsed(text);
  const auto verdict = prove_map_total_in_bounds(map, limit);
  ASSERT_TRUE(is_proved(verdict)) << text;
  const auto check = check_map_total_in_bounds(std::get<Proved<Family>>(verdict).certificate(), map, {1000, 200, 1});
  EXPECT_TRUE(check) << render(check.error());
}

TEST(MapTotalInBounds, BoundsPlusAndMinusOne) {
  expect_proved("in 4, 8\nout 32\nto (d0 * 8) + d1\n");
  expect_proved("in 4, 8\nout 33\nto (d0 * 8) + d1\n");
  expect_refuted("in 4, 8\nout 31\nto (d0 * 8) + d1\n", Family::kPastEnd);
  expect_refuted("in 5, 8\nout 32\nto (d0 * 8) + d1\n", Family::kPastEnd);
  expect_proved("in 4\nout 4\nto 3 - d0\n");
  expect_refuted("in 4\nout 4\nto 2 - d0\n", Family::kBeforeStart);
  expect_refuted("in 4\nout 4\nto 4 - d0\n", Family::kPastEnd);
}

TEST(MapTotalInBounds, OverflowAndDivisionByZero) {
  expect_proved("in 2\nout 4611686018427387905\nto d0 * 4611686018427387904\n");
  expect_refuted("in 3\nout 4611686018427387905\nto d0 * 4611686018427387904\n", Family::kNoValue);
  expect_refuted("in 4\nout 9\nto 8 / d0\n", Family::kNoValue);
  expect_proved("in 4\nout 9\nto 8 / (d0 + 1)\n");
  expect_proved("in 63\nout 4611686018427387905\nto 1 << d0\n");
  expect_refuted("in 64\nout 9223372036854775807\nto 1 << d0\n", Family::kNoValue);
  // The terms cancel, and the parts overflow all the same.
  expect_refuted("in 3\nout 3\nto ((d0 * 9223372036854775807) - (d0 * 9223372036854775807)) + d0\n", Family::kNoValue);
}

TEST(MapTotalInBounds, DigitsAreExactWhereRangesAreNot) {
  expect_proved("in 1099511627776\nout 1099511627776\nto ((d0 / 8) * 8) + (d0 % 8)\n");
  expect_refuted("in 1099511627776\nout 1099511627775\nto ((d0 / 8) * 8) + (d0 % 8)\n", Family::kPastEnd);
  expect_proved("in 1000\nout 1\nto d0 - d0\n");
}

TEST(MapTotalInBounds, EnumeratesUpToTheLimit) {
  // 7*d0 mod 100 minus its own bound is negative only inside the domain.
  const std::string text = "in 50\nout 100\nto ((d0 * 7) % 50) + ((d0 * 43) % 50)\n";
  EXPECT_EQ(
      std::get<Unknown>(prove_map_total_in_bounds(parsed("in 50\nout 98\nto ((d0 * 7) % 50) + ((d0 * 43) % 50)\n"), 49))
          .code,
      Family::kQuota);
  expect_proved(text, 0);
  expect_proved("in 50\nout 98\nto ((d0 * 7) % 50) + ((d0 * 43) % 50)\n", 50);
  expect_refuted("in 50\nout 50\nto ((d0 * 7) % 50) + ((d0 * 43) % 50)\n", Family::kPastEnd, 50);
}

TEST(MapTotalInBounds, EmptyAndScalarDomains) {
  expect_proved("in 0, 9\nout 1\nto 1 / 0\n");
  expect_proved("in ()\nout 4\nto 3\n");
  expect_refuted("in ()\nout 4\nto 4\n", Family::kPastEnd);
  expect_refuted("in 2\nout 0\nto d0\n", Family::kPastEnd);
}

TEST(MapTotalInBounds, UnknownForWhatIsNoMapAndForTooManyPoints) {
  IndexMap map = flatten_map({2, 3});
  map.results.clear();
  EXPECT_EQ(std::get<Unknown>(prove_map_total_in_bounds(map)).code, Family::kNotAMap);
  const IndexMap large = parsed("in 4294967296, 4294967296\nout 1\nto 0\n");
  EXPECT_EQ(std::get<Unknown>(prove_map_total_in_bounds(large)).code, Family::kQuota);
}

TEST(MapTotalInBounds, EveryAlterationIsRefused) {
  for (const IndexMap& map :
       {xor_swizzle_map(4, 8, 1), fragment_owner_map({2, 3, 4, 1}), flatten_map({70000, 70000})}) {
    const auto token = total_token(map);
    EXPECT_GT(expect_alterations_refused(
                  token.certificate(),
                  [&](const Certificate& c) { return check_map_total_in_bounds(c, map, {1000, 50, 1}); }),
              20);
  }
}

TEST(MapTotalInBounds, AFalseStatementIsRefused) {
  IndexMap map = flatten_map({4, 8});
  Certificate certificate = total_token(map).certificate();
  map.outputs = {31};
  certificate.subject = index_map_subject(map);
  certificate.fields = index_map_fields(map);
  certificate.fields.push_back({"points", "32"});
  const auto result = check_map_total_in_bounds(certificate, map);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error()[0].message.find("statement"), std::string::npos);
}

TEST(MapTotalInBounds, AgreesWithEnumeration) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    // At random, one short of the range, in range, and such that nothing but
    // enumeration bounds.
    IndexMap map = seed % 8 == 0 ? random_map(random) : random_total_map(random);
    if (seed % 4 != 3 && !map.outputs.empty() && map.outputs[0] > 0) --map.outputs[0];
    if (seed % 4 == 2) {
      map = IndexMap{};
      map.inputs = {random.number(8, 40)};
      const auto d = map.arena.axis(tile::AxisId{0});
      const std::int64_t modulus = random.number(8, 40);
      const auto low = with_number(map, tile::IndexKind::Mod,
                                   with_number(map, tile::IndexKind::Mul, d, random.number(3, 9)), modulus);
      const auto high = with_number(map, tile::IndexKind::Mod,
                                    with_number(map, tile::IndexKind::Mul, d, random.number(3, 9)), modulus);
      map.results = {map.arena.make(tile::IndexKind::Add, low, high)};
      map.outputs = {2 * modulus - 2 - random.number(0, 1)};
    }
    const std::uint64_t limit = random.chance(1, 6) ? kEnumerationLimit : 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_index_map(map));
    const MapTruth truth = truth_of({map, {}});
    const auto verdict = prove_map_total_in_bounds(map, limit);
    if (is_proved(verdict)) {
      tally.add(Finding::Kind::Proved);
      ASSERT_TRUE(truth.total);
      ASSERT_TRUE(check_map_total_in_bounds(std::get<Proved<Family>>(verdict).certificate(), map));
    } else if (const auto* no = std::get_if<Refuted>(&verdict)) {
      tally.add(Finding::Kind::Refuted);
      ASSERT_FALSE(truth.total);
      expect_violation(map, *no);
    } else {
      tally.add(Finding::Kind::Unknown);
      ASSERT_EQ(limit, 0u);
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::map_total_in_bounds_test
