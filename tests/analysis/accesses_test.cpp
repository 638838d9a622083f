// Access maps, unit projections and orientation.
#include "analysis/accesses.h"

#include <gtest/gtest.h>

#include "analysis/programs.h"

namespace tilewright::analysis {
namespace {

using tile::Program;

Accesses accesses_of(const Program& program) { return accesses(program, walk(program), over_leaf_ranges(program)); }

Access only(const Program& program, const std::vector<tile::OpId>& ops) {
  EXPECT_EQ(ops.size(), 1u);
  const Accesses all = accesses_of(program);
  EXPECT_NE(all.of(ops[0]), nullptr);
  return *all.of(ops[0]);
}

TEST(Accesses, GemmInAllFourOrientations) {
  struct Case {
    const char* name;
    Orientation a, b;
  };
  for (const Case& c : {Case{"gemm", {0, 1}, {0, 1}}, Case{"gemm_nt", {0, 1}, {1, 0}}, Case{"gemm_tn", {1, 0}, {0, 1}},
                        Case{"gemm_tt", {1, 0}, {1, 0}}}) {
    SCOPED_TRACE(c.name);
    const Program program = bound_program(library_text(c.name), {{"M", 100}, {"N", 70}, {"K", 40}});
    const auto m = axis_named(program, "m"), n = axis_named(program, "n"), k = axis_named(program, "k");
    const Access a = only(program, loads_of(program, "A")), b = only(program, loads_of(program, "B"));
    EXPECT_EQ(orientation(a, m, k), c.a);
    EXPECT_EQ(orientation(b, k, n), c.b);
    EXPECT_EQ(orientation(a, k, m)->is_transposed(), !c.a.is_transposed());
    EXPECT_FALSE(orientation(a, m, n));
    const Access store = only(program, stores_of(program, "C"));
    EXPECT_TRUE(store.is_store);
    EXPECT_EQ(store.fallback, FallbackKind::None);
    EXPECT_EQ(orientation(store, m, n), (Orientation{0, 1}));
    const auto& unit = b.dimensions[c.b.row_dimension].unit;
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->axis, k);
    EXPECT_EQ(to_text(program, unit->origin), "32*s");
    EXPECT_EQ(b.dimensions[c.b.row_dimension].constant_extent, 40);
    EXPECT_EQ(b.fallback, FallbackKind::PositiveZero);
    EXPECT_EQ(b.bounds, tile::BoundsPolicy::Zero);
    EXPECT_EQ(b.domain.dimensions.size(), 5u);
  }
}

TEST(Accesses, AnOpenFamilyHasTheSameProjections) {
  const Program family = family_of(library_text("gemm"));
  SizeRanges sizes;
  for (auto id : family.symbols().ids()) sizes.symbols[id] = {0, 1 << 20};
  for (auto id : family.params().ids()) sizes.params[id] = {1, 1 << 10};
  const Accesses all = accesses(family, walk(family), over_leaf_ranges(family, sizes));
  const Access& a = *all.of(loads_of(family, "A")[0]);
  EXPECT_EQ(orientation(a, axis_named(family, "m"), axis_named(family, "k")), (Orientation{0, 1}));
  EXPECT_EQ(to_text(family, a.dimensions[0].unit->origin), "BM*i");
  EXPECT_FALSE(a.dimensions[0].constant_extent);
  // Without ranges nothing is claimed.
  const Accesses blind = accesses(family, walk(family), over_leaf_ranges(family));
  EXPECT_FALSE(blind.of(loads_of(family, "A")[0])->dimensions[0].form);
  EXPECT_FALSE(orientation(*blind.of(loads_of(family, "A")[0]), axis_named(family, "m"), axis_named(family, "k")));
}

TEST(Accesses, ConvolutionWithStrideIsNoUnitProjection) {
  const Program program = small_library_program("conv2d");
  const Access x = only(program, loads_of(program, "X"));
  const auto m = axis_named(program, "m"), k = axis_named(program, "k");
  EXPECT_FALSE(x.dimensions[2].unit);
  EXPECT_EQ(x.dimensions[2].over_axes, (std::vector{m}));
  EXPECT_FALSE(x.unit_dimension_of(m));
  EXPECT_EQ(x.unit_dimension_of(k), 3u);
  EXPECT_FALSE(orientation(x, m, k));
  const Access filter = only(program, loads_of(program, "filter"));
  EXPECT_EQ(orientation(filter, k, axis_named(program, "n")), (Orientation{2, 3}));
  // The projected dimensions of higher rank keep their orientation.
  EXPECT_EQ(to_text(program, *filter.dimensions[0].form), "r");
}

TEST(Accesses, HeadGroupsAndTransposedRolesOfAttention) {
  const Program program = small_library_program("attention");
  const auto q = axis_named(program, "q"), d = axis_named(program, "d"), k = axis_named(program, "k");
  const Access keys = only(program, loads_of(program, "K"));
  EXPECT_EQ(orientation(keys, d, k), (Orientation{3, 2}));
  EXPECT_TRUE(orientation(keys, d, k)->is_transposed());
  ASSERT_FALSE(keys.dimensions[1].form) << "four query heads read two key heads: h / 2";
  EXPECT_EQ(keys.dimensions[1].form.error().reason, AffineReason::NonAffine);
  EXPECT_TRUE(keys.dimensions[1].over_axes.empty());
  EXPECT_EQ(orientation(only(program, loads_of(program, "Q")), q, d), (Orientation{2, 3}));
}

TEST(Accesses, FallbacksAndPolicies) {
  const Program program = bound_program(R"(program p(N) {
    in X: f32[8]
    in pad: f32
    out Y: f32[8]
    parallel i in 2 {
      axis m: 8
      a[m] = X[m]
      b[m] = X[m] else 0.0
      c[m] = X[m] else -0.0
      d[m] = X[m] else -inf
      p = pad * 2.0
      e[m] = X[m] else p
      f[m] = X[m] assume
      Y[m] assume = a + b + c + d + e + f
    }
  })",
                                        {{"N", 1}});
  const auto loads = loads_of(program, "X");
  const Accesses all = accesses_of(program);
  ASSERT_EQ(loads.size(), 6u);
  const std::vector<FallbackKind> expected{FallbackKind::PositiveZero, FallbackKind::PositiveZero,
                                           FallbackKind::Constant,     FallbackKind::Constant,
                                           FallbackKind::Value,        FallbackKind::None};
  for (std::size_t n = 0; n < loads.size(); ++n) EXPECT_EQ(all.of(loads[n])->fallback, expected[n]) << n;
  EXPECT_EQ(all.of(loads[2])->fallback_literal, tile::Literal::of(-0.0));
  EXPECT_EQ(all.of(loads[5])->bounds, tile::BoundsPolicy::Assume);
  EXPECT_EQ(all.of(stores_of(program, "Y")[0])->bounds, tile::BoundsPolicy::Assume);
  EXPECT_EQ(all.of(ops_of<tile::RegionOp>(program)[0]), nullptr);
}

TEST(Accesses, AThirdAxisLeavesNoOrientation) {
  const Program program = bound_program(library_text("rope"), {{"B", 1}, {"L", 8}, {"H", 2}, {"D", 8}});
  const Access low = only(program, {loads_of(program, "X")[0]});
  const auto l = axis_named(program, "l"), d = axis_named(program, "d");
  EXPECT_EQ(orientation(low, l, d), (Orientation{1, 3}));
  const Program batched = bound_program(R"(program p(N) {
    in X: f32[4, 4, 4]
    out Y: f32[4, 4, 4]
    parallel i in 1 {
      axis g: 4, m: 4, k: 4
      Y[g, m, k] = X[g, m, k]
    }
  })",
                                        {{"N", 1}});
  const auto m = axis_named(batched, "m"), k = axis_named(batched, "k");
  EXPECT_FALSE(orientation(only(batched, loads_of(batched, "X")), m, k));
  EXPECT_EQ(only(batched, loads_of(batched, "X")).unit_dimension_of(k), 2u);
}

TEST(Accesses, AnAxisInTwoDimensionsProjectsToNeither) {
  const Program program = bound_program(R"(program p(N) {
    in X: f32[8, 8]
    out Y: f32[8, 8]
    parallel i in 2 {
      axis m: 4, n: 2
      diagonal[m] = X[m, m]
      skewed[m, n] = X[m + n, n]
      twice[m] = X[2*m, i]
      back[m] = X[3 - m, i]
      plain[m, n] = X[i*4 + m, n]
      Y[m, n] = diagonal + skewed + twice + back + plain
    }
  })",
                                        {{"N", 1}});
  const auto m = axis_named(program, "m"), n = axis_named(program, "n");
  const Accesses all = accesses_of(program);
  const auto loads = loads_of(program, "X");
  EXPECT_FALSE(all.of(loads[0])->unit_dimension_of(m));
  EXPECT_FALSE(all.of(loads[1])->unit_dimension_of(m)) << "two axes in one dimension";
  EXPECT_FALSE(all.of(loads[1])->unit_dimension_of(n));
  EXPECT_FALSE(all.of(loads[2])->unit_dimension_of(m));
  EXPECT_FALSE(all.of(loads[3])->unit_dimension_of(m));
  EXPECT_EQ(orientation(*all.of(loads[4]), m, n), (Orientation{0, 1}));
}

TEST(Accesses, AnAxisOfOneValueCountsInOneCoordinate) {
  const auto store = [](const std::string& extent, const std::string& at) {
    const Program program =
        bound_program("program p(M) {\n inout Y: f32[M, M]\n parallel i in M {\n axis a: " + extent + ", b: 3\n Y[" +
                          at + "] = 1.0\n }\n}",
                      {{"M", 9}});
    const Access access = only(program, stores_of(program, "Y"));
    std::string text;
    for (const AccessDimension& dimension : access.dimensions)
      text += (text.empty() ? "" : ", ") + to_text(program, *dimension.form) + (dimension.unit ? " unit" : "");
    return text;
  };
  for (const char* extent : {"0", "1"}) {
    EXPECT_EQ(store(extent, "a / 4 + i, i"), "i + a unit, i");
    EXPECT_EQ(store(extent, "a % 4, a / 4"), "a unit, 0");
    EXPECT_EQ(store(extent, "i*2 + a*5, a"), "2*i + a unit, 0");
    EXPECT_EQ(store(extent, "a + b, a"), "b unit, a unit");
    EXPECT_EQ(store(extent, "a + b*2, b"), "2*b, b unit");
    EXPECT_EQ(store(extent, "i*3 + b, a"), "3*i + b unit, a unit");
  }
  EXPECT_EQ(store("2", "a / 4 + i, i"), "i, i");
  EXPECT_EQ(store("2", "a % 4, a / 4"), "a unit, 0");
  EXPECT_EQ(store("2", "a + b, a"), "a + b, a unit");
}

}  // namespace
}  // namespace tilewright::analysis
