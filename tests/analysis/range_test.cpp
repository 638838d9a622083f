// Ranges contain every value of the domain, and attain their ends where they say so.
#include "analysis/range.h"

#include <set>

#include <gtest/gtest.h>

#include "analysis/expressions.h"
#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::IndexId;
using tile::OpId;
using tile::Program;

/// Every value of an expression over a domain whose extents may depend on outer coordinates.
class Enumeration {
 public:
  Enumeration(const Program& program, const OverDomain& domain, IndexId expr)
      : program_(program), domain_(domain), expr_(expr) {
    environment_.coord = [this](tile::CoordId c) { return std::optional(coords_.at(c)); };
    environment_.axis = [this](tile::AxisId a) { return std::optional(axes_.at(a)); };
    visit(0);
  }
  const std::set<std::int64_t>& values() const { return values_; }
  bool total() const { return total_; }

 private:
  void visit(std::size_t depth) {
    if (depth == domain_.dimensions.size()) {
      const auto value = program_.index().evaluate(expr_, environment_);
      total_ &= value.has_value();
      if (value) values_.insert(*value);
      return;
    }
    const Dimension& d = domain_.dimensions[depth];
    const std::int64_t extent = *program_.index().evaluate(d.extent, environment_);
    for (std::int64_t n = 0; n < extent; ++n) {
      if (d.is_coord())
        coords_[d.coord] = n;
      else
        axes_[d.axis] = n;
      visit(depth + 1);
    }
  }

  const Program& program_;
  const OverDomain& domain_;
  IndexId expr_;
  tile::IndexEnvironment environment_;
  std::map<tile::CoordId, std::int64_t> coords_;
  std::map<tile::AxisId, std::int64_t> axes_;
  std::set<std::int64_t> values_;
  bool total_ = true;
};

struct Tally {
  std::size_t found = 0, exact = 0;
};

void check_store(const Program& program, OpId op, Tally& tally) {
  const Walk w = walk(program);
  const LeafRanges ranges = over_leaf_ranges(program);
  const IndexId expr = program.list(std::get<tile::StoreOp>(program.op(op).payload).coords)[0];
  const OverDomain domain = over_domain(program, w, op);
  const auto range = over_range(program, expr, domain, ranges);
  if (!range) {
    EXPECT_NE(range.error().reason, AffineReason::NonAffine);
    return;
  }
  const Enumeration all(program, domain, expr);
  ++tally.found;
  EXPECT_TRUE(all.total());
  if (range->empty()) {
    EXPECT_TRUE(all.values().empty());
    return;
  }
  for (std::int64_t value : all.values()) {
    EXPECT_GE(value, range->low);
    EXPECT_LE(value, range->high);
  }
  if (!range->exact) return;
  ++tally.exact;
  EXPECT_TRUE(all.values().contains(range->low)) << range->low;
  EXPECT_TRUE(all.values().contains(range->high)) << range->high;
}

Tally check_seed(std::uint64_t seed, const std::string& domains, const std::string& end = "}") {
  ExpressionGenerator generator(seed, {{"i", "j", "m", "k"}, {"0", "1", "2", "3", "7", "-5"}, true});
  std::string text = "program p(N) {\n  out Y: f32[1]\n  parallel " + domains + " {\n    axis m: 5, k: 3\n";
  for (int n = 0; n < 60; ++n) text += "    Y[" + generator.make(3) + "] = 0.0\n";
  const Program program = family_of(text + end + "\n}\n");
  Tally tally;
  for (OpId op : stores_of(program, "Y")) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(op.index));
    check_store(program, op, tally);
  }
  return tally;
}

TEST(Range, ContainsEveryValueAndAttainsItsEnds) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Tally one = check_seed(seed, "i in 4, j in 3");
    tally.found += one.found;
    tally.exact += one.exact;
  }
  EXPECT_GT(tally.found, 200u);
  EXPECT_GT(tally.exact, 100u);
}

TEST(Range, OverATriangleItIsSaidToBeAnOverApproximation) {
  Tally tally;
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    const Tally one = check_seed(seed, "i in 4 {\n  parallel j in i", "}}");
    tally.found += one.found;
  }
  EXPECT_GT(tally.found, 50u);
}

Range range_of_store(const Program& program, std::size_t n = 0) {
  const OpId op = stores_of(program, "Y")[n];
  const IndexId expr = program.list(std::get<tile::StoreOp>(program.op(op).payload).coords)[0];
  return over_range(program, expr, over_domain(program, walk(program), op), over_leaf_ranges(program)).value();
}

TEST(Range, HandMade) {
  const Program program = bound_program(R"(program p(N) {
    out Y: f32[64]
    in flag: f32
    parallel i in 4 {
      axis m: 8
      Y[i*8 + m - i*8] = 0.0
      Y[min(i*8 + m, 20) / 3] = 0.0
      Y[(i*3 + m) % 5] = 0.0
      if flag > 0.0 {
        Y[i] = 0.0
      }
      serial s in i { Y[s] = 0.0 }
      serial t in 0 { Y[t] = 0.0 }
    }
  })",
                                        {{"N", 1}});
  EXPECT_EQ(range_of_store(program, 0), (Range{0, 7, true}));
  EXPECT_EQ(range_of_store(program, 1), (Range{0, 6, true}));
  EXPECT_EQ(range_of_store(program, 2), (Range{0, 4, false}));
  EXPECT_EQ(range_of_store(program, 3), (Range{0, 3, false})) << "the condition may never hold";
  EXPECT_EQ(range_of_store(program, 4), (Range{0, 2, false})) << "a triangle";
  EXPECT_TRUE(range_of_store(program, 5).empty());
}

TEST(Range, AnOpenSizeNeedNotTakeItsEnds) {
  const Program program = family_of("program p(P) {\n out Y: f32[9]\n parallel i in 4 { Y[i + P] = 0.0 }\n}");
  const OpId op = stores_of(program, "Y")[0];
  const IndexId expr = program.list(std::get<tile::StoreOp>(program.op(op).payload).coords)[0];
  auto with = [&](tile::IndexRange size) {
    const LeafRanges ranges = over_leaf_ranges(program, {.symbols = {{tile::SymbolId{0}, size}}, .params = {}});
    return over_range(program, expr, over_domain(program, walk(program), op), ranges).value();
  };
  EXPECT_EQ(with({1, 5}), (Range{1, 8, false}));
  EXPECT_EQ(with({2, 2}), (Range{2, 5, true}));
}

TEST(Range, WhatMayOverflowHasNone) {
  const Program program =
      family_of("program p(N) {\n out Y: f32[1]\n parallel i in 3 { Y[i * 4611686018427387904 - i] = 0.0 }\n}");
  const OpId op = stores_of(program, "Y")[0];
  const auto range = over_range(program, program.list(std::get<tile::StoreOp>(program.op(op).payload).coords)[0],
                                over_domain(program, walk(program), op), over_leaf_ranges(program));
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().reason, AffineReason::MayOverflow);
}

}  // namespace
}  // namespace tilewright::analysis
