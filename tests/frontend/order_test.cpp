// C++ leaves the order of operands open; a formula becomes the same operations whatever the compiler does, and no
// effect overtakes a load that stands before it.
#include "frontend/draft_tests.h"

namespace tilewright {
namespace {

using namespace dsl;

class FormulaOrder : public testing::Test {
 public:
  Sheet s;
};

TEST_F(FormulaOrder, OperandsFromLeftToRight) {
  s.expect_body(
      [&](Index i) {
        s.C(i, s.n).store(exp(s.A(i, s.n)) * exp(s.C(i, s.n)) +
                          select(s.A(0, s.n) < s.A(1, s.n), s.A(2, s.n) * 2.0, s.A(3, s.n)));
      },
      "C[i, n] = exp(A[i, n]) * exp(C[i, n]) + select(A[0, n] < A[1, n], A[2, n] * 2.0, A[3, n])");
}

TEST_F(FormulaOrder, NumbersAndIndicesAfterTheOtherOperands) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        s.C(i, s.m).store(gather(x, s.n, i + s.m, exp(s.alpha)));
        Tile y = gather(x, s.n, s.m, 0).named("y");
        s.C(i, s.n).store(select(i < s.n, 2, x * 3) + y(1));
        s.p.opaque("probe", {i, x + 1.0, 3, x * 2.0});
      },
      R"(x = A[i, n]
         C[i, m] = gather(x, n, i + m, exp(alpha))
         y = gather(x, n, m, 0)
         C[i, n] = select(i < n, 2, x * 3) + y[1]
         opaque "probe"(i, x + 1.0, 3, x * 2.0))");
}

TEST_F(FormulaOrder, AFormulaIsMadeBeforeTheNextStatement) {
  s.expect_body(
      [&](Index i) {
        auto before = s.C(i, s.n).named("before");
        s.C(i, s.n).store(0.0);
        auto after = s.C(i, s.n) + before;
        s.C(i, s.n).store(after);
      },
      R"(before = C[i, n]
         C[i, n] = 0.0
         C[i, n] = C[i, n] + before)");
}

TEST_F(FormulaOrder, OldFormulasKeepTheirOrder) {
  s.expect_body(
      [&](Index i) {
        auto a = (exp(s.C(i, s.n)) * 2.0).named("a");
        auto b = (a + s.A(i, s.n)).named("b");
        auto unused = s.A(0, s.n).named("x");
        auto c = s.A(1, s.n).load();
        s.C(i, s.n).store(c);
        s.C(i, s.n).store(b);
        s.C(i, s.n).store(a);
      },
      R"(a = exp(C[i, n]) * 2.0
         b = a + A[i, n]
         x = A[0, n]
         C[i, n] = A[1, n]
         C[i, n] = b
         C[i, n] = a)");
}

TEST_F(FormulaOrder, AFormulaOutsideALoopIsMadeOutside) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        auto twice = (x * 2.0).named("y");
        for (auto [t] : s.p.serial({"t", 3})) x = x + twice;
        s.C(i, s.n).store(x);
      },
      R"(x = A[i, n]
         y = x * 2.0
         serial t in 3 {
           x = x + y
         }
         C[i, n] = x)");
}

TEST_F(FormulaOrder, AFormulaReadsItsTilesWhereItIsFormed) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        auto twice = (x * 2.0).named("y");
        x = x + 1.0;
        s.C(i, s.n).store(x - twice);
      },
      R"(x = A[i, n]
         y = x * 2.0
         x = x + 1.0
         C[i, n] = x - y)");
}

TEST_F(FormulaOrder, AReferenceIsNoLoad) {
  s.expect_body(
      [&](Index i) {
        Ref here = s.C(i, s.n);
        here.store(1.0);
        here.store(here + 2.0);
      },
      R"(C[i, n] = 1.0
         C[i, n] = C[i, n] + 2.0)");
}

TEST_F(FormulaOrder, WhatIsNeverUsedIsNotMade) {
  s.expect_body(
      [&](Index i) {
        {
          auto dropped = s.A(i, s.n) * 2.0;
        }
        s.C(i, s.n).store(0.0);
      },
      "C[i, n] = 0.0");
}

TEST_F(FormulaOrder, FormulasOfSizesMayStandBeforeTheLaunches) {
  auto wide = s.N > s.M;
  for (auto [i] : s.p.parallel({"i", s.M})) s.C(i, s.n).store(select(wide, 1.0, s.A(i, s.n)));
  for (auto [i] : s.p.parallel({"i", s.M})) s.C(i, s.n).store(select(wide, 2.0, s.A(i, s.n)));
  expect_same(s.p, R"(program sheet(M, N) {
  in A: f32[M, N]
  in I: i32[M]
  in H: f16[M, N]
  in alpha: f32 = 1.0
  inout C: f32[M, N]
  axis n: 8
  parallel i in M {
    C[i, n] = select(N > M, 1.0, A[i, n])
  }
  parallel i in M {
    C[i, n] = select(N > M, 2.0, A[i, n])
  }
}
)");
}

TEST_F(FormulaOrder, DeepFormulasAreMadeOnTheWay) {
  auto program = s.run([&](Index i) {
    Expr x = s.A(i, s.n).load();
    for (int t = 0; t < 2000; ++t) x = x + 1.0;
    s.C(i, s.n).store(x);
  });
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->ops().size(), 4000u + 3);
}

TEST_F(FormulaOrder, FormulasOfSizesMayGrowOverManyStatements) {
  auto program = s.run([&](Index i) {
    Expr x = f32(i);
    for (int t = 0; t < 2000; ++t) {
      x = x + 1.0;
      s.C(i, t).store(x);
    }
  });
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->ops().size(), 3 * 2000u + 3);
}

}  // namespace
}  // namespace tilewright
