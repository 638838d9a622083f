// A product whose output is made of the accumulator and of everything that an epilogue may read beside it.
#pragma once

#include <string>

namespace tilewright::lower::testing {

/// Buffers A, B, bias[N], column[M], R[M, N], alpha and C, which is read and written; T is f32, f16 or bf16.
/// `stored` is what C gets: of acc, shift[n], column[m], r[m, n], old[m, n] and alpha.
inline std::string epilogue_text(const std::string& stored) {
  return R"(program p(M, N, K; BM: {16, 32, 64} = 32, BN: {16, 32, 64} = 32, BK: {16, 32} = 16,
            T: type {f32, f16, bf16} = f32) {
  in A: T[M, K]
  in B: T[K, N]
  in bias: T[N]
  in column: f32[M]
  in R: T[M, N]
  in alpha: f32
  inout C: T[M, N]
  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {
    old[m: BM, n: BN] = C[i*BM + m, j*BN + n]
    acc[m, n] = 0.0
    pipeline s in ceildiv(K, BK) {
      a[m, k: BK] = A[i*BM + m, s*BK + k]
      b[k, n] = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc)
    }
    shift[n] = bias[j*BN + n]
    side[m] = column[i*BM + m]
    r[m, n] = R[i*BM + m, j*BN + n]
    C[i*BM + m, j*BN + n] = )" +
         stored + R"(
  }
})";
}

/// Each operand alone, then all of them, some several times.
inline const char* const kEpilogues[] = {
    "T(acc + f32(shift))",
    "T(acc + side)",
    "T(acc) + r",
    "T(acc) * old",
    "T(alpha * acc)",
    "T(max(alpha * acc + f32(shift) + side, 0.0)) + r * old",
    "select(r > old, T(acc * f32(r)) + r, T(acc + f32(shift) * f32(shift)) - old)",
};

}  // namespace tilewright::lower::testing
