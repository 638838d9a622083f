// Each construct of the DSL beside the text that says the same.
#include "frontend/draft_tests.h"

namespace tilewright {
namespace {

using namespace dsl;

static_assert(!std::is_assignable_v<Ref, Tile> && !std::is_assignable_v<Ref, double>, "only .store() stores");
static_assert(!std::is_assignable_v<Tile, Tile> && !std::is_assignable_v<Tile, Expr>, "only variables are redefined");
static_assert(!std::is_default_constructible_v<Tile> && !std::is_convertible_v<double, Tile>);
static_assert(std::is_nothrow_move_constructible_v<Tile>, "a growing vector keeps its variables");
static_assert(!std::is_convertible_v<Expr, bool>, "no comparison of tiles decides in C++");
static_assert(!std::is_convertible_v<double, Index> && !std::is_convertible_v<bool, Index>);

class Construct : public testing::Test {
 public:
  Sheet s;
};

TEST(Declarations, Everything) {
  Draft p("family", "First line.\n\nThird line.");
  Index N = p.symbol("N"), causal = p.symbol("causal", 0);
  Index BM = p.param("BM", {32, 64, 128}, 64);
  Element T = p.type("T", {f32, f16, bf16}, f16);
  Buffer A = p.in("A", T, {N, 2 * N + 1});
  Buffer B = p.in("B", i32, {N}, {.strides = {3}});
  Buffer flag = p.scalar("flag", bool_type, 1.0), beta = p.scalar("beta", f32);
  Buffer D = p.inout("D", f32, {N}), E = p.temp("E", bf16, {N});
  Buffer C = p.out("C", T, {N, ceildiv(N, BM)});
  p.require(N % 2 == 0, "even");
  p.require(BM >= causal);
  for (auto [i] : p.parallel({"i", N})) {
    E(i).store(bf16(beta));
    C(i, 0).store(A(i, 1));
    D(i).store(select(flag && B(i) < 3, 1.0, D(i)));
  }
  expect_same(p, R"(// First line.
//
// Third line.
program family(N, causal = 0; BM: {32, 64, 128} = 64, T: type {f32, f16, bf16} = f16) {
  in A: T[N, 2 * N + 1]
  in B: i32[N] strides(3)
  in flag: bool = true
  in beta: f32
  inout D: f32[N]
  temp E: bf16[N]
  out C: T[N, ceildiv(N, BM)]
  require N % 2 == 0, "even"
  require BM >= causal
  parallel i in N {
    E[i] = bf16(beta)
    C[i, 0] = A[i, 1]
    D[i] = select(flag && B[i] < 3, 1.0, D[i])
  }
}
)");
}

TEST_F(Construct, IndexArithmetic) {
  s.expect_body(
      [&](Index i) {
        Index a = (i + 3) * 2 - s.N / 4 % 7, b = min(max(i, 0), s.M - 1), c = (i & 3) ^ (i << 1) ^ (i >> 2);
        s.C(a, -b).store(s.A(ceildiv(i, s.N), c));
        s.C(max(2, s.m), min(s.m, 3)).store(0.0);
      },
      R"(C[(i + 3) * 2 - N / 4 % 7, -min(max(i, 0), M - 1)] = A[ceildiv(i, N), i & 3 ^ i << 1 ^ i >> 2]
         C[max(2, m), min(m, 3)] = 0.0)");
}

TEST_F(Construct, LoadsAndStores) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).load(-inf).named("x");
        Tile y = s.A(i + s.m, s.n).assume().load(2).named("y");
        Tile z = s.A.at({i, s.n}).over({s.m, s.n}).named("z");
        Tile t = s.A(s.m, s.n).over({s.n, s.m}).named("t");
        s.C(i + s.m, s.n).assume().store(x + y * s.A(0, s.n) + z + t);
        s.C(i, s.n).store(1);
        s.C(i, s.n).store(s.alpha);
      },
      R"(x = A[i, n] else -inf
         y = A[i + m, n] assume else 2
         z[m, n] = A[i, n]
         t[n, m] = A[m, n]
         C[i + m, n] assume = x + y * A[0, n] + z + t
         C[i, n] = 1
         C[i, n] = alpha)");
}

TEST_F(Construct, FillsNumbersAndIndices) {
  s.expect_body(
      [&](Index i) {
        Tile a = fill({s.m, s.n}, 0.5).named("a");
        Tile b = fill({s.m}, i * 4 + s.m).named("b");
        Tile c = s.p.number(2.0).named("c");
        Tile d = index_type(i + s.m).named("d");
        Tile e = fill({s.n}, true).named("e");
        Tile f = s.p.number(i).named("f");
        Tile g = fill({s.m}, f16(0.5)).named("g");
        c = 3;
        a = fill({s.m, s.n}, 2);
        s.C(i + s.m, s.n).store(a + f32(b + d + f) * c + select(e, 1, 0.0) + f32(g));
      },
      R"(a[m, n] = 0.5
         b[m] = i*4 + m
         c[] = 2.0
         d = index(i + m)
         e[n] = true
         f[] = i
         g[m] = f16(0.5)
         c[] = 3
         a[m, n] = 2
         C[i + m, n] = a + f32(b + d + f) * c + select(e, 1, 0.0) + f32(g))");
}

TEST_F(Construct, EveryOperator) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x"), y = s.C(i, s.n).named("y");
        Tile a = (x + y - x * y / (x % y)).named("a");
        Tile b = (exp(a) + log(a) + sqrt(a) + tanh(a) + sin(a) + cos(a) + abs(a) + floor(-a)).named("b");
        Tile c = (x < y || x <= y || x > y || x >= y || (!(x == y) && x != y)).named("c");
        s.C(i, s.n).store(select(c, max(b, 0), min(0.5, b)));
      },
      R"(x = A[i, n]
         y = C[i, n]
         a = x + y - x * y / (x % y)
         b = exp(a) + log(a) + sqrt(a) + tanh(a) + sin(a) + cos(a) + abs(a) + floor(-a)
         c = x < y || x <= y || x > y || x >= y || !(x == y) && x != y
         C[i, n] = select(c, max(b, 0), min(0.5, b)))");
}

TEST_F(Construct, NumbersAdaptToTheTileBesideThem) {
  s.expect_body(
      [&](Index i) {
        Tile h = (s.H(i, s.n) * 2 + 0.25).named("h");
        Tile q = (s.I(i) + 1 < 7).named("q");
        Tile w = (s.I(i) + i).named("w");
        s.C(i, s.n).store(select(q, f32(h), 3) + cast(w, f32) + cast<f32>(w));
      },
      R"(h = H[i, n] * 2 + 0.25
         q = I[i] + 1 < 7
         w = I[i] + i
         C[i, n] = select(q, f32(h), 3) + f32(w) + f32(w))");
}

TEST_F(Construct, FoldsOverAnAxis) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i + s.m, s.n).named("x");
        Tile a = sum(x, s.n).named("a"), b = max(x, s.n, Order::OrderedTree).named("b");
        Tile c = min(x, s.m, Order::FoldLeft).named("c");
        s.C(i + s.m, s.n).store(a + b + c + max(x, s.n));
      },
      R"(x = A[i + m, n]
         a = sum(x, n)
         b = max(x, n, ordered_tree)
         c = min(x, m, fold_left)
         C[i + m, n] = a + b + c + max(x, n))");
}

TEST_F(Construct, MmaAndMatmul) {
  s.expect_body(
      [&](Index i) {
        Tile a = s.A(i + s.m, s.k).named("a"), b = s.A(s.k, s.n).named("b");
        Tile c = fill({s.m, s.n}, 0.0).named("c");
        Tile d = mma(a, b, c, ordered).named("d");
        Tile e = mma(a, b, d, relaxed).named("e"), f = mma(a, b, e, ordered, relaxed).named("f");
        s.C(i + s.m, s.n).store(mma(a, b, f) + matmul(a, b, {s.m, s.n}));
      },
      R"(a = A[i + m, k]
         b = A[k, n]
         c[m, n] = 0.0
         d = mma(a, b, c, ordered)
         e = mma(a, b, d, relaxed)
         f = mma(a, b, e, ordered, relaxed)
         C[i + m, n] = mma(a, b, f) + matmul(a, b, m, n))");
}

TEST_F(Construct, ElementsRelabelGatherBroadcast) {
  s.expect_body(
      [&](Index i) {
        Axis r = s.p.axis("r", 8);
        Tile x = s.A(i, s.n).named("x");
        Tile a = x(2 * s.m + 1).named("a");
        Tile b = relabel(x, {{s.n, r}}).named("b");
        Tile c = gather(x, s.n, s.I(i + s.m), -1).named("c");
        Tile d = broadcast(a, {s.n, s.m}).named("d");
        Tile e = (x * 2.0).named("u")(s.m).named("e");
        Tile f = x(s.m).over({s.n, s.m}).named("f");
        s.C(i + s.m, s.n).store(sum(b, r) + c + d + e + f);
      },
      R"(axis r: 8
         x = A[i, n]
         a = x[2*m + 1]
         b = relabel(x, n: r)
         c = gather(x, n, I[i + m], -1)
         d = broadcast(a, n, m)
         u = x * 2.0
         e = u[m]
         f[n, m] = x[m]
         C[i + m, n] = sum(b, r) + c + d + e + f)");
}

TEST_F(Construct, RegionsAndTheirAttributes) {
  s.expect_body(
      [&](Index i) {
        Tile acc = fill({s.m}, 0.0).named("acc");
        for (auto [a, b] : s.p.serial({"a", 3}, {"b", s.N - i})) acc = acc + f32(a * b);
        for (auto [t] : s.p.pipeline({"t", s.N}).window(2).interval(3)) {
          s.p.stage();
          Tile x = s.A(i + s.m, t).named("x");
          s.p.stage("compute");
          acc = acc * x;
        }
        for (auto [g] : s.p.parallel({"g", 2}).scope(Scope::Group))
          for (auto [w] : s.p.parallel({"w", 2}).scope(Scope::Worker)) s.C(g, w).store(acc(0));
      },
      R"(acc[m] = 0.0
         serial a in 3, b in N - i {
           acc = acc + f32(a * b)
         }
         pipeline t in N window 2 interval 3 {
           stage
           x = A[i + m, t]
           stage "compute"
           acc = acc * x
         }
         parallel g in 2 scope group {
           parallel w in 2 scope worker {
             C[g, w] = acc[0]
           }
         })");
}

TEST_F(Construct, RegionsOverManyDomains) {
  s.expect_body(
      [&](Index i) {
        for (auto [a, b, c, d] : s.p.parallel({"a", 1}, {"b", 2}, {"c", 3}, {"d", 4})) s.C(a + b, c + d).store(0.5);
        for (auto [a, b, c, d, e] : s.p.serial({{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}}))
          s.C(a + b + i, c + d + e).store(0.5);
      },
      R"(parallel a in 1, b in 2, c in 3, d in 4 {
           C[a + b, c + d] = 0.5
         }
         serial a in 1, b in 2, c in 3, d in 4, e in 5 {
           C[a + b + i, c + d + e] = 0.5
         })");
}

TEST_F(Construct, ReduceRegionsFold) {
  s.expect_body(
      [&](Index i) {
        Tile total = fill({s.m}, 0.0).named("total"), best = fill({s.m}, -inf).named("best");
        Tile least = fill({s.m}, inf).named("least"), count = fill({s.m}, i32(0)).named("count");
        for (auto [t] : s.p.reduce({"t", s.N}).order(Order::FoldLeft)) {
          Tile x = s.A(i + s.m, t).named("x");
          total += x;
          best.fold_max(x);
          least.fold_min(x * 2);
          count.fold_add(1);
        }
        s.C(i + s.m, 0).store(total + best + least + f32(count));
      },
      R"(total[m] = 0.0
         best[m] = -inf
         least[m] = inf
         count[m] = i32(0)
         reduce t in N order fold_left {
           x = A[i + m, t]
           total += x
           best max= x
           least min= x * 2
           count += 1
         }
         C[i + m, 0] = total + best + least + f32(count))");
}

TEST_F(Construct, CompoundAssignmentOutsideReduce) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        x += 1;
        for (auto [t] : s.p.serial({"t", 3})) {
          x *= s.A(t, s.n);
          x -= 0.5;
          x /= x;
        }
        s.C(i, s.n).store(x);
      },
      R"(x = A[i, n]
         x += 1
         serial t in 3 {
           x = x * A[t, n]
           x = x - 0.5
           x = x / x
         }
         C[i, n] = x)");
}

TEST_F(Construct, BranchesAreLazyAndCarry) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        s.p.when(
            s.alpha != 0.0,
            [&] {
              Tile old = s.C(i, s.n).named("old");
              x = x + old;
            },
            [&] { x = x * 2.0; });
        s.p.when(s.I(i) == 0, [&] { s.C(i, s.n).store(x); });
        s.p.when(i < 3, [&] { x = x + 1.0; });
        s.C(i, s.n).store(x);
      },
      R"(x = A[i, n]
         if alpha != 0.0 {
           old = C[i, n]
           x = x + old
         } else {
           x = x * 2.0
         }
         if I[i] == 0 {
           C[i, n] = x
         }
         if i < 3 {
           x = x + 1.0
         }
         C[i, n] = x)");
}

TEST_F(Construct, MemoryBarriersOpaqueCallsAndPlaces) {
  s.expect_body(
      [&](Index i) {
        Buffer plain = s.p.memory("plain", f32, {4, 8});
        Buffer padded = s.p.memory("padded", f32, {4, 8}, Space::Shared, {{s.m, s.n}, s.m * 9 + s.n});
        Tile x = s.A(i + s.m, s.n).in(Space::Private).named("x");
        Tile y = (x * 2.0).in(Space::Shared).named("y");
        plain(s.m, s.n).store(x);
        padded(s.m, s.n).store(y);
        s.p.barrier();
        s.p.barrier(Scope::Subgroup);
        s.p.opaque("probe", {s.A, x + 1.0, padded, i, y * 3.0, 3});
        s.C(i + s.m, s.n).store(plain(s.m, s.n) + padded(s.m, s.n));
      },
      R"(memory plain: f32[4, 8]
         memory padded: f32[4, 8] in shared layout(m, n) = m*9 + n
         x in private = A[i + m, n]
         y in shared = x * 2.0
         plain[m, n] = x
         padded[m, n] = y
         barrier
         barrier subgroup
         opaque "probe"(A, x + 1.0, padded, i, y * 3.0, 3)
         C[i + m, n] = plain[m, n] + padded[m, n])");
}

// ---- Tiles are variables -------------------------------------------------------------------------------------------

TEST_F(Construct, CopiesAreSnapshotsAndSwapsWork) {
  s.expect_body(
      [&](Index i) {
        Tile a = s.A(i, s.n).named("a"), b = s.C(i, s.n).named("b");
        for (auto [t] : s.p.serial({"t", 3})) {
          Tile old = a;
          a = b;
          b = old + f32(t);
        }
        s.C(i, s.n).store(a - b);
      },
      R"(a = A[i, n]
         b = C[i, n]
         serial t in 3 {
           old = a
           a = b
           b = old + f32(t)
         }
         C[i, n] = a - b)");
}

TEST_F(Construct, MovingKeepsTheVariable) {
  s.expect_body(
      [&](Index i) {
        std::vector<Tile> rows;  // grows by moving
        // NOLINTNEXTLINE(performance-inefficient-vector-operation): it is about growing
        for (int r = 0; r < 5; ++r) rows.push_back(s.A(i, s.n).named("row" + std::to_string(r)));
        for (auto [t] : s.p.serial({"t", 3}))
          for (Tile& row : rows) row = row + f32(t);
        for (const Tile& row : rows) s.C(i, s.n).store(row);
      },
      R"(row0 = A[i, n]
         row1 = A[i, n]
         row2 = A[i, n]
         row3 = A[i, n]
         row4 = A[i, n]
         serial t in 3 {
           row0 = row0 + f32(t)
           row1 = row1 + f32(t)
           row2 = row2 + f32(t)
           row3 = row3 + f32(t)
           row4 = row4 + f32(t)
         }
         C[i, n] = row0
         C[i, n] = row1
         C[i, n] = row2
         C[i, n] = row3
         C[i, n] = row4)");
}

Expr gelu(const Value& x) {
  Tile c = max(x, -30.0).named("c");
  return c / (1.0 + exp(-2.0 * c));
}

TEST_F(Construct, FunctionsTakeValues) {
  s.expect_body(
      [&](Index i) {
        Tile x = s.A(i, s.n).named("x");
        s.C(i, s.n).store(gelu(x + 1));
        s.C(i, s.n).store(gelu(s.A(i, s.n)));
      },
      R"(x = A[i, n]
         c = max(x + 1, -30.0)
         C[i, n] = c / (1.0 + exp(-2.0 * c))
         c = max(A[i, n], -30.0)
         C[i, n] = c / (1.0 + exp(-2.0 * c)))");
}

TEST_F(Construct, SeveralLaunchesAndTemporaries) {
  Draft p("two");
  Index N = p.symbol("N");
  Buffer X = p.in("X", f32, {N}), Y = p.out("Y", f32, {N}), W = p.temp("W", f32, {N});
  for (auto [i] : p.parallel({"i", N})) W(i).store(X(i) * 2.0);
  for (auto [i] : p.parallel({"i", N})) Y(i).store(W(N - 1 - i));
  expect_same(p, R"(program two(N) {
  in X: f32[N]
  out Y: f32[N]
  temp W: f32[N]
  parallel i in N {
    W[i] = X[i] * 2.0
  }
  parallel i in N {
    Y[i] = W[N - 1 - i]
  }
}
)");
}

}  // namespace
}  // namespace tilewright
