// <metal_matrix>: matrix<T, Columns, Rows>, stored as columns.
#pragma once
#pragma clang system_header

#include "geometric.h"

namespace metal {

template <class T, int C, int R>
struct matrix {
  using emu_column = vec<T, R>;
  emu_column columns[C];

  matrix() = default;
  EMU_INLINE explicit matrix(T diagonal) {
    for (int c = 0; c < C; ++c)
      for (int r = 0; r < R; ++r) columns[c][r] = c == r ? diagonal : T(0);
  }
  /// Columns, or all elements column by column.
  template <class... A, class = enable_if_t<(C > 1) && (sizeof...(A) == C || sizeof...(A) == C * R)>>
  EMU_INLINE matrix(A... a) {
    if constexpr (sizeof...(A) == C) {
      int c = 0;
      ((columns[c++] = emu_column(a)), ...);
    } else {
      int i = 0;
      ((columns[i / R][i % R] = T(a), ++i), ...);
    }
  }
  template <class U, class = enable_if_t<!__is_same(U, T)>>
  EMU_INLINE explicit matrix(const matrix<U, C, R>& other) {
    for (int c = 0; c < C; ++c) columns[c] = emu_column(other.columns[c]);
  }
  EMU_INLINE emu_column& operator[](long c) { return columns[c]; }
  EMU_INLINE const emu_column& operator[](long c) const { return columns[c]; }
#if defined(EMU_OPENCL)
  template <class U>
  EMU_INLINE matrix(const constant matrix<U, C, R>& other) {
    for (int c = 0; c < C; ++c) columns[c] = emu_column(other.columns[c]);
  }
  template <class U>
  EMU_INLINE matrix& operator=(const constant matrix<U, C, R>& other) {
    for (int c = 0; c < C; ++c) columns[c] = emu_column(other.columns[c]);
    return *this;
  }
  EMU_INLINE const constant emu_column& operator[](long c) const constant { return columns[c]; }
#endif

// Operands by value: a matrix in constant memory converts on the way.
#define EMU_BY_COLUMN(op)                                                    \
  EMU_INLINE friend matrix operator op(matrix a, matrix b) {                 \
    matrix r;                                                                \
    for (int c = 0; c < C; ++c) r.columns[c] = a.columns[c] op b.columns[c]; \
    return r;                                                                \
  }                                                                          \
  EMU_INLINE matrix& operator op##=(matrix b) { return *this = *this op b; }
  EMU_BY_COLUMN(+)
  EMU_BY_COLUMN(-)
#undef EMU_BY_COLUMN
  EMU_INLINE friend matrix operator-(matrix a) { return a * T(-1); }
  EMU_INLINE friend matrix operator*(matrix a, T s) {
    matrix r;
    for (int c = 0; c < C; ++c) r.columns[c] = a.columns[c] * s;
    return r;
  }
  EMU_INLINE friend matrix operator*(T s, matrix a) { return a * s; }
  EMU_INLINE matrix& operator*=(T s) { return *this = *this * s; }
  EMU_INLINE friend emu_column operator*(matrix a, vec<T, C> v) {
    emu_column r = a.columns[0] * v[0];
    for (int c = 1; c < C; ++c) r += a.columns[c] * v[c];
    return r;
  }
  EMU_INLINE friend vec<T, C> operator*(vec<T, R> v, matrix a) {
    vec<T, C> r;
    for (int c = 0; c < C; ++c) r[c] = emu_dot(v, a.columns[c]);
    return r;
  }
  EMU_INLINE friend bool operator==(matrix a, matrix b) {
    bool same = true;
    for (int c = 0; c < C; ++c) same &= all(a.columns[c] == b.columns[c]);
    return same;
  }
  EMU_INLINE friend bool operator!=(matrix a, matrix b) { return !(a == b); }
};

template <class T, int C, int R, int N>
EMU_INLINE matrix<T, N, R> operator*(matrix<T, C, R> a, matrix<T, N, C> b) {
  matrix<T, N, R> r;
  for (int n = 0; n < N; ++n) r.columns[n] = a * b.columns[n];
  return r;
}
template <class T, int C, int R>
EMU_INLINE matrix<T, R, C> transpose(matrix<T, C, R> a) {
  matrix<T, R, C> t;
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r) t.columns[r][c] = a.columns[c][r];
  return t;
}
template <class T>
EMU_INLINE T determinant(matrix<T, 2, 2> m) {
  return T(m[0][0] * m[1][1] - m[1][0] * m[0][1]);
}
template <class T>
EMU_INLINE T determinant(matrix<T, 3, 3> m) {
  return T(emu_dot(m[0], cross(m[1], m[2])));
}
template <class T>
EMU_INLINE T determinant(matrix<T, 4, 4> m) {
  // Minors of the two left columns times those of the two right ones.
  T sum = 0;
  for (int p = 0; p < 4; ++p)
    for (int q = p + 1; q < 4; ++q) {
      int s = -1, t = -1;
      for (int r = 0; r < 4; ++r)
        if (r != p && r != q) (s < 0 ? s : t) = r;
      T left = T(m[0][p] * m[1][q] - m[1][p] * m[0][q]), right = T(m[2][s] * m[3][t] - m[3][s] * m[2][t]);
      sum += T((p + q) % 2 == 1 ? left * right : -(left * right));
    }
  return sum;
}

}  // namespace metal

#define EMU_NAMES(T)                     \
  typedef metal::matrix<T, 2, 2> T##2x2; \
  typedef metal::matrix<T, 2, 3> T##2x3; \
  typedef metal::matrix<T, 2, 4> T##2x4; \
  typedef metal::matrix<T, 3, 2> T##3x2; \
  typedef metal::matrix<T, 3, 3> T##3x3; \
  typedef metal::matrix<T, 3, 4> T##3x4; \
  typedef metal::matrix<T, 4, 2> T##4x2; \
  typedef metal::matrix<T, 4, 3> T##4x3; \
  typedef metal::matrix<T, 4, 4> T##4x4;
EMU_NAMES(half)
EMU_NAMES(float)
namespace metal {
EMU_NAMES(half)
EMU_NAMES(float)
}  // namespace metal
#undef EMU_NAMES
