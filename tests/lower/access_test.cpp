// Loads and stores near and beyond the ends of their objects.
#include "lower/lowering_case.h"

namespace tilewright::lower::testing {
namespace {

TEST(LowerAccess, OutsideOfEveryEnd) {
  for (const std::int64_t shift : {-20, -9, -8, -3, 0, 2, 5, 11})
    for (const std::int64_t size : {0, 1, 5, 12})
      expect_lowers(R"(
program p(N, S, U) {
  in A: f32[N, 7]
  out C: f32[8, 6]
  out D: f32[N, 7]
  parallel z in 2 {
    a[m: 8, k: 6] = A[m + S - U + z, 5 + S - U - k + 2*z]
    b[m, k] = A[z + m, k + S - U] else 9.5
    C[m, k] = a + b
    D[2*m + S - U, k + z*S] = b * 2
  }
})",
                    {{"N", size}, {"S", shift + 20}, {"U", 20}});
}

TEST(LowerAccess, DiagonalsAndCoordinatesOfTwoAxes) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N, N]
  in B: f32[N]
  out C: f32[N]
  out D: f32[6, 5]
  out E: f32[N, N]
  parallel z in 1 {
    a[m: 6] = A[m - 1, m + 1]
    C[m] = a
    d[m, n: 5] = B[m + n - 2] else -1.0
    D[m, n] = d + B[(m * n) % 4] + B[min(m, n) + m / 2]
    E[m, m] = 1.0
    E[n, n + 1] = B[n]
  }
})",
                {{"N", 5}});
}

TEST(LowerAccess, ConstantAndScalarPlaces) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N]
  in beta: f32 = 0.25
  out C: f32[N]
  out D: f32
  parallel i in N + 2 {
    x = A[i - 1] + A[i + 2] * beta
    C[i] = x
    if i == 0 { D[] = x + A[7] + A[N - 1] }
  }
})",
                {{"N", 4}});
}

TEST(LowerAccess, HugeCoordinatesAreOutside) {
  expect_lowers(R"(
program p(N, H) {
  in A: f32[N]
  out C: f32[N]
  parallel i in 3 {
    a[m: 4] = A[m + (i - 1) * H]
    C[m + (i - 1) * H] = a + 1
  }
})",
                {{"N", 4}, {"H", INT64_MAX - 4}});
}

TEST(LowerAccess, StoresOfFewerAxes) {
  expect_lowers(R"(
program p(N) {
  in A: f32[N]
  out C: f32[N, 3]
  out D: f32[3, N]
  parallel i in ceildiv(N, 4) {
    axis m: 4, n: 3
    a[m] = A[i*4 + m]
    C[i*4 + m, n] = a
    D[n, i*4 + m] = 0.5
  }
})",
                {{"N", 6}});
}

}  // namespace
}  // namespace tilewright::lower::testing
