// Iteration domains and mma roles.
#include "analysis/domain.h"

#include <gtest/gtest.h>

#include "analysis/programs.h"
#include "analysis/roles.h"

namespace tilewright::analysis {
namespace {

using tile::Program;

std::vector<std::string> names(const Program& program, const OverDomain& domain) {
  std::vector<std::string> all;
  for (const Dimension& d : domain.dimensions)
    all.push_back(d.is_coord() ? program.coords()[d.coord].name : program.axes()[d.axis].label);
  return all;
}

TEST(Domain, CoordinatesThenOwnAxes) {
  const Program program = bound_program(library_text("gemm"), {{"M", 100}, {"N", 65}, {"K", 40}});
  const Walk w = walk(program);
  const OverDomain load = over_domain(program, w, loads_of(program, "B")[0]);
  EXPECT_EQ(names(program, load), (std::vector<std::string>{"i", "j", "s", "k", "n"}));
  EXPECT_TRUE(load.is_exact());
  EXPECT_TRUE(load.is_constant_box());
  EXPECT_FALSE(load.surely_empty());
  std::vector<std::int64_t> extents;
  for (const Dimension& d : load.dimensions) extents.push_back(*d.constant_extent);
  EXPECT_EQ(extents, (std::vector<std::int64_t>{2, 2, 2, 32, 64}));
  EXPECT_EQ(load.dimensions[2].kind, tile::RegionKind::Pipeline);
  EXPECT_EQ(load.find(coord_named(program, "s")), &load.dimensions[2]);
  EXPECT_EQ(load.find(axis_named(program, "m")), nullptr);

  const OverDomain store = over_domain(program, w, stores_of(program, "C")[0]);
  EXPECT_EQ(names(program, store), (std::vector<std::string>{"i", "j", "m", "n"}));
  const OverDomain region = over_domain(program, w, w.nest(loads_of(program, "B")[0]).owner);
  EXPECT_EQ(names(program, region), (std::vector<std::string>{"i", "j"}));
}

TEST(Domain, AStoreMayHaveMoreAxesThanItsValue) {
  const Program program = bound_program(R"(program p(N) {
    out Y: f32[8, 8]
    parallel i in 1 {
      axis r: 8, c: 8
      x[c] = 1.0
      Y[r, c] = x
    }
  })",
                                        {{"N", 1}});
  const auto store = stores_of(program, "Y")[0];
  EXPECT_EQ(names(program, over_domain(program, walk(program), store)), (std::vector<std::string>{"i", "r", "c"}));
}

TEST(Domain, ConditionsMakeItAnOverApproximation) {
  const Program program = bound_program(library_text("gemm_alpha_beta"), {{"M", 8}, {"N", 8}, {"K", 8}});
  const OverDomain domain = over_domain(program, walk(program), loads_of(program, "C")[0]);
  EXPECT_FALSE(domain.is_exact());
  ASSERT_EQ(domain.conditions.size(), 1u);
  EXPECT_TRUE(domain.conditions[0].polarity);
  EXPECT_TRUE(domain.conditions[0].value.valid());
}

TEST(Domain, NestedConditionsHaveTheirPolarity) {
  const Program program = bound_program(R"(program p(N) {
    in flag: f32
    out Y: f32[4]
    parallel i in 1 {
      if flag > 0.0 {
        Y[0] = 0.0
      } else {
        if flag < -1.0 { Y[1] = 0.0 }
      }
    }
  })",
                                        {{"N", 1}});
  const OverDomain inner = over_domain(program, walk(program), stores_of(program, "Y")[1]);
  ASSERT_EQ(inner.conditions.size(), 2u);
  EXPECT_FALSE(inner.conditions[0].polarity);
  EXPECT_TRUE(inner.conditions[1].polarity);
  EXPECT_NE(inner.conditions[0].value, inner.conditions[1].value);
}

TEST(Domain, ExtentsThatDependOnCoordinatesAndEmptyOnes) {
  const Program causal =
      bound_program(library_text("attention"),
                    {{"B", 1}, {"Hq", 1}, {"Hkv", 1}, {"Lq", 100}, {"Lk", 100}, {"D", 8}, {"Dv", 8}, {"causal", 1}});
  const OverDomain keys = over_domain(causal, walk(causal), loads_of(causal, "K")[0]);
  EXPECT_EQ(names(causal, keys), (std::vector<std::string>{"b", "h", "i", "s", "k", "d"}));
  EXPECT_FALSE(keys.is_constant_box());
  EXPECT_FALSE(keys.dimensions[3].constant_extent);
  EXPECT_EQ(causal.index().coords(keys.dimensions[3].extent), (std::vector{coord_named(causal, "i")}));

  const Program empty = bound_program(library_text("gemm"), {{"M", 0}, {"N", 8}, {"K", 8}});
  EXPECT_TRUE(over_domain(empty, walk(empty), loads_of(empty, "A")[0]).surely_empty());
  const Program negative =
      bound_program("program p(N) {\n out Y: f32[1]\n parallel i in N - 5 { Y[0] = 0.0 }\n}", {{"N", 1}});
  const OverDomain none = over_domain(negative, walk(negative), stores_of(negative, "Y")[0]);
  EXPECT_EQ(none.dimensions[0].constant_extent, 0);
  EXPECT_TRUE(none.surely_empty());
}

TEST(Roles, FromAxisIdentity) {
  const Program program = bound_program(R"(program p(N) {
    in A: f32[4, 5, 6]
    in B: f32[6, 7, 4]
    out Y: f32[4, 7, 5]
    parallel i in 1 {
      axis g: 4, m: 5, k: 6, n: 7
      a[g, m, k] = A[g, m, k]
      b[k, n, g] = B[k, n, g]
      c[g, n, m] = 0.0
      Y[g, n, m] = mma(a, b, c)
    }
  })",
                                        {{"N", 1}});
  const MmaRoles roles = mma_roles(program, ops_of<tile::MmaOp>(program)[0]);
  EXPECT_EQ(roles.batch, (std::vector{axis_named(program, "g")}));
  EXPECT_EQ(roles.rows, (std::vector{axis_named(program, "m")}));
  EXPECT_EQ(roles.columns, (std::vector{axis_named(program, "n")}));
  EXPECT_EQ(roles.contraction, (std::vector{axis_named(program, "k")}));
  EXPECT_EQ(as_mma(program, loads_of(program, "A")[0]), nullptr);
}

}  // namespace
}  // namespace tilewright::analysis
