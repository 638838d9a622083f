// <metal_geometric>: vectors as directions. Sums run upwards over the components in float and are rounded once.
#pragma once
#pragma clang system_header

#include "common.h"

namespace metal {

template <class V>
EMU_INLINE emu_element_t<V> emu_dot(V a, V b) {
  using T = emu_element_t<V>;
  emu_wide_t<T> sum = emu_wide_t<T>(a[0]) * emu_wide_t<T>(b[0]);
  for (int i = 1; i < emu_value<V>::width; ++i) sum += emu_wide_t<T>(a[i]) * emu_wide_t<T>(b[i]);
  return T(sum);
}

template <class A, class B, class V = emu_result_t<A, B>, class = enable_if_t<(emu_value<V>::width > 1)>>
EMU_INLINE emu_element_t<V> dot(A a, B b) {
  return emu_dot(V(a), V(b));
}
template <class A, class V = emu_real_t<A>, class = enable_if_t<(emu_value<V>::width > 1)>>
EMU_INLINE emu_element_t<V> length_squared(A a) {
  return emu_dot(V(a), V(a));
}
template <class A, class V = emu_real_t<A>>
EMU_INLINE emu_element_t<V> length(A a) {
  if constexpr (emu_value<V>::width == 1)
    return fabs(a);
  else
    return sqrt(emu_dot(V(a), V(a)));
}
template <class A, class B, class V = emu_real_t<A, B>>
EMU_INLINE emu_element_t<V> distance(A a, B b) {
  return length(V(V(a) - V(b)));
}
template <class A, class B, class V = emu_real_t<A, B>>
EMU_INLINE emu_element_t<V> distance_squared(A a, B b) {
  return length_squared(V(V(a) - V(b)));
}
template <class A, class V = emu_real_t<A>>
EMU_INLINE V normalize(A a) {
  return V(V(a) * V(rsqrt(emu_dot(V(a), V(a)))));
}
template <class A, class B, class V = emu_real_t<A, B>, class = enable_if_t<emu_value<V>::width == 3>>
EMU_INLINE V cross(A a, B b) {
  V u(a), v(b);
  using T = emu_element_t<V>;
  return V(T(u.y * v.z - u.z * v.y), T(u.z * v.x - u.x * v.z), T(u.x * v.y - u.y * v.x));
}
template <class A, class B, class C, class V = emu_real_t<A, B, C>>
EMU_INLINE V faceforward(A n, B incident, C reference) {
  return emu_dot(V(incident), V(reference)) < 0 ? V(n) : V(-V(n));
}
template <class A, class B, class V = emu_real_t<A, B>>
EMU_INLINE V reflect(A incident, B n) {
  using T = emu_element_t<V>;
  return V(V(incident) - V(n) * V(T(2 * emu_dot(V(n), V(incident)))));
}
template <class A, class B, class E, class V = emu_real_t<A, B>>
EMU_INLINE V refract(A incident, B n, E ratio) {
  using T = emu_element_t<V>;
  const T eta = T(ratio), cosine = emu_dot(V(n), V(incident));
  const T k = T(1 - eta * eta * (1 - cosine * cosine));
  return k < 0 ? V(T(0)) : V(V(incident) * V(eta) - V(n) * V(T(eta * cosine + sqrt(k))));
}

}  // namespace metal
