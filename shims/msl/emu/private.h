// The compiler's private functions that public kernels call by name. The last argument of the mathematical ones picks
// precise or fast functions, which are the same here.
#pragma once
#pragma clang system_header

#include "fragment.h"

enum { __METAL_MAYBE_FAST_MATH__ = 0, __METAL_FAST_MATH__ = 1, __METAL_PRECISE_MATH__ = 2 };

#define EMU_PRIVATE_1(name)                      \
  template <class A>                             \
  EMU_INLINE auto __metal_##name(A x, int = 0) { \
    return metal::name(x);                       \
  }
#define EMU_PRIVATE_2(name)                           \
  template <class A, class B>                         \
  EMU_INLINE auto __metal_##name(A x, B y, int = 0) { \
    return metal::name(x, y);                         \
  }
#define EMU_PRIVATE_3(name)                                \
  template <class A, class B, class C>                     \
  EMU_INLINE auto __metal_##name(A x, B y, C z, int = 0) { \
    return metal::name(x, y, z);                           \
  }
EMU_PRIVATE_1(fabs)
EMU_PRIVATE_1(acos)
EMU_PRIVATE_1(acosh)
EMU_PRIVATE_1(asin)
EMU_PRIVATE_1(asinh)
EMU_PRIVATE_1(atan)
EMU_PRIVATE_1(atanh)
EMU_PRIVATE_1(ceil)
EMU_PRIVATE_1(cos)
EMU_PRIVATE_1(cosh)
EMU_PRIVATE_1(cospi)
EMU_PRIVATE_1(exp)
EMU_PRIVATE_1(exp10)
EMU_PRIVATE_1(exp2)
EMU_PRIVATE_1(floor)
EMU_PRIVATE_1(fract)
EMU_PRIVATE_1(isfinite)
EMU_PRIVATE_1(isinf)
EMU_PRIVATE_1(isnan)
EMU_PRIVATE_1(log)
EMU_PRIVATE_1(log10)
EMU_PRIVATE_1(log2)
EMU_PRIVATE_1(rint)
EMU_PRIVATE_1(round)
EMU_PRIVATE_1(rsqrt)
EMU_PRIVATE_1(saturate)
EMU_PRIVATE_1(sign)
EMU_PRIVATE_1(sin)
EMU_PRIVATE_1(sinh)
EMU_PRIVATE_1(sinpi)
EMU_PRIVATE_1(sqrt)
EMU_PRIVATE_1(tan)
EMU_PRIVATE_1(tanh)
EMU_PRIVATE_1(tanpi)
EMU_PRIVATE_1(trunc)
EMU_PRIVATE_2(atan2)
EMU_PRIVATE_2(copysign)
EMU_PRIVATE_2(divide)
EMU_PRIVATE_2(fdim)
EMU_PRIVATE_2(fmax)
EMU_PRIVATE_2(fmin)
EMU_PRIVATE_2(fmod)
EMU_PRIVATE_2(ldexp)
EMU_PRIVATE_2(nextafter)
EMU_PRIVATE_2(pow)
EMU_PRIVATE_2(powr)
EMU_PRIVATE_3(fma)
EMU_PRIVATE_3(fmax3)
EMU_PRIVATE_3(fmin3)
EMU_PRIVATE_3(fmedian3)
#undef EMU_PRIVATE_1
#undef EMU_PRIVATE_2
#undef EMU_PRIVATE_3

EMU_INLINE float __metal_frexp(float x, int* exponent) { return metal::frexp(x, *exponent); }

EMU_INLINE ushort __metal_get_thread_index_in_simdgroup(ushort) { return ushort(metal::emu_lane_index()); }
EMU_INLINE ushort __metal_get_simdgroup_size(ushort) { return EMU_SIMD_WIDTH; }
EMU_INLINE ushort __metal_get_threads_per_simdgroup(ushort) { return EMU_SIMD_WIDTH; }
EMU_INLINE ushort __metal_get_simdgroup_index_in_threadgroup(ushort) {
  return ushort(emu_this_lane()->simdgroup_index_in_threadgroup);
}

#define EMU_PRIVATE(name)                              \
  template <class A>                                   \
  EMU_INLINE auto __metal_##name(A value, EMU_PLACE) { \
    return metal::name(value, EMU_AT);                 \
  }
EMU_PRIVATE(simd_sum)
EMU_PRIVATE(simd_product)
EMU_PRIVATE(simd_min)
EMU_PRIVATE(simd_max)
EMU_PRIVATE(simd_and)
EMU_PRIVATE(simd_or)
EMU_PRIVATE(simd_xor)
EMU_PRIVATE(simd_prefix_inclusive_sum)
EMU_PRIVATE(simd_prefix_exclusive_sum)
EMU_PRIVATE(simd_prefix_inclusive_product)
EMU_PRIVATE(simd_prefix_exclusive_product)
EMU_PRIVATE(simd_broadcast_first)
#undef EMU_PRIVATE
#define EMU_PRIVATE(name)                                        \
  template <class A>                                             \
  EMU_INLINE auto __metal_##name(A value, ushort p, EMU_PLACE) { \
    return metal::name(value, p, EMU_AT);                        \
  }
EMU_PRIVATE(simd_broadcast)
EMU_PRIVATE(simd_shuffle)
EMU_PRIVATE(simd_shuffle_xor)
EMU_PRIVATE(simd_shuffle_up)
EMU_PRIVATE(simd_shuffle_down)
EMU_PRIVATE(simd_shuffle_rotate_up)
EMU_PRIVATE(simd_shuffle_rotate_down)
#undef EMU_PRIVATE
#define EMU_PRIVATE(name)                                                                   \
  template <class A>                                                                        \
  EMU_INLINE auto __metal_##name(A value, A fill, ushort delta, ushort modulo, EMU_PLACE) { \
    return metal::name(value, fill, delta, modulo, EMU_AT);                                 \
  }
EMU_PRIVATE(simd_shuffle_and_fill_up)
EMU_PRIVATE(simd_shuffle_and_fill_down)
#undef EMU_PRIVATE
