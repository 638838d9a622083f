// map.exact_cover: proved, refuted, unknown, both sides of each bound; against enumeration.
#include "proof/map_exact_cover.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/check/check_map.h"
#include "proof/index_map_layouts.h"
#include "proof/map_cases.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::map_exact_cover_test {
namespace {

using Family = MapExactCover;

void expect_cover_violated(const GuardedMap& guarded, const Refuted& refuted) {
  const Point first = witness_point(refuted.witness, "d");
  if (refuted.code == Family::kUnreached) {
    const Point output = witness_point(refuted.witness, "y");
    EXPECT_TRUE(inside(guarded.map.outputs, output)) << print_index_map(guarded);
    const auto points = box_points(guarded.map.inputs);
    if (*points > 10'000) return;
    for (const Point& point : all_points(guarded.map.inputs))
      EXPECT_FALSE(guards_hold(guarded, point) && value_at(guarded.map, point) == output) << print_index_map(guarded);
    return;
  }
  ASSERT_TRUE(inside(guarded.map.inputs, first)) << print_index_map(guarded);
  const auto value = value_at(guarded.map, first);
  if (refuted.code == Family::kNoValue) {
    const bool clause = refuted.witness.violates.starts_with("clause");
    EXPECT_TRUE(clause ? !guards_hold(guarded, first) : guards_hold(guarded, first) && !value);
    return;
  }
  EXPECT_TRUE(guards_hold(guarded, first)) << print_index_map(guarded);
  if (refuted.code == Family::kCollision) {
    const Point second = witness_point(refuted.witness, "other_d");
    EXPECT_TRUE(guards_hold(guarded, second)) << print_index_map(guarded);
    EXPECT_NE(first, second);
    EXPECT_TRUE(value && value == value_at(guarded.map, second)) << print_index_map(guarded);
    return;
  }
  ASSERT_TRUE(value);
  EXPECT_FALSE(inside(guarded.map.outputs, *value)) << print_index_map(guarded);
  const bool below = std::any_of(value->begin(), value->end(), [](std::int64_t v) { return v < 0; });
  if (refuted.code == Family::kBeforeStart) {
    EXPECT_TRUE(below);
  } else {
    EXPECT_EQ(refuted.code, Family::kPastEnd);
  }
}

Verdict<Family> ask(const GuardedMap& guarded, std::uint64_t limit) {
  const auto verdict = prove_map_exact_cover(guarded, limit);
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) expect_cover_violated(guarded, *refuted);
  if (const auto* proved = std::get_if<Proved<Family>>(&verdict)) {
    const auto check = check_map_exact_cover(proved->certificate(), guarded, {1000, 300, 1});
    EXPECT_TRUE(check) << render(check.error());
  }
  return verdict;
}

std::string code_of(const Verdict<Family>& verdict) {
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return std::string(refuted->code);
  if (const auto* unknown = std::get_if<Unknown>(&verdict)) return std::string(unknown->code);
  return "proved";
}

std::string answer(const std::string& text, std::uint64_t limit = 0) {
  const auto guarded = parse_guarded_map(text);
  EXPECT_TRUE(guarded) << text;
  return code_of(ask(*guarded, limit));
}

TEST(MapExactCover, TilesOfAnySizeByMethodAlone) {
  for (const std::int64_t size : {0, 1, 127, 128, 129, 8191, 1'000'000'007})
    for (const std::int64_t tile : {1, 32, 128, 1000}) {
      const GuardedMap guarded = tiled_cover({size, 4097}, {tile, 64});
      EXPECT_TRUE(is_proved(ask(guarded, 0))) << print_index_map(guarded);
    }
}

TEST(MapExactCover, PartialTilesPlusAndMinusOne) {
  const std::string head = "in 16, 64\nout 1000\nto (d0 * 64) + d1\n";
  EXPECT_EQ(answer(head + "if (d0 * 64) + d1 < 1000\n"), "proved");
  EXPECT_EQ(answer(head + "if (d0 * 64) + d1 < 999\n"), "unreached");
  EXPECT_EQ(answer(head + "if (d0 * 64) + d1 < 1001\n"), "past_end");
  EXPECT_EQ(answer(head), "past_end");
  EXPECT_EQ(answer(head + "if ((d0 * 64) + d1) + 5 < 1005\n"), "proved");  // the same clause
  EXPECT_EQ(answer("in 15, 64\nout 1000\nto (d0 * 64) + d1\nif (d0 * 64) + d1 < 1000\n"), "unreached");
  EXPECT_EQ(answer("in 17, 64\nout 1000\nto (d0 * 64) + d1\nif (d0 * 64) + d1 < 1000\n"), "proved");
  EXPECT_EQ(answer("in 16, 63\nout 1000\nto (d0 * 64) + d1\nif (d0 * 64) + d1 < 1000\n", 2000), "unreached");
  EXPECT_EQ(answer("in 16, 65\nout 1000\nto (d0 * 64) + d1\nif (d0 * 64) + d1 < 1000\n", 2000), "collision");
  EXPECT_EQ(answer("in 16, 64\nout 1000\nto ((d0 * 64) + d1) - 1\nif (d0 * 64) + d1 < 1001\n"), "before_start");
}

TEST(MapExactCover, ComponentsAreIndependent) {
  // A second direction, reversed, and a flattened program ordinal.
  EXPECT_EQ(answer("in 1000000, 8\nout 4000000, 2\nto ((d0 / 1) * 4) + (d1 / 2)\nto 1 - (d1 % 2)\n"), "proved");
  EXPECT_EQ(answer("in 6000000, 64, 32\nout 192000000, 127\nto ((d0 / 2) * 64) + d1\nto ((d0 % 2) * 64) + d2\n"
                   "if ((d0 % 2) * 64) + d2 < 127\n",
                   4096),
            "unreached");  // 32 columns of a tile of 64
  EXPECT_EQ(answer("in 6000000, 64, 64\nout 192000000, 127\nto ((d0 / 2) * 64) + d1\nto ((d0 % 2) * 64) + d2\n"
                   "if ((d0 % 2) * 64) + d2 < 127\n"),
            "proved");
  EXPECT_EQ(answer("in 4000000, 2\nout 4000000\nto d0\n", 10), "collision");  // d1 writes everything twice
  EXPECT_EQ(answer("in 4000000, 2\nout 4000000\nto d0\nif d1 < 1\n", 10), "proved");
  EXPECT_EQ(answer("in 4000000, 2\nout 4000000\nto d0\nif d1 < 0\n", 10), "unreached");
  EXPECT_EQ(answer("in 4000000\nout 4000000, 2\nto d0\nto 1\n"), "unreached");
}

TEST(MapExactCover, ValuesWhereClausesDoNotHold) {
  // The result has no value at d0 = 0, where the clause does not hold.
  EXPECT_EQ(answer("in 3\nout 3\nto 2 / d0\nif 1 - d0 < 1\n", 3), "unreached");
  EXPECT_EQ(answer("in 2\nout 1\nto (1 / d0) - 1\nif 1 - d0 < 1\n", 3), "proved");
  EXPECT_EQ(answer("in 2\nout 1\nto (1 / d0) - 1\n", 3), "no_value");
  EXPECT_EQ(answer("in 2\nout 1\nto d0\nif 1 / d0 < 2\n", 3), "no_value");
}

TEST(MapExactCover, EnumerationUpToTheLimit) {
  const std::string text = "in 8, 8\nout 60\nto (d0 * 8) + d1\nif (d0 * 16) + (d1 * 2) < 120\n";
  EXPECT_EQ(answer(text, 64), "proved");
  EXPECT_EQ(answer(text, 63), "quota");
}

TEST(MapExactCover, EmptyBoxes) {
  EXPECT_EQ(answer("in 0\nout 0\nto d0\n"), "proved");
  EXPECT_EQ(answer("in 0\nout 1\nto d0\n"), "unreached");
  EXPECT_EQ(answer("in 2\nout 0\nto d0\n", 5), "past_end");
  EXPECT_EQ(answer("in 2\nout 0\nto d0\nif d0 < 0\n", 5), "proved");
  EXPECT_EQ(answer("in ()\nout ()\n"), "proved");
}

TEST(MapExactCover, UnknownForWhatIsNoMapAndForTooManyPoints) {
  GuardedMap guarded = tiled_cover({9}, {4});
  guarded.guards[0].value = tile::IndexId{};
  EXPECT_EQ(code_of(prove_map_exact_cover(guarded)), Family::kNotAMap);
  EXPECT_EQ(answer("in 4294967296, 4294967296\nout 1\nto 0\n"), Family::kQuota);
}

TEST(MapExactCover, EveryAlterationIsRefused) {
  for (const GuardedMap& guarded : {tiled_cover({30, 7}, {8, 2}), tiled_cover({100'003, 99}, {64, 32})}) {
    const auto verdict = prove_map_exact_cover(guarded);
    ASSERT_TRUE(is_proved(verdict));
    const CertificateCheck check = [&](const Certificate& c) {
      return check_map_exact_cover(c, guarded, {1000, 50, 1});
    };
    EXPECT_GT(expect_alterations_refused(std::get<Proved<Family>>(verdict).certificate(), check), 30);
  }
}

TEST(MapExactCover, AFalseStatementIsRefused) {
  const GuardedMap guarded = tiled_cover({30}, {8});
  for (const int change : {-1, 1}) {
    GuardedMap wrong = guarded;
    wrong.guards[0].bound += change;
    Certificate certificate = std::get<Proved<Family>>(prove_map_exact_cover(guarded)).certificate();
    certificate.subject = index_map_subject(wrong);
    certificate.fields = index_map_fields(wrong);
    certificate.fields.push_back({"points", "32"});
    const auto result = check_map_exact_cover(certificate, wrong);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error()[0].message.find("statement"), std::string::npos);
  }
}

TEST(MapExactCover, AgreesWithEnumeration) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    const GuardedMap guarded = random_cover(random);
    const std::uint64_t limit = random.chance(1, 6) ? kEnumerationLimit : 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_index_map(guarded));
    const MapTruth truth = truth_of(guarded);
    const auto verdict = ask(guarded, limit);
    if (is_proved(verdict)) {
      tally.add(Finding::Kind::Proved);
      ASSERT_TRUE(truth.total && truth.injective && truth.onto);
    } else if (std::holds_alternative<Refuted>(verdict)) {
      tally.add(Finding::Kind::Refuted);
      ASSERT_FALSE(truth.total && truth.injective && truth.onto);
    } else {
      tally.add(Finding::Kind::Unknown);
      ASSERT_EQ(limit, 0u) << code_of(verdict);
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::map_exact_cover_test
