// <metal_common>, and what integers and real numbers share: min, max, clamp, abs, select, mix.
#pragma once
#pragma clang system_header

#include "math.h"

namespace metal {

struct emu_do_min {
  template <class T>
  EMU_INLINE static T at(T x, T y) {
    if constexpr (is_floating_point_v<T>)
      return T(__builtin_fminf(float(x), float(y)));
    else
      return y < x ? y : x;
  }
};
struct emu_do_max {
  template <class T>
  EMU_INLINE static T at(T x, T y) {
    if constexpr (is_floating_point_v<T>)
      return T(__builtin_fmaxf(float(x), float(y)));
    else
      return x < y ? y : x;
  }
};
struct emu_do_abs {
  template <class T>
  EMU_INLINE static T at(T x) {
    if constexpr (is_floating_point_v<T>)
      return T(__builtin_fabsf(float(x)));
    else if constexpr (is_unsigned_v<T>)
      return x;
    else
      return x < 0 ? T(0ul - static_cast<ulong>(x)) : x;
  }
};

template <class A, class B, class R = emu_number_t<A, B>>
EMU_INLINE R min(A x, B y) {
  return emu_each<emu_do_min, R, R>(x, y);
}
template <class A, class B, class R = emu_number_t<A, B>>
EMU_INLINE R max(A x, B y) {
  return emu_each<emu_do_max, R, R>(x, y);
}
template <class A, class B, class C, class R = emu_number_t<A, B, C>>
EMU_INLINE R min3(A x, B y, C z) {
  return min(R(x), min(R(y), R(z)));
}
template <class A, class B, class C, class R = emu_number_t<A, B, C>>
EMU_INLINE R max3(A x, B y, C z) {
  return max(R(x), max(R(y), R(z)));
}
template <class A, class B, class C, class R = emu_number_t<A, B, C>>
EMU_INLINE R median3(A x, B y, C z) {
  return max(min(R(x), R(y)), min(max(R(x), R(y)), R(z)));
}
/// min(max(x, low), high): a NaN gives low.
template <class A, class B, class C, class R = emu_number_t<A, B, C>>
EMU_INLINE R clamp(A x, B low, C high) {
  return min(max(R(x), R(low)), R(high));
}
template <class A, class R = emu_number_t<A>>
EMU_INLINE R abs(A x) {
  return emu_each<emu_do_abs, R, R>(x);
}
// As in math.h: the scalars have overloads that are no templates.
#define EMU_SCALAR(T)                                                       \
  EMU_INLINE T min(T x, T y) { return emu_do_min::at(x, y); }               \
  EMU_INLINE T max(T x, T y) { return emu_do_max::at(x, y); }               \
  EMU_INLINE T clamp(T x, T low, T high) { return min(max(x, low), high); } \
  EMU_INLINE T abs(T x) { return emu_do_abs::at(x); }
EMU_SCALAR(char)
EMU_SCALAR(uchar)
EMU_SCALAR(short)
EMU_SCALAR(ushort)
EMU_SCALAR(int)
EMU_SCALAR(uint)
EMU_SCALAR(long)
EMU_SCALAR(ulong)
EMU_SCALAR(half)
EMU_SCALAR(float)
#undef EMU_SCALAR
/// x + (y - x) * a
template <class A, class B, class C, class R = emu_real_t<A, B, C>>
EMU_INLINE R mix(A x, B y, C a) {
  return R(R(x) + R(R(y) - R(x)) * R(a));
}
template <class A, class B, class C, class R = emu_real_t<A, B, C>>
EMU_INLINE R smoothstep(A low, B high, C x) {
  R t = saturate(R(R(R(x) - R(low)) / R(R(high) - R(low))));
  return R(t * t * R(R(3) - R(2) * t));
}
template <class A, class R = emu_truth_t<A>>
EMU_INLINE R isnormal(A x) {
  using V = emu_real_t<A>;
  using T = emu_element_t<V>;
  const float smallest = __is_same(T, half) ? 0x1p-14f : 0x1p-126f;
  R finite = isfinite(x);
  V magnitude = fabs(x);
  return R(finite && R(magnitude >= V(T(smallest))));
}

/// Element by element: c ? b : a.
template <class A, class B, class C, class R = emu_result_t<A, B>, class = emu_value_t<C>>
EMU_INLINE R select(A a, B b, C c) {
  R x(a), y(b);
  if constexpr (emu_value<C>::width == 1) {
    return c ? y : x;
  } else {
    emu_value_t<C> which(c);
    R r;
    for (int i = 0; i < emu_value<R>::width; ++i) r[i] = which[i] ? y[i] : x[i];
    return r;
  }
}
template <class A, class R = emu_real_t<A>>
EMU_INLINE R fract(A x) {
  using T = emu_element_t<R>;
  // The largest number below one of each type.
  const float below_one = sizeof(T) == 4 ? 0x1.fffffep-1f : __is_same(T, half) ? 0x1.ffcp-1f : 0x1.fep-1f;
  const R part = R(R(x) - floor(R(x)));
  return select(part, R(T(below_one)), part >= R(T(1)));
}
template <class A, class R = emu_real_t<A>>
EMU_INLINE R modf(A x, R& whole) {
  whole = trunc(R(x));
  return copysign(select(R(R(x) - whole), R(0), isinf(R(x))), R(x));
}
template <class A, class V = emu_value_t<A>>
EMU_INLINE bool any(A a) {
  V v(a);
  bool r = false;
  if constexpr (emu_value<A>::width == 1)
    r = bool(v);
  else
    for (int i = 0; i < emu_value<A>::width; ++i) r |= bool(v[i]);
  return r;
}
template <class A, class V = emu_value_t<A>>
EMU_INLINE bool all(A a) {
  V v(a);
  bool r = true;
  if constexpr (emu_value<A>::width == 1)
    r = bool(v);
  else
    for (int i = 0; i < emu_value<A>::width; ++i) r &= bool(v[i]);
  return r;
}

}  // namespace metal
