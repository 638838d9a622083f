// Affine forms: equal to the expression at every point, or a reason.
#include "analysis/affine.h"

#include <array>

#include <gtest/gtest.h>

#include "analysis/expressions.h"
#include "analysis/programs.h"
#include "analysis/walk.h"

namespace tilewright::analysis {
namespace {

using tile::IndexId;
using tile::IndexRange;
using tile::Program;

constexpr std::int64_t kTrips = 3, kMore = 4, kRows = 3, kColumns = 3, kSizes = 3, kParams = 2;

/// A family whose stores have these coordinates, with two coordinates, two axes and
/// two open sizes.
Program with_expressions(const std::vector<std::string>& expressions) {
  std::string text = "program p(P; Q: {2} = 2) {\n  out Y: f32[1]\n  parallel i in 3, j in 4 {\n    axis m: 3, k: 3\n";
  for (const std::string& expression : expressions) text += "    Y[" + expression + "] = 0.0\n";
  return family_of(text + "  }\n}\n");
}

std::vector<IndexId> stored_coords(const Program& program) {
  std::vector<IndexId> coords;
  for (tile::OpId op : walk(program).order)
    if (const auto* store = std::get_if<tile::StoreOp>(&program.op(op).payload))
      coords.push_back(program.list(store->coords)[0]);
  return coords;
}

LeafRanges ranges_of(const Program& program, IndexRange size = {0, kSizes}) {
  return over_leaf_ranges(program,
                          {.symbols = {{tile::SymbolId{0}, size}}, .params = {{tile::ParamId{0}, {1, kParams}}}});
}

/// The coordinates i and j, the axes m and k, P and Q.
using Point = std::array<std::int64_t, 6>;

class Points {
 public:
  explicit Points(const Program& program)
      : i_(coord_named(program, "i")),
        j_(coord_named(program, "j")),
        m_(axis_named(program, "m")),
        k_(axis_named(program, "k")) {}

  std::optional<std::int64_t> of(const AffineForm& form, const Point& p) const {
    return evaluate(form, [&](Leaf leaf) -> std::optional<std::int64_t> {
      if (leaf == Leaf::of(i_)) return p[0];
      if (leaf == Leaf::of(j_)) return p[1];
      if (leaf == Leaf::of(m_)) return p[2];
      if (leaf == Leaf::of(k_)) return p[3];
      return leaf.kind == tile::IndexKind::Symbol ? p[4] : p[5];
    });
  }

  tile::IndexEnvironment environment(const Point& p) const {
    using Number = std::optional<std::int64_t>;
    tile::IndexEnvironment result;
    result.symbol = [&p](tile::SymbolId) { return Number(p[4]); };
    result.param = [&p](tile::ParamId) { return Number(p[5]); };
    result.coord = [&p, this](tile::CoordId c) { return Number(c == i_ ? p[0] : p[1]); };
    result.axis = [&p, this](tile::AxisId a) { return Number(a == m_ ? p[2] : p[3]); };
    return result;
  }

  template <class F>
  static void for_each(F&& f) {
    Point p{};
    for (p[0] = 0; p[0] < kTrips; ++p[0])
      for (p[1] = 0; p[1] < kMore; ++p[1])
        for (p[2] = 0; p[2] < kRows; ++p[2])
          for (p[3] = 0; p[3] < kColumns; ++p[3])
            for (p[4] = 0; p[4] <= kSizes; ++p[4])
              for (p[5] = 1; p[5] <= kParams; ++p[5]) f(p);
  }

 private:
  tile::CoordId i_, j_;
  tile::AxisId m_, k_;
};

/// Every form that is found equals its expression at every point, and stays in its own range. Returns how many were.
std::size_t check_law(std::uint64_t seed, const ExpressionChoice& choice, std::size_t count, int depth) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionGenerator generator(seed, choice);
  std::vector<std::string> texts{"i + j + m + k"};
  for (std::size_t n = 1; n < count; ++n) texts.push_back(generator.make(depth));
  const Program program = with_expressions(texts);
  const LeafRanges ranges = ranges_of(program);
  const auto exprs = stored_coords(program);
  EXPECT_EQ(exprs.size(), texts.size());
  const Points points(program);
  std::size_t found = 0;
  for (std::size_t n = 0; n < exprs.size(); ++n) {
    const auto form = affine_form(program, exprs[n], ranges);
    if (!form) {
      EXPECT_TRUE(form.error().where.valid());
      EXPECT_FALSE(to_text(program, form.error()).empty());
      continue;
    }
    ++found;
    const auto range = over_range_of(*form, ranges);
    bool holds = true;
    Points::for_each([&](const Point& p) {
      const auto expected = program.index().evaluate(exprs[n], points.environment(p));
      holds &= expected && points.of(*form, p) == expected;
      holds &= !range || (expected && range->low <= *expected && *expected <= range->high);
    });
    EXPECT_TRUE(holds) << texts[n] << " as " << to_text(program, *form);
  }
  return found;
}

TEST(Affine, FormsEqualTheirExpressionsAtEveryPoint) {
  const ExpressionChoice choice{{"i", "j", "m", "k", "P", "Q"}, {"0", "1", "2", "3", "4", "8", "-5"}, false};
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) found += check_law(seed, choice, 80, 3);
  EXPECT_GT(found, 6 * 80 / 3);
}

TEST(Affine, FormsEqualTheirExpressionsUnderAnyDivisor) {
  const ExpressionChoice choice{{"i", "j", "m", "Q"}, {"0", "1", "-1", "2", "-3", "4"}, true};
  std::size_t found = 0;
  for (std::uint64_t seed = 11; seed <= 14; ++seed) found += check_law(seed, choice, 80, 3);
  EXPECT_GT(found, 4 * 80 / 4);
}

TEST(Affine, NearTheEndsOf64BitsThereIsAReasonOrTheRightForm) {
  const ExpressionChoice choice{{"i", "j", "m", "P"},
                                {"4611686018427387904", "4611686018427387903", "-4611686018427387904",
                                 "9223372036854775807", "2305843009213693952", "-2305843009213693952", "1", "-1", "2"},
                                false};
  std::size_t found = 0;
  for (std::uint64_t seed = 21; seed <= 26; ++seed) found += check_law(seed, choice, 80, 2);
  EXPECT_GT(found, 20u);
}

TEST(Affine, CanonicalForms) {
  const Program program = with_expressions({
      "i*8 + m - m",
      "2*(i*4 + j) - j - j",
      "i*Q + m",
      "(i*8 + m) / 8",
      "(i*8 + m) % 8",
      "min(m, 4) + max(k, 0)",
      "(i << 3) + (m & 7)",
      "ceildiv(i*4 + 4, 4)",
      "0 - i - 3",
      "(0 - 2) >> 1",
  });
  const std::vector<std::string> expected{"8*i",   "8*i",     "Q*i + m", "i",      "m",
                                          "m + k", "8*i + m", "i + 1",   "-i - 3", "9223372036854775807"};
  const auto exprs = stored_coords(program);
  const LeafRanges ranges = ranges_of(program);
  for (std::size_t n = 0; n < exprs.size(); ++n) {
    const auto form = affine_form(program, exprs[n], ranges);
    ASSERT_TRUE(form) << to_text(program, form.error());
    EXPECT_EQ(to_text(program, *form), expected[n]);
  }
  EXPECT_EQ(*affine_form(program, exprs[0], ranges), *affine_form(program, exprs[1], ranges));
}

TEST(Affine, Reasons) {
  const Program program = with_expressions({
      "i * j",
      "m / 2",
      "m / P",
      "P * 2305843009213693952 * 2 - P * 4611686018427387904",
      "(i + 4611686018427387904) + 4611686018427387904 - 4611686018427387904",
      "i / (j - 1)",
  });
  const auto exprs = stored_coords(program);
  const LeafRanges ranges = ranges_of(program);
  const std::vector<AffineReason> expected{AffineReason::NonAffine,        AffineReason::NonAffine,
                                           AffineReason::DivisorMayBeZero, AffineReason::MayOverflow,
                                           AffineReason::MayOverflow,      AffineReason::DivisorMayBeZero};
  for (std::size_t n = 0; n < exprs.size(); ++n) {
    const auto form = affine_form(program, exprs[n], ranges);
    ASSERT_FALSE(form) << n << ": " << to_text(program, *form);
    EXPECT_EQ(form.error().reason, expected[n]) << n << ": " << to_text(program, form.error());
  }
  const auto unknown = affine_form(program, exprs[2], over_leaf_ranges(program));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().reason, AffineReason::UnknownRange);
  EXPECT_EQ(to_text(program, unknown.error()), "nothing bounds 'P'");
}

TEST(Affine, TheSameExpressionHasAFormExactlyWhileNothingOverflows) {
  const Program program = with_expressions({"P * 4611686018427387904 - P * 4611686018427387903"});
  const auto expr = stored_coords(program)[0];
  const auto fits = affine_form(program, expr, ranges_of(program, {0, 1}));
  ASSERT_TRUE(fits);
  EXPECT_EQ(to_text(program, *fits), "P");
  const auto wraps = affine_form(program, expr, ranges_of(program, {0, 2}));
  ASSERT_FALSE(wraps);
  EXPECT_EQ(wraps.error().reason, AffineReason::MayOverflow);
}

TEST(Affine, ACoefficientThatDoesNotFitIsNoForm) {
  // With P = 0 nothing overflows, but the coefficient would be 2^63.
  const Program program = with_expressions({"P * 4611686018427387904 + P * 4611686018427387904"});
  const auto form = affine_form(program, stored_coords(program)[0], ranges_of(program, {0, 0}));
  if (form) {
    EXPECT_EQ(*form, AffineForm{});
  } else {
    EXPECT_EQ(form.error().reason, AffineReason::MayOverflow);
  }
}

TEST(Affine, Queries) {
  const Program program = with_expressions({"i*4 + m + Q*j + 7"});
  const auto form = *affine_form(program, stored_coords(program)[0], ranges_of(program));
  const Leaf i = Leaf::of(coord_named(program, "i")), j = Leaf::of(coord_named(program, "j"));
  const Leaf m = Leaf::of(axis_named(program, "m"));
  EXPECT_EQ(form.coefficient(i), 4);
  EXPECT_EQ(form.coefficient(m), 1);
  EXPECT_EQ(form.coefficient(j), 0);
  EXPECT_TRUE(form.involves(j));
  EXPECT_FALSE(form.is_linear());
  EXPECT_EQ(form.varying(), (std::vector<Leaf>{i, j, m}));
  EXPECT_FALSE(without(form, m).involves(m));
  EXPECT_EQ(add_scaled(form, form, -1), AffineForm{});
  EXPECT_FALSE(add_scaled(form, form, INT64_MAX));
  EXPECT_FALSE(evaluate(form, [](Leaf) { return std::optional<std::int64_t>(); }));
  EXPECT_FALSE(evaluate(form, [](Leaf) { return std::optional<std::int64_t>(INT64_MAX); }));
}

}  // namespace
}  // namespace tilewright::analysis
