// vec<T, N>: layout, construction, component access. Operators: vec_operators.h, included inside the class.
#pragma once
#pragma clang system_header

#include "swizzle.h"

namespace metal {

template <class T>
struct emu_stored {
  using type = T;
};
template <>
struct emu_stored<bool> {
  using type = uchar;
};
/// The compiler's vector that arithmetic is done in. It gives vec its alignment: an alignas would make the compiler
/// rely on it, and an access that is misaligned would trap after it is reported.
template <class T, int N>
using emu_native = typename emu_stored<T>::type __attribute__((ext_vector_type(N)));

template <class V, class T, int N>
struct emu_packed;

// Fewer scalars than components leave zeros: `uint4 k = {a, b, c}`. A compiler of MSL allows that between braces only.

// Under OpenCL an object in constant memory is made by constructors of its own: those of single components.

// A vector, selection or packed vector of another element type converts in one step. Under OpenCL, one in constant
// memory needs an overload of its own; a template is never a copy constructor, so copies stay trivial.
#if defined(EMU_OPENCL)
#define EMU_VEC_FROM_CONSTANT(N)                                                                                  \
  template <class U, int M, int... I>                                                                             \
  EMU_INLINE explicit constexpr vec(const constant emu_selection<vec<U, N>, U, M, I...>& other)                   \
      : vec(emu_convert{}, other.emu_whole()) {}                                                                  \
  template <class U, class = enable_if_t<!__is_same(U, T)>>                                                       \
  EMU_INLINE explicit constexpr vec(const constant emu_packed<vec<U, N>, U, N>& other) : vec(vec<U, N>(other)) {} \
  template <class U, class = enable_if_t<__is_same(U, T)>>                                                        \
  EMU_INLINE constexpr vec(const constant vec<U, N>& other) : vec(emu_same{}, other) {}                           \
  template <class U, class = enable_if_t<__is_same(U, T)>>                                                        \
  EMU_INLINE vec& operator=(const constant vec<U, N>& other) {                                                    \
    return *this = vec(other);                                                                                    \
  }
#else
#define EMU_VEC_FROM_CONSTANT(N)
#endif
#define EMU_VEC_CONVERSIONS(N)                                                                           \
  template <class U, class = enable_if_t<!__is_same(U, T)>>                                              \
  EMU_INLINE explicit constexpr vec(vec<U, N> other) : vec(emu_convert{}, other) {}                      \
  template <class U, int M, int... I>                                                                    \
  EMU_INLINE explicit constexpr vec(const emu_selection<vec<U, N>, U, M, I...>& other)                   \
      : vec(emu_convert{}, other.emu_whole()) {}                                                         \
  template <class U, class = enable_if_t<!__is_same(U, T)>>                                              \
  EMU_INLINE explicit constexpr vec(const emu_packed<vec<U, N>, U, N>& other) : vec(vec<U, N>(other)) {} \
  EMU_VEC_FROM_CONSTANT(N)

#define EMU_VEC_COMMON(N)                                                     \
  static constexpr int emu_width = N;                                         \
  using emu_element = T;                                                      \
  vec() = default;                                                            \
  EMU_INLINE T& operator[](long i) { return emu_d[i]; }                       \
  EMU_INLINE constexpr const T& operator[](long i) const { return emu_d[i]; } \
  EMU_IF_CONSTANT(EMU_INLINE constexpr const constant T& operator[](long i) const constant { return emu_d[i]; })

// Which constructor is meant.
struct emu_convert {};
struct emu_same {};
struct emu_from_native {};

// Copies are of whole vectors, one access, except that the fourth place of a 3-vector is never touched.
#define EMU_VEC_COPY_WHOLE(N)                                                                           \
  vec(const vec&) = default;                                                                            \
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(emu_same, const constant vec& other) : emu_v(other.emu_v){}) \
  EMU_INLINE vec& operator=(const vec& other) {                                                         \
    emu_v = other.emu_v;                                                                                \
    return *this;                                                                                       \
  }                                                                                                     \
  EMU_INLINE vec(emu_from_native, emu_native<T, N> v) : emu_v(v) {}

template <class T>
struct vec<T, 2> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T emu_d[2];
    emu_native<T, 2> emu_v;
    emu_swizzle_members_2
  };
  EMU_VEC_COMMON(2)
  EMU_VEC_COPY_WHOLE(2)
  EMU_INLINE constexpr vec(T s) : x(s), y(s) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T s) constant : x(s), y(s){})
  EMU_INLINE constexpr vec(T a, T b) : x(a), y(b) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T a, T b) constant : x(a), y(b){})
  template <class U>
  EMU_INLINE constexpr vec(emu_convert, vec<U, 2> o) : x(emu_to<T>(o.x)), y(emu_to<T>(o.y)) {}
  EMU_VEC_CONVERSIONS(2)
#include "vec_operators.h"
};

template <class T>
struct vec<T, 3> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T emu_d[4];
    emu_native<T, 4> emu_v;
    emu_swizzle_members_3
  };
  EMU_VEC_COMMON(3)
  EMU_INLINE constexpr vec(const vec& o) : x(o.x), y(o.y), z(o.z) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(emu_same, const constant vec& o) : x(o.x), y(o.y), z(o.z){})
  EMU_INLINE vec& operator=(const vec& o) {
    T c0 = o.x, c1 = o.y, c2 = o.z;
    x = c0, y = c1, z = c2;
    return *this;
  }
  EMU_INLINE vec(emu_from_native, emu_native<T, 4> v) : emu_v(v) {}
  EMU_INLINE constexpr vec(T s) : x(s), y(s), z(s) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T s) constant : x(s), y(s), z(s){})
  EMU_INLINE constexpr vec(T a, T b, T c) : x(a), y(b), z(c) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T a, T b, T c) constant : x(a), y(b), z(c){})
  EMU_INLINE constexpr vec(T c0, T c1) : x(c0), y(c1), z(T(0)) {}
  EMU_INLINE constexpr vec(vec<T, 2> a, T b) : x(a.x), y(a.y), z(b) {}
  EMU_INLINE constexpr vec(T a, vec<T, 2> b) : x(a), y(b.x), z(b.y) {}
  template <class U>
  EMU_INLINE constexpr vec(emu_convert, vec<U, 3> o) : x(emu_to<T>(o.x)), y(emu_to<T>(o.y)), z(emu_to<T>(o.z)) {}
  EMU_VEC_CONVERSIONS(3)
#include "vec_operators.h"
};

template <class T>
struct vec<T, 4> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T emu_d[4];
    emu_native<T, 4> emu_v;
    emu_swizzle_members_4
  };
  EMU_VEC_COMMON(4)
  EMU_VEC_COPY_WHOLE(4)
  EMU_INLINE constexpr vec(T s) : x(s), y(s), z(s), w(s) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T s) constant : x(s), y(s), z(s), w(s){})
  EMU_INLINE constexpr vec(T c0, T c1, T c2, T c3) : x(c0), y(c1), z(c2), w(c3) {}
  EMU_IF_CONSTANT(EMU_INLINE constexpr vec(T c0, T c1, T c2, T c3) constant : x(c0), y(c1), z(c2), w(c3){})
  EMU_INLINE constexpr vec(T c0, T c1) : x(c0), y(c1), z(T(0)), w(T(0)) {}
  EMU_INLINE constexpr vec(T c0, T c1, T c2) : x(c0), y(c1), z(c2), w(T(0)) {}
  EMU_INLINE constexpr vec(vec<T, 2> p, T c2, T c3) : x(p.x), y(p.y), z(c2), w(c3) {}
  EMU_INLINE constexpr vec(T c0, vec<T, 2> p, T c3) : x(c0), y(p.x), z(p.y), w(c3) {}
  EMU_INLINE constexpr vec(T c0, T c1, vec<T, 2> p) : x(c0), y(c1), z(p.x), w(p.y) {}
  EMU_INLINE constexpr vec(vec<T, 2> p, vec<T, 2> q) : x(p.x), y(p.y), z(q.x), w(q.y) {}
  EMU_INLINE constexpr vec(vec<T, 3> p, T c3) : x(p.x), y(p.y), z(p.z), w(c3) {}
  EMU_INLINE constexpr vec(T c0, vec<T, 3> p) : x(c0), y(p.x), z(p.y), w(p.z) {}
  template <class U>
  EMU_INLINE constexpr vec(emu_convert, vec<U, 4> o)
      : x(emu_to<T>(o.x)), y(emu_to<T>(o.y)), z(emu_to<T>(o.z)), w(emu_to<T>(o.w)) {}
  EMU_VEC_CONVERSIONS(4)
#include "vec_operators.h"
};

/// Wider vectors exist for kernels that use the compiler's internal widths (MLX); they have no component names.
template <class T, int N>
struct vec {
  static_assert(N == 8 || N == 16, "vectors have 2, 3, 4, 8 or 16 components");
  union {
    T emu_d[N];
    emu_native<T, N> emu_v;
  };
  EMU_VEC_COMMON(N)
  EMU_VEC_COPY_WHOLE(N)
  EMU_INLINE vec(T s) {
    for (int i = 0; i < N; ++i) emu_d[i] = s;
  }
  template <class... A, class = enable_if_t<sizeof...(A) == N>>
  EMU_INLINE vec(A... a) : emu_d{T(a)...} {}
  template <class U>
  EMU_INLINE vec(emu_convert, vec<U, N> o) {
    for (int i = 0; i < N; ++i) emu_d[i] = emu_to<T>(o.emu_d[i]);
  }
  EMU_VEC_CONVERSIONS(N)
#include "vec_operators.h"
};

/// One component.
template <class T>
struct vec<T, 1>;

}  // namespace metal
