// traversal.bijective: the grids and rectangles of background.md 5, malformed requests, large launches, open grids.
#include "proof/traversal_bijective.h"

#include <vector>

#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/altered_certificate.h"
#include "proof/case_random.h"
#include "proof/check/check_traversal.h"
#include "proof/verdict_tally.h"

namespace tilewright::proof::traversal_bijective_test {
namespace {

using Family = TraversalBijective;

constexpr std::int64_t kMax31 = 2'147'483'647;

void expect_bijection(const Traversal& t) {
  std::vector<char> seen(static_cast<std::size_t>(t.rows * t.columns), 0);
  for (std::int64_t ordinal = 0; ordinal < t.rows * t.columns; ++ordinal) {
    const auto place = t.place_of(ordinal);
    ASSERT_TRUE(place);
    ASSERT_TRUE(place->row >= 0 && place->row < t.rows && place->column >= 0 && place->column < t.columns);
    auto& mark = seen[static_cast<std::size_t>(place->row * t.columns + place->column)];
    ASSERT_EQ(mark, 0);
    mark = 1;
    ASSERT_EQ(t.ordinal_of(*place), ordinal);
    ASSERT_TRUE(!t.is_identity() || ordinal == place->row * t.columns + place->column);
  }
  EXPECT_FALSE(t.place_of(t.rows * t.columns));
  EXPECT_FALSE(t.place_of(-1));
}

TEST(TraversalBijective, The2688CasesAreBijections) {
  int cases = 0;
  for (const std::int64_t rows : {1, 2, 3, 7, 8, 9, 17, 33})
    for (const std::int64_t columns : {1, 2, 3, 7, 16, 17, 33, 129})
      for (const std::int64_t height :
           {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{64}, kMax31})
        for (const std::int64_t width : {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                                         std::int64_t{16}, std::int64_t{32}, std::int64_t{256}, kMax31}) {
          const Traversal request{rows, columns, height, width};
          if (height * columns > std::int64_t{UINT32_MAX}) {
            EXPECT_EQ(traversal_fault(request), TraversalFault::RectangleOverflow);
            continue;
          }
          ++cases;
          const auto traversal = checked_traversal(request);
          ASSERT_TRUE(traversal);
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " by " + std::to_string(height) +
                       " x " + std::to_string(width));
          expect_bijection(*traversal);
          const auto verdict = prove_traversal_bijective(*traversal);
          ASSERT_TRUE(is_proved(verdict));
          const auto& token = std::get<Proved<Family>>(verdict);
          ASSERT_TRUE(check_traversal_bijective(token.certificate(), *traversal));
          ASSERT_TRUE(token.holds_for(traversal_subject(request), kNoOperation));
        }
  EXPECT_EQ(cases, 2688);
}

void expect_request_refused(const Traversal& request, const std::vector<std::string>& mentions) {
  const auto result = checked_traversal(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, DiagCode::BadOption);
  for (const std::string& part : mentions)
    EXPECT_NE(result.error()[0].message.find(part), std::string::npos) << result.error()[0].message;
  EXPECT_FALSE(request.place_of(0));
  EXPECT_FALSE(request.ordinal_of({0, 0}));
}

TEST(TraversalBijective, MalformedRequestsAreRefusedWithTheirNumbers) {
  expect_request_refused({8, 8, 0, 4}, {"0 rows", "4 columns"});
  expect_request_refused({8, 8, 4, 0}, {"4 rows", "0 columns"});
  expect_request_refused({8, 3, kMax31, 4}, {"2147483647 rows", "3 columns", "4294967295"});
  expect_request_refused({kMax31, kMax31, 1, 1}, {"2147483647 rows x 2147483647 columns", "4294967295"});
  expect_request_refused({0, 8, 1, 1}, {"0 rows", "8 columns"});
  expect_request_refused({8, 0, 1, 1}, {"8 rows", "0 columns"});
  expect_request_refused({8, 8, -1, 1}, {"-1 rows"});
  expect_request_refused({INT64_MAX, 2, 1, 1}, {"9223372036854775807 rows"});
}

TEST(TraversalBijective, VerdictsOfMalformedRequests) {
  const auto refuted = [](const Traversal& t) {
    const auto verdict = prove_traversal_bijective(t);
    const auto* no = std::get_if<Refuted>(&verdict);
    EXPECT_NE(no, nullptr);
    EXPECT_FALSE(t.place_of(no->witness.point.back().value));
    EXPECT_EQ(no->witness.point[0].value, t.rows);
    EXPECT_EQ(no->witness.point[3].value, t.rectangle_columns);
    return no->code;
  };
  EXPECT_EQ(refuted({8, 8, 0, 4}), Family::kEmptyRectangle);
  EXPECT_EQ(refuted({8, 8, 4, 0}), Family::kEmptyRectangle);
  EXPECT_EQ(refuted({8, 3, kMax31, 4}), Family::kRectangleOverflow);
  EXPECT_EQ(refuted({kMax31, kMax31, 1, 1}), Family::kGridOverflow);
  EXPECT_EQ(std::get<Unknown>(prove_traversal_bijective(Traversal{0, 8, 1, 1})).code, Family::kEmptyGrid);
  EXPECT_EQ(std::get<Unknown>(prove_traversal_bijective(Traversal{8, 0, 1, 1})).code, Family::kEmptyGrid);
}

TEST(TraversalBijective, ProductsAtTheLimitOf32Bits) {
  // 2^32 - 1 = 65535 * 65537.
  EXPECT_TRUE(is_proved(prove_traversal_bijective(Traversal{65535, 65537, 8, 32})));
  EXPECT_TRUE(std::holds_alternative<Refuted>(prove_traversal_bijective(Traversal{65536, 65536, 8, 32})));
  EXPECT_TRUE(is_proved(prove_traversal_bijective(Traversal{3, 65537, 65535, 2})));
  EXPECT_TRUE(std::holds_alternative<Refuted>(prove_traversal_bijective(Traversal{3, 65536, 65536, 2})));
  EXPECT_TRUE(is_proved(prove_traversal_bijective(Traversal{1, 1, UINT32_MAX, 1})));
  EXPECT_FALSE(is_proved(prove_traversal_bijective(Traversal{1, 1, std::int64_t{UINT32_MAX} + 1, 1})));
}

TEST(TraversalBijective, ALaunchBeyondInt32IsAcceptedAndSampled) {
  for (const Traversal& request : {Traversal{50000, 50001, 8, 32}, Traversal{4'000'000'000, 1, 64, 7},
                                   Traversal{65535, 65537, 4, 16}, Traversal{2, kMax31, 2, 999}}) {
    const auto traversal = checked_traversal(request);
    ASSERT_TRUE(traversal);
    ASSERT_GT(traversal->rows * traversal->columns, std::int64_t{INT32_MAX});
    const auto verdict = prove_traversal_bijective(*traversal);
    ASSERT_TRUE(is_proved(verdict));
    const auto check = check_traversal_bijective(std::get<Proved<Family>>(verdict).certificate(), *traversal);
    EXPECT_TRUE(check) << render(check.error());
    CaseRandom random(17);
    const std::int64_t programs = traversal->rows * traversal->columns;
    for (int i = 0; i < 10'000; ++i) {
      const std::int64_t ordinal = (random.number(0, INT32_MAX) * 4 + random.number(0, 3)) % programs;
      ASSERT_EQ(traversal->ordinal_of(*traversal->place_of(ordinal)), ordinal);
    }
    EXPECT_EQ(traversal->ordinal_of({traversal->rows - 1, traversal->columns - 1}), programs - 1);
  }
}

TEST(TraversalBijective, IdentityIsExact) {
  for (std::int64_t rows = 1; rows <= 6; ++rows)
    for (std::int64_t columns = 1; columns <= 6; ++columns)
      for (std::int64_t height = 1; height <= 7; ++height)
        for (std::int64_t width = 1; width <= 7; ++width) {
          const Traversal t{rows, columns, height, width};
          bool identity = true;
          for (std::int64_t i = 0; i < rows * columns; ++i)
            identity = identity && t.place_of(i) == GridPlace{i / columns, i % columns};
          EXPECT_EQ(t.is_identity(), identity);
        }
}

TEST(TraversalBijective, TheExampleInOrder) {
  // 3 x 5 by 2 x 2: two bands, rectangles of two columns and one.
  const Traversal t{3, 5, 2, 2};
  const std::vector<GridPlace> expected = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                           {0, 4}, {1, 4}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(t.place_of(static_cast<std::int64_t>(i)), expected[i]) << i;
}

TEST(TraversalBijective, OpenGridsAreProvedOnce) {
  for (const OpenTraversal& open :
       {OpenTraversal{1, 1}, OpenTraversal{2, 8}, OpenTraversal{8, 32}, OpenTraversal{kMax31, 3}}) {
    const auto verdict = prove_traversal_bijective(open);
    ASSERT_TRUE(is_proved(verdict));
    const auto& token = std::get<Proved<Family>>(verdict);
    EXPECT_EQ(token.certificate().premises.size(), 1u);
    const auto check = check_traversal_bijective(token.certificate(), open);
    EXPECT_TRUE(check) << render(check.error());
  }
  EXPECT_TRUE(std::holds_alternative<Refuted>(prove_traversal_bijective(OpenTraversal{0, 3})));
  EXPECT_TRUE(std::holds_alternative<Refuted>(prove_traversal_bijective(OpenTraversal{std::int64_t{1} << 32, 3})));
}

TEST(TraversalBijective, EveryAlterationIsRefused) {
  const Traversal small{5, 9, 2, 4};
  const Traversal large{50000, 50001, 8, 32};
  const CheckLimits limits{1000, 50, 1};
  for (const Traversal& t : {small, large}) {
    const auto certificate = std::get<Proved<Family>>(prove_traversal_bijective(t)).certificate();
    EXPECT_GT(expect_alterations_refused(certificate,
                                         [&](const Certificate& c) { return check_traversal_bijective(c, t, limits); }),
              15);
  }
  const OpenTraversal open{2, 8};
  const auto certificate = std::get<Proved<Family>>(prove_traversal_bijective(open)).certificate();
  EXPECT_GT(expect_alterations_refused(
                certificate, [&](const Certificate& c) { return check_traversal_bijective(c, open, limits); }),
            10);
}

TEST(TraversalBijective, AgreesWithEnumeration) {
  VerdictTally tally{std::string(Family::kId)};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(10'000, 25)); ++seed) {
    CaseRandom random(seed);
    Traversal t{random.number(1, 12), random.number(1, 12), random.number(1, 14), random.number(1, 14)};
    const std::int64_t fault = random.number(0, 9);
    if (fault == 0) t.rectangle_rows = random.number(-2, 0);
    if (fault == 1) t.rectangle_columns = random.number(-2, 0);
    if (fault == 2) t.rectangle_rows = (std::int64_t{1} << 32) / t.columns + random.number(0, 1);
    if (fault == 3) t.rows = (std::int64_t{1} << 32) / t.columns + 1;
    if (fault >= 4 && fault <= 6) (random.chance(1, 2) ? t.rows : t.columns) = random.number(-1, 0);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto verdict = prove_traversal_bijective(t);
    if (is_proved(verdict)) {
      tally.add(Finding::Kind::Proved);
      expect_bijection(t);
      ASSERT_TRUE(check_traversal_bijective(std::get<Proved<Family>>(verdict).certificate(), t));
    } else if (std::holds_alternative<Unknown>(verdict)) {
      tally.add(Finding::Kind::Unknown);
      EXPECT_TRUE(t.rows < 1 || t.columns < 1);
    } else {
      tally.add(Finding::Kind::Refuted);
      const auto& no = std::get<Refuted>(verdict);
      EXPECT_TRUE(t.rectangle_rows < 1 || t.rectangle_columns < 1 || t.rows * t.columns > std::int64_t{UINT32_MAX} ||
                  t.rectangle_rows * t.columns > std::int64_t{UINT32_MAX});
      EXPECT_FALSE(t.place_of(no.witness.point.back().value));
    }
  }
  tally.expect_quarters();
}

}  // namespace
}  // namespace tilewright::proof::traversal_bijective_test
