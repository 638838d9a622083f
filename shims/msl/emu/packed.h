// packed_vec<T, N>: N elements in a row, aligned as one. Converts to and from vec, which does the arithmetic.
#pragma once
#pragma clang system_header

#include "vec.h"

namespace metal {

template <class T, int N>
struct emu_packed_store;
template <class T>
struct emu_packed_store<T, 2> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T emu_d[2];
    emu_swizzle_members_2
  };
};
template <class T>
struct emu_packed_store<T, 3> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T emu_d[3];
    emu_swizzle_members_3
  };
};
template <class T>
struct emu_packed_store<T, 4> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T emu_d[4];
    emu_swizzle_members_4
  };
};

template <class V, class T, int N>
struct emu_packed : emu_packed_store<T, N> {
  using emu_packed_store<T, N>::emu_d;
  using emu_element = T;
  emu_packed() = default;
  emu_packed(const emu_packed&) = default;
  EMU_INLINE emu_packed& operator=(const emu_packed& other) {
    const V v = other;
    for (int i = 0; i < N; ++i) emu_d[i] = v[i];
    return *this;
  }
  EMU_INLINE emu_packed(V v) {
    for (int i = 0; i < N; ++i) emu_d[i] = v[i];
  }
  EMU_INLINE emu_packed(T s) : emu_packed(V(s)) {}
  template <class A, class B, class... C, class = enable_if_t<sizeof...(C) + 2 <= N>>
  EMU_INLINE emu_packed(A a, B b, C... c) : emu_packed(V(a, b, c...)) {}
  template <class U, class = enable_if_t<!__is_same(U, T)>>
  EMU_INLINE explicit emu_packed(vec<U, N> v) : emu_packed(V(v)) {}
  EMU_INLINE operator V() const { return emu_read(*this); }
  EMU_INLINE T& operator[](long i) { return emu_d[i]; }
  EMU_INLINE const T& operator[](long i) const { return emu_d[i]; }
#if defined(EMU_OPENCL)
  template <class U, class = enable_if_t<__is_same(U, T)>>
  EMU_INLINE emu_packed(const constant emu_packed<V, U, N>& other) : emu_packed(emu_read(other)) {}
  template <class U, class = enable_if_t<__is_same(U, T)>>
  EMU_INLINE emu_packed& operator=(const constant emu_packed<V, U, N>& other) {
    return *this = emu_packed(emu_read(other));
  }
  EMU_INLINE operator V() const constant { return emu_read(*this); }
  EMU_INLINE const constant T& operator[](long i) const constant { return emu_d[i]; }
#endif
#define EMU_COMPOUND(op) \
  EMU_INLINE emu_packed& operator op##=(V other) { return *this = emu_packed(V(*this) op other); }
  EMU_EACH_COMPOUND(EMU_COMPOUND)
#undef EMU_COMPOUND

 private:
  template <class S>
  EMU_INLINE static V emu_read(S& source) {
    V v;
    for (int i = 0; i < N; ++i) v[i] = source.emu_d[i];
    return v;
  }
};

template <class T, int N>
using packed_vec = emu_packed<vec<T, N>, T, N>;

}  // namespace metal
