// Every value operation, at plain, ragged, degenerate and empty sizes.
#include "lower/lowering_case.h"

namespace tilewright::lower::testing {
namespace {

TEST(LowerValues, ElementwiseChainsOfFloats) {
  for (const auto type : {DataType::F32, DataType::F16, DataType::BF16})
    for (const std::int64_t size : {0, 1, 7, 8, 19})
      expect_lowers(R"(
program p(N; T: type {f32, f16, bf16} = f32) {
  in A: T[N]
  in B: T[N]
  out C: T[N]
  out D: T[N]
  parallel i in ceildiv(N, 8) {
    a[m: 8] = A[i*8 + m]
    b[m] = B[i*8 + m]
    C[i*8 + m] = -(a + b * a - a / b) % b + max(a, b) * min(a, abs(b)) + floor(a)
    D[i*8 + m] = sqrt(abs(a)) + exp(min(a, 2)) * log(abs(b)) - tanh(a) + sin(b) * cos(a)
  }
})",
                    {{"N", size}}, {Fill::Special, 3, {{"T", type}}, {}});
}

TEST(LowerValues, IntegersAndBooleans) {
  for (const std::int64_t size : {0, 5, 16})
    expect_lowers(R"(
program p(N) {
  in A: i32[N]
  in B: i32[N]
  in F: bool[N]
  out C: i32[N]
  out D: bool[N]
  parallel i in ceildiv(N, 4) {
    a[m: 4] = A[i*4 + m]
    b[m] = B[i*4 + m]
    f[m] = F[i*4 + m]
    C[i*4 + m] = select(f && a < b, a / b + a * b, a % b - abs(a)) + max(a, b) - min(b, 3)
    D[i*4 + m] = !f || (a >= b) == f || (a != b && a <= 7)
  }
})",
                  {{"N", size}}, {Fill::Special, 5, {}, {}});
}

TEST(LowerValues, Casts) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N]
  in I: i32[N]
  out H: f16[N]
  out B: bf16[N]
  out J: i32[N]
  out F: f32[N]
  out G: bool[N]
  parallel i in ceildiv(N, 4) {
    a[m: 4] = A[i*4 + m]
    j[m] = I[i*4 + m]
    H[i*4 + m] = f16(a) + f16(bf16(a))
    B[i*4 + m] = bf16(f16(a)) * bf16(3)
    J[i*4 + m] = i32(a) + i32(bool(a)) + i32(i*4 + m)
    F[i*4 + m] = f32(j) + f32(f16(a)) + f32(i - m) + f32(a < 0.5)
    G[i*4 + m] = bool(a)
  }
})",
                {{"N", 37}}, {Fill::Special, 7, {}, {}});
}

TEST(LowerValues, BroadcastsJoinsAndIndexTiles) {
  expect_lowers(R"(
program p(M, N) {
  in A: f32[M]
  in B: f32[N]
  out C: f32[M, N]
  out D: f32[N, M]
  parallel i in ceildiv(M, 4), j in ceildiv(N, 8) {
    a[m: 4] = A[i*4 + m]
    b[n: 8] = B[j*8 + n]
    c[m, n] = a * b + f32((i*4 + m) * 3 - n / 2)
    C[i*4 + m, j*8 + n] = c
    twice[n, m] = c + c
    D[j*8 + n, i*4 + m] = twice + exp(a)
  }
})",
                {{"M", 10}, {"N", 13}});
}

TEST(LowerValues, ReindexRelabelAndElements) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N, 6]
  out C: f32[N, 6]
  out D: f32[N, 3, 2]
  out E: f32[N]
  parallel i in N {
    axis r: 6, p: 3, q: 2
    a[k: 6] = A[i, k] * 2
    t = relabel(a, k: r)
    C[i, r] = t + a[5 - r]
    D[i, p, q] = a[p*2 + q] - t[(p*2 + q + i) % 6]
    E[i] = a[3] + t[i % 6]
  }
})",
                {{"N", 5}});
}

TEST(LowerValues, Gather) {
  for (const std::int64_t size : {0, 3, 9})
    expect_lowers(R"(
program p(N) {
  in A: f32[4, N]
  in I: i32[7]
  out C: f32[4, 7]
  parallel z in 1 {
    a[m: 4, n: N] = A[m, n]
    at[j: 7] = I[j]
    C[m, j] = gather(a, n, at, -5.0) + gather(a, n, index(at) + m, 1.0)
  }
})",
                  {{"N", size}}, {Fill::Special, 11, {}, {}});
}

TEST(LowerValues, ReduceOverEachAxis) {
  for (const auto type : {DataType::F32, DataType::F16, DataType::BF16})
    for (const std::int64_t size : {0, 1, 5, 17})
      expect_lowers(R"(
program p(M, N; T: type {f32, f16, bf16} = f32) {
  in A: T[M, N]
  out R: T[M]
  out C: T[N]
  out S: T
  out X: T[N]
  parallel z in 1 {
    a[m: M, n: N] = A[m, n]
    R[m] = sum(a * a, n)
    C[n] = sum(a, m) + max(a, m, fold_left)
    S[] = sum(min(a, n), m, fold_right)
    X[n] = sum(a * T(2), m, fold_right)
  }
})",
                    {{"M", 6}, {"N", size}}, {Fill::Small, 13, {{"T", type}}, {}});
}

TEST(LowerValues, ReduceOfIntegersAndSpecialNumbers) {
  expect_lowers(R"(
program p(N) {
  in A: i32[N, 3]
  in B: f32[N, 3]
  out C: i32[3]
  out D: f32[N]
  out E: i32
  parallel z in 1 {
    a[n: N, k: 3] = A[n, k]
    b[n, k] = B[n, k]
    C[k] = sum(a, n) + max(a, n) - min(a, n)
    D[n] = max(b, k) + min(b, k)
    E[] = i32(max(max(index(a) + n, n), k))
  }
})",
                {{"N", 11}}, {Fill::Special, 17, {}, {}});
}

TEST(LowerValues, MmaOfEveryOrientation) {
  for (const char* stores : {"A[m, k]; b[k, n] = B[k, n]", "A[m, k]; b[n, k] = B[k, n]"})
    for (const char* left : {"a[m: 5, k: 9]", "a[k: 9, m: 5]"})
      for (const char* result : {"m, n", "n, m"}) {
        std::string text =
            "program p(Z) {\n in A: f32[5, 9]\n in B: f32[9, 7]\n inout C: f32[5, 7]\n parallel z in 1 {\n axis n: 7\n";
        text += std::string(left) + " = " + stores + "\n acc[" + result + "] = C[m, n]\n";
        text += " C[m, n] = mma(a, b, acc) + acc\n }\n}";
        expect_lowers(text, {{"Z", 0}}, {Fill::Special, 19, {}, {}});
      }
}

TEST(LowerValues, MmaRoles) {
  expect_lowers(R"(
program p(N) {
  in A: f16[3, 4, N, 2]
  in B: f16[3, N, 2, 6]
  in V: f32[N]
  in I: i32[4, N]
  out C: f32[3, 4, 6]
  out D: f32[4]
  out E: f32
  out F: i32[4]
  out G: f32[3]
  parallel z in 1 {
    a[b: 3, m: 4, k: N, l: 2] = A[b, m, k, l]
    w[b, k, l, n: 6] = B[b, k, l, n]
    zero[b, m, n] = 0.0
    C[b, m, n] = mma(a, w, zero, ordered)
    v[k] = V[k]
    start[m] = f32(m)
    x[m, k] = f32(a[1, m, k, 0])
    D[m] = mma(x, v, start)
    E[] = mma(v, v, 2.0)
    i[m, k] = I[m, k]
    j[k] = i[0, k]
    whole[m] = i32(m)
    F[m] = mma(i, j, whole)
    g[b] = 1.0
    u[b, k] = f32(w[b, k, 0, 3])
    G[b] = mma(u, u * u, g)
  }
})",
                {{"N", 10}});
}

TEST(LowerValues, MmaWithoutContractionGivesTheAccumulator) {
  expect_lowers(R"(
program p(K) {
  in A: f32[4, K]
  in B: f32[K, 5]
  inout C: f32[4, 5]
  parallel z in 1 {
    a[m: 4, k: K] = A[m, k]
    b[k, n: 5] = B[k, n]
    c[m, n] = C[m, n]
    C[m, n] = mma(a, b, c)
  }
})",
                {{"K", 0}});
}

}  // namespace
}  // namespace tilewright::lower::testing
