// Regions, carries, conditions and explicit memory.
#include "lower/lowering_case.h"

namespace tilewright::lower::testing {
namespace {

constexpr const char* kGemm = R"(
program gemm(M, N, K; BM: {32} = 8, BN: {32} = 16, BK: {32} = 4, T: type {f32, f16, bf16} = f32) {
  in  A: T[M, K]
  in  B: T[K, N]
  out C: f32[M, N]
  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {
    acc[m: BM, n: BN] = 0.0
    pipeline s in ceildiv(K, BK) {
      a[m, k: BK] = A[i*BM + m, s*BK + k]
      b[k, n]     = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc)
    }
    C[i*BM + m, j*BN + n] = acc
  }
})";

TEST(LowerRegions, GemmAtManySizes) {
  for (const std::int64_t m : {0, 1, 7, 8, 17})
    for (const std::int64_t n : {0, 1, 16, 33})
      for (const std::int64_t k : {0, 1, 4, 11})
        expect_lowers(kGemm, {{"M", m}, {"N", n}, {"K", k}}, {Fill::Small, 1, {}, {}});
  for (const auto type : {DataType::F16, DataType::BF16})
    expect_lowers(kGemm, {{"M", 19}, {"N", 21}, {"K", 10}}, {Fill::Special, 2, {{"T", type}}, {}});
}

TEST(LowerRegions, GemmOverOtherStrides) {
  const Numbers sizes{{"M", 13}, {"N", 19}, {"K", 9}};
  expect_lowers(kGemm, sizes, {Fill::Small, 3, {}, {{"A", {1, 13}}, {"B", {1, 9}}, {"C", {1, 13}}}});
  expect_lowers(kGemm, sizes, {Fill::Small, 4, {}, {{"A", {-9, 1}}, {"B", {40, -2}}, {"C", {-19, -1}}}});
  expect_lowers(kGemm, sizes, {Fill::Small, 5, {}, {{"A", {0, 1}}, {"B", {0, 0}}, {"C", {100, 5}}}});
}

std::int64_t private_elements(std::string_view text, const Numbers& numbers) {
  const auto bound = bound_program(text, numbers);
  const auto program = bound ? lowered(*bound) : std::nullopt;
  std::int64_t elements = 0;
  if (program)
    for (const auto& allocation : program->allocations) elements += allocation.count;
  return elements;
}

TEST(LowerRegions, TheAccumulatorIsUpdatedInPlace) {
  // One accumulator and one tile of each operand, nothing else.
  EXPECT_EQ(private_elements(kGemm, {{"M", 32}, {"N", 32}, {"K", 32}}), 8 * 16 + 8 * 4 + 4 * 16);
}

TEST(LowerRegions, LoadedAndNestedCarriesAreUpdatedInPlace) {
  const char* text = R"(
program p(N) {
  in A: f32[64]
  inout C: f32[64]
  parallel z in 1 {
    c[m: 64] = C[m]
    d[m] = A[m]
    serial i in N {
      c = c * 0.5 + d
      serial j in i {
        c = max(c, d) - 1
        if j % 2 == 0 { c = c + d }
      }
      d = abs(d) + 1
    }
    C[m] = c + d
  }
})";
  expect_lowers(text, {{"N", 5}});
  EXPECT_EQ(private_elements(text, {{"N", 5}}), 2 * 64);
}

TEST(LowerRegions, OnlineSoftmaxCarriesUpdateTogether) {
  for (const std::int64_t n : {0, 1, 4, 9})
    expect_lowers(R"(
program p(N) {
  in Q: f32[3, 5]
  in K: f32[N, 5]
  in V: f32[N, 6]
  out O: f32[3, 6]
  parallel z in 1 {
    q[m: 3, d: 5] = Q[m, d]
    best[m] = -inf
    total[m] = 0.0
    acc[m, e: 6] = 0.0
    serial s in ceildiv(N, 4) {
      key[k: 4, d] = K[s*4 + k, d]
      value[k, e] = V[s*4 + k, e]
      zero[m, k] = 0.0
      score = select(s*4 + k < N, mma(q, key, zero), -inf)
      next = max(best, max(score, k))
      weight = exp(score - next)
      decay = exp(best - next)
      total = total * decay + sum(weight, k)
      acc = mma(weight, value, acc * decay)
      best = next
    }
    O[m, e] = acc / total
  }
})",
                  {{"N", n}});
}

TEST(LowerRegions, SwapsRotationsAndRepeatedCarries) {
  for (const std::int64_t n : {0, 1, 2, 5})
    expect_lowers(R"(
program p(N) {
  in A: f32[4]
  in B: f32[4]
  out C: f32[6, 4]
  parallel z in 1 {
    a[m: 4] = A[m]
    b[m] = B[m]
    c[m] = a
    x[] = 1.0
    y[] = 2.0
    mirror[m] = a * 1
    serial s in N {
      old = a
      a = b + 1
      b = c
      c = old
      t = x
      x = y + 1
      y = t
      mirror = mirror[3 - m] + a
    }
    C[0, m] = a
    C[1, m] = b
    C[2, m] = c
    C[3, m] = x
    C[4, m] = y
    C[5, m] = mirror
  }
})",
                  {{"N", n}});
}

TEST(LowerRegions, CarriesOfConstantsAndOfOneInitialValue) {
  expect_lowers(R"(
program p(N) {
  in A: f32[4]
  out C: f32[4, 4]
  parallel z in 1 {
    a[m: 4] = A[m]
    b = a
    c = a
    serial s in N {
      keep = b
      b = b * 2 + c
      c = keep
      a[m] = 3.0
    }
    C[0, m] = a
    C[1, m] = b
    C[2, m] = c
  }
})",
                {{"N", 3}});
}

TEST(LowerRegions, UpdatesThatReadMoreThanTheirOwnElement) {
  for (const std::int64_t n : {0, 1, 3})
    expect_lowers(R"(
program p(N) {
  in A: f32[4, 4]
  out C: f32[4, 4]
  out D: f32[4]
  out E: f32[4, 4]
  parallel z in 1 {
    axis m: 4, n: 4, k: 4
    a[m, n] = A[m, n]
    b[k, n] = A[k, n]
    v[m] = A[m, 0]
    keep = a
    w[m, k] = A[k, m]
    turned[m, n] = a * 2
    serial i in N {
      a = mma(relabel(a, n: k), b, a)
      v = sum(w * relabel(v, m: k), k)
      keep = keep * 0.5 + a[3 - m, n]
      turned = turned[n, m] + 1
    }
    C[m, n] = a + keep
    D[m] = v
    E[m, n] = turned
  }
})",
                  {{"N", n}});
  expect_lowers(R"(
program p(N) {
  in A: f32[4]
  out C: f32[2, 4]
  parallel z in 1 {
    a[m: 4] = A[m]
    c = a
    serial i in N { c = c + a }
    d[m] = A[3 - m]
    serial i in N { d = d * 0.5 + c[3 - m] }
    C[0, m] = c
    C[1, m] = d
  }
})",
                {{"N", 3}});
}

TEST(LowerRegions, NestedLoopsWithExtentsOfOuterCoordinates) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N, N]
  out C: f32[N]
  out D: i32[N]
  parallel i in N {
    acc[m: 2] = 0.0
    count = i32(0)
    serial j in i, h in 2 { serial k in 3 - j {
      x[m] = A[j, k + m] else 7.0
      acc = acc + x
      serial l in j - k {
        acc = acc * 0.5 + f32(l)
        count = count + i32(k + h)
      }
    } }
    C[i] = acc[0] + acc[1]
    D[i] = count
  }
})",
                {{"N", 7}});
}

TEST(LowerRegions, ReduceRegions) {
  for (const char* order : {"", "order ordered_tree", "order fold_left", "order fold_right"})
    for (const auto type : {DataType::F32, DataType::F16})
      for (const std::int64_t n : {0, 1, 6})
        expect_lowers(std::string(R"(
program p(N; T: type {f32, f16} = f32) {
  in A: T[N, 3, 4]
  out C: T[5, 4]
  parallel z in 1 {
    s[m: 4] = T(0.5)
    hi[m] = T(-9)
    lo = T(9)
    t = T(1)
    reduce i in N, j in 3 )") +
                          order + R"( {
      x[m] = A[i, j, m]
      s += x * T(1.1)
      hi max= x + x
      lo min= x[1]
      t += max(x, m)
    }
    C[0, m] = s
    C[1, m] = hi
    C[2, m] = lo
    C[3, m] = t
    C[4, m] = s - hi
  }
})",
                      {{"N", n}}, {Fill::Small, 23, {{"T", type}}, {}});
}

TEST(LowerRegions, ConditionsAreLazyAndCarry) {
  for (const std::int64_t n : {1, 4, 9})
    expect_lowers(R"(
program p(N) {
  in A: f32[N + 4]
  inout C: f32[N, 4]
  parallel i in N {
    a[m: 4] = C[i, m]
    b[m] = a + 1
    s = A[i]
    d[m] = a
    if s > 0 {
      x[m] = A[i + m] assume
      a = x + a
      s = s * 2
    } else if s > -1 {
      b = a
      a = b + a
    }
    if i % 2 == 0 {
      d = a[3 - m]
      serial k in i {
        d = d + a
        if k == 1 { d = d * b }
      }
    }
    C[i, m] = a + b * s + d
  }
})",
                  {{"N", n}}, {Fill::Small, 29, {}, {}});
}

TEST(LowerRegions, NestedParallelAndExplicitMemory) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N, 4]
  out C: f32[N, 4]
  parallel i in ceildiv(N, 2) {
    memory whole: f32[2, 4] in shared
    axis r: 2, c: 4
    x[r, c] = A[i*2 + r, c]
    whole[r, c] = x
    barrier
    memory turned: f32[4, 2] layout (p, q) = q * 5 + p
    turned[c, r] = whole[1 - r, c]
    parallel j in 2 {
      memory mine: i32[4] in private
      mine[c] = i32(c * j)
      row[c] = turned[3 - c, j] + f32(mine[c])
      C[i*2 + j, c] = row
    }
  }
})",
                {{"N", 5}});
}

TEST(LowerRegions, LoadsKeepTheirSnapshots) {
  expect_lowers(R"(
program p(N) {
  inout A: f32[N]
  out B: f32[N]
  temp T: f32[N]
  parallel z in 1 {
    a[n: N] = A[n]
    A[n] = a + 1
    b[n] = A[N - 1 - n]
    A[n] = b
    B[n] = a + b + A[n]
    T[n] = A[n] * 2
    t[n] = T[N - 1 - n]
    T[n] = t
    serial i in 3 {
      u[n] = T[n]
      v[n] = T[N - 1 - n]
      T[n] = v + u
      A[n] = u
    }
  }
}
)",
                {{"N", 6}});
}

TEST(LowerRegions, SeveralLaunchesThroughATemporary) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N]
  in alpha: f32
  out B: f32[N]
  temp T: f32[N]
  parallel i in ceildiv(N, 4) {
    axis m: 4
    T[i*4 + m] = A[i*4 + m] * alpha
  }
  parallel i in N {
    B[i] = T[N - 1 - i] - alpha
  }
})",
                {{"N", 10}});
}

}  // namespace
}  // namespace tilewright::lower::testing
