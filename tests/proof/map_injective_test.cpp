// map.injective: proved, refuted, unknown, both sides of each bound; against enumeration.
#include "proof/map_injective.h"

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_map.h"
#include "proof/index_map_layouts.h"
#include "proof/map_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::map_injective_test {
namespace {

using Family = MapInjective;

Verdict<Family> ask(const std::string& text, std::uint64_t limit) {
  const auto map = parse_index_map(text);
  EXPECT_TRUE(map) << text;
  const auto verdict = prove_map_injective(*map, total_token(*map), limit);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    const Point first = witness_point(refuted->witness, "d");
    const Point second = witness_point(refuted->witness, "other_d");
    EXPECT_EQ(refuted->code, Family::kCollision);
    EXPECT_NE(first, second);
    EXPECT_TRUE(value_at(*map, first) && value_at(*map, first) == value_at(*map, second)) << text;
  }
  if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
    const auto check = check_map_injective(proved->certificate(), *map, {1000, 500, 1});
    EXPECT_TRUE(check) << render(check.error());
  }
  return verdict;
}
bool proves(const std::string& text, std::uint64_t limit = 0) { return is_proved(ask(text, limit)); }
bool refutes(const std::string& text, std::uint64_t limit = 0) {
  return std::holds_alternative<Refuted>(ask(text, limit));
}
bool leaves_open(const std::string& text, std::uint64_t limit = 0) {
  const auto verdict = ask(text, limit);
  const auto* unknown = std::get_if<Unknown>(&verdict);
  return unknown != nullptr && unknown->code == Family::kQuota;
}

TEST(MapInjective, DominanceOfOneRow) {
  EXPECT_TRUE(proves("in 1000000000, 4\nout 4000000000\nto (d0 * 4) + d1\n"));
  EXPECT_TRUE(proves("in 1000000000, 3\nout 4000000000\nto (d0 * 4) + d1\n"));
  EXPECT_TRUE(refutes("in 1000000000, 5\nout 4000000001\nto (d0 * 4) + d1\n"));
  EXPECT_TRUE(proves("in 4, 1000000000\nout 4000000000\nto 3999999999 - ((d1 * 4) + d0)\n"));
  EXPECT_TRUE(refutes("in 3, 1000000000\nout 1000000000\nto d1\n"));  // an input that nothing reads
  EXPECT_TRUE(proves("in 1, 1000000000\nout 1000000000\nto d1\n"));
}

TEST(MapInjective, RowAfterRow) {
  EXPECT_TRUE(proves("in 1000000, 8, 1000000\nout 8000000, 9000000\nto (d0 * 8) + d1\nto (d2 + d0) + d1\n"));
  EXPECT_TRUE(refutes("in 1000000, 9, 1000000\nout 9000000, 9000000\nto (d0 * 8) + d1\nto d2\n"));
}

TEST(MapInjective, ColumnRank) {
  EXPECT_TRUE(proves("in 1000000, 1000000\nout 2000000, 2000000\nto d0 + d1\nto (d0 - d1) + 1000000\n"));
  EXPECT_TRUE(refutes("in 1000000, 1000000\nout 2000000, 4000000\nto d0 + d1\nto (d0 * 2) + (d1 * 2)\n"));
  EXPECT_TRUE(proves("in 1000000, 1000000\nout 2000000, 5000000\nto d0 + d1\nto (d0 * 2) + (d1 * 3)\n"));
}

TEST(MapInjective, ModularFailureOfTheRankIsUnknown) {
  // The determinant is 2^31-1: full rank, but not modulo the prime. One more and the rank is seen.
  const std::string head = "in 4294967296, 2\nout 4294967298, 9000000000\nto d0 + d1\nto d0 + (d1 * ";
  EXPECT_TRUE(leaves_open(head + "2147483648)\n", 1000));
  EXPECT_TRUE(proves(head + "2147483649)\n"));
}

TEST(MapInjective, MixedRadixDigits) {
  EXPECT_TRUE(proves("in 1099511627776\nout 1099511627776\nto ((d0 % 8) * 137438953472) + (d0 / 8)\n"));
  EXPECT_TRUE(proves("in 1000001\nout 125001, 8\nto d0 / 8\nto d0 % 8\n"));   // a partial last digit
  EXPECT_TRUE(refutes("in 1000000\nout 125000, 4\nto d0 / 8\nto d0 % 4\n"));  // one digit is lost
  EXPECT_TRUE(proves("in 4096\nout 4096\nto ((d0 & 15) << 8) + (d0 >> 4)\n"));
}

TEST(MapInjective, BitsOfXorAndShift) {
  EXPECT_TRUE(proves(print_index_map(xor_swizzle_map(1 << 20, 64, 3))));
  EXPECT_TRUE(proves("in 1099511627776\nout 1099511627776\nto d0 ^ (d0 >> 1)\n"));
  EXPECT_TRUE(proves("in 1000000000\nout 1073741824\nto d0 ^ (d0 >> 1)\n"));  // no power of two: inside a wider box
  EXPECT_TRUE(refutes("in 1048576, 1048576\nout 1048576\nto d0 ^ d1\n"));
  EXPECT_TRUE(refutes("in 1048576\nout 1048576\nto (d0 ^ (d0 >> 1)) & 524287\n"));
}

TEST(MapInjective, EnumerationUpToTheLimit) {
  const std::string permutation = "in 1001\nout 1001\nto (d0 * 10) % 1001\n";
  EXPECT_TRUE(proves(permutation, 1001));
  EXPECT_TRUE(leaves_open(permutation, 1000));
  EXPECT_TRUE(refutes("in 1001\nout 1001\nto (d0 * 350) % 1001\n", 1001));
  EXPECT_TRUE(refutes("in 1001\nout 1001\nto (d0 * 350) % 1001\n", 144));  // found before the end
  EXPECT_TRUE(leaves_open("in 1001\nout 1001\nto (d0 * 350) % 1001\n", 143));
  // Components are enumerated one by one.
  EXPECT_TRUE(proves("in 1001, 1001\nout 1001, 1001\nto (d0 * 10) % 1001\nto (d1 * 10) % 1001\n", 1001));
}

TEST(MapInjective, SmallDomains) {
  EXPECT_TRUE(proves("in 0\nout 1\nto 0\n"));
  EXPECT_TRUE(proves("in ()\nout 1\nto 0\n"));
  EXPECT_TRUE(proves("in 1, 1\nout ()\n"));
  EXPECT_TRUE(refutes("in 2\nout ()\n"));
}

TEST(MapInjective, EveryAlterationIsRefused) {
  for (const IndexMap& map :
       {xor_swizzle_map(4, 8, 1), fragment_shard_map({2, 3, 4, 1}), flatten_map({70000, 70000})}) {
    const auto verdict = prove_map_injective(map, total_token(map));
    ASSERT_TRUE(is_proved(verdict));
    const CertificateCheck check = [&](const Certificate& c) { return check_map_injective(c, map, {1000, 50, 1}); };
    EXPECT_GT(expect_alterations_refused(std::get<Proved<Family>>(verdict).certificate(), check), 20);
  }
}

TEST(MapInjective, AFalseStatementIsRefused) {
  const IndexMap map = affine_map({5, 4}, {16}, {{{3, 1}, 0}});
  Certificate certificate = total_token(map).certificate();
  certificate.family = Family::kId;
  certificate.premises = {{Guarantor::Proof, "map.total_in_bounds: results have values and lie in the codomain"}};
  for (const CheckLimits& limits : {CheckLimits{}, CheckLimits{10, 200, 1}}) {
    const auto result = check_map_injective(certificate, map, limits);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error()[0].message.find("statement: two points"), std::string::npos) << render(result.error());
  }
}

TEST(MapInjective, AgreesWithEnumeration) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    IndexMap map = random_total_map(random);
    if (random.chance(1, 2) && !map.results.empty())  // mostly two points to a value
      map.results[0] = with_number(map, tile::IndexKind::FloorDiv, map.results[0], 2);
    const std::uint64_t limit = random.chance(1, 4) ? kEnumerationLimit : 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_index_map(map));
    const MapTruth truth = truth_of({map, {}});
    ASSERT_TRUE(truth.total);
    const auto verdict = ask(print_index_map(map), limit);
    if (is_proved(verdict)) {
      tally.add(Finding::Kind::Proved);
      ASSERT_TRUE(truth.injective);
    } else if (std::holds_alternative<Refuted>(verdict)) {
      tally.add(Finding::Kind::Refuted);
      ASSERT_FALSE(truth.injective);
    } else {
      tally.add(Finding::Kind::Unknown);
      ASSERT_EQ(limit, 0u);
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::map_injective_test
