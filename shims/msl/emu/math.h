// <metal_math>: functions of real numbers. Each is computed in float (or double where float would lose bits) and
// rounded once to half or bfloat. precise:: and fast:: are the same functions: what the emulator computes is within the
// bounds of both.
#pragma once
#pragma clang system_header

#include "value.h"

namespace metal {

// Pi as a double: literals are of single precision.
EMU_INLINE double emu_pi() { return __builtin_bit_cast(double, 0x400921fb54442d18ul); }

// The argument of sinpi and its kin, reduced to [-1, 1]: exact.
EMU_INLINE double emu_half_turns(float x) { return double(x) - 2 * __builtin_rint(double(x) / 2); }
EMU_INLINE float emu_sinpi(float x) {
  const double turns = emu_half_turns(x);
  const double folded = __builtin_fabs(turns) > 0.5 ? __builtin_copysign(double(1), turns) - turns : turns;
  return float(__builtin_sin(emu_pi() * folded));
}
EMU_INLINE float emu_cospi(float x) {
  double turns = __builtin_fabs(emu_half_turns(x));
  return turns == 0.5 ? 0.0f : float(__builtin_cos(emu_pi() * turns));
}
EMU_INLINE float emu_median3(float x, float y, float z) {
  return __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z));
}
EMU_INLINE float emu_sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f; }

// Scalars of float and half have overloads that are no templates, as in MSL: where a kernel brings a template of the
// same name into view, these are preferred to it.
#define EMU_REAL_1(name, ...)                                         \
  struct emu_do_##name {                                              \
    EMU_INLINE static float at(float x) { return __VA_ARGS__; }       \
  };                                                                  \
  EMU_INLINE float name(float x) { return emu_do_##name::at(x); }     \
  EMU_INLINE half name(half x) { return half(emu_do_##name::at(x)); } \
  template <class A, class R = emu_real_t<A>>                         \
  EMU_INLINE R name(A x) {                                            \
    return emu_each<emu_do_##name, R, R>(x);                          \
  }
#define EMU_REAL_2(name, ...)                                                    \
  struct emu_do_##name {                                                         \
    EMU_INLINE static float at(float x, float y) { return __VA_ARGS__; }         \
  };                                                                             \
  EMU_INLINE float name(float x, float y) { return emu_do_##name::at(x, y); }    \
  EMU_INLINE half name(half x, half y) { return half(emu_do_##name::at(x, y)); } \
  template <class A, class B, class R = emu_real_t<A, B>>                        \
  EMU_INLINE R name(A x, B y) {                                                  \
    return emu_each<emu_do_##name, R, R>(x, y);                                  \
  }
#define EMU_REAL_3(name, ...)                                                               \
  struct emu_do_##name {                                                                    \
    EMU_INLINE static float at(float x, float y, float z) { return __VA_ARGS__; }           \
  };                                                                                        \
  EMU_INLINE float name(float x, float y, float z) { return emu_do_##name::at(x, y, z); }   \
  EMU_INLINE half name(half x, half y, half z) { return half(emu_do_##name::at(x, y, z)); } \
  template <class A, class B, class C, class R = emu_real_t<A, B, C>>                       \
  EMU_INLINE R name(A x, B y, C z) {                                                        \
    return emu_each<emu_do_##name, R, R>(x, y, z);                                          \
  }
#define EMU_TRUTH_1(name, ...)                                   \
  struct emu_do_##name {                                         \
    EMU_INLINE static bool at(float x) { return __VA_ARGS__; }   \
  };                                                             \
  EMU_INLINE bool name(float x) { return emu_do_##name::at(x); } \
  EMU_INLINE bool name(half x) { return emu_do_##name::at(x); }  \
  template <class A, class R = emu_truth_t<A>>                   \
  EMU_INLINE R name(A x) {                                       \
    return emu_each<emu_do_##name, R, emu_real_t<A>>(x);         \
  }
#define EMU_TRUTH_2(name, ...)                                               \
  struct emu_do_##name {                                                     \
    EMU_INLINE static bool at(float x, float y) { return __VA_ARGS__; }      \
  };                                                                         \
  EMU_INLINE bool name(float x, float y) { return emu_do_##name::at(x, y); } \
  EMU_INLINE bool name(half x, half y) { return emu_do_##name::at(x, y); }   \
  template <class A, class B, class R = emu_truth_t<A, B>>                   \
  EMU_INLINE R name(A x, B y) {                                              \
    return emu_each<emu_do_##name, R, emu_real_t<A, B>>(x, y);               \
  }

#include "math_table.h"

#undef EMU_REAL_1
#undef EMU_REAL_2
#undef EMU_REAL_3
#undef EMU_TRUTH_1
#undef EMU_TRUTH_2

// Results that are not one number. R: the type of the real argument.

template <class A, class R = emu_real_t<A>>
EMU_INLINE R sincos(A x, R& cosine) {
  cosine = cos(R(x));
  return sin(R(x));
}

struct emu_do_ldexp {
  EMU_INLINE static float at(float x, int k) { return __builtin_ldexpf(x, k); }
};
struct emu_do_frexp_exponent {
  EMU_INLINE static int at(float x) {
    int exponent = 0;
    (void)__builtin_frexpf(x, &exponent);
    return exponent;
  }
};
struct emu_do_frexp {
  EMU_INLINE static float at(float x) {
    int exponent = 0;
    return __builtin_frexpf(x, &exponent);
  }
};
struct emu_do_ilogb {
  EMU_INLINE static int at(float x) { return __builtin_ilogbf(x); }
};
template <class A>
using emu_exponent_t = emu_widen_t<int, emu_value<A>::width>;
template <class A, class K, class R = emu_real_t<A>>
EMU_INLINE R ldexp(A x, K k) {
  emu_exponent_t<A> exponent(k);
  R value(x), r;
  if constexpr (emu_value<R>::width == 1) {
    return R(emu_do_ldexp::at(value, exponent));
  } else {
    for (int i = 0; i < emu_value<R>::width; ++i) r[i] = emu_element_t<R>(emu_do_ldexp::at(value[i], exponent[i]));
    return r;
  }
}
template <class A, class R = emu_real_t<A>>
EMU_INLINE R frexp(A x, emu_exponent_t<A>& exponent) {
  exponent = emu_each<emu_do_frexp_exponent, emu_exponent_t<A>, R>(x);
  return emu_each<emu_do_frexp, R, R>(x);
}
template <class A, class R = emu_exponent_t<A>>
EMU_INLINE R ilogb(A x) {
  return emu_each<emu_do_ilogb, R, emu_real_t<A>>(x);
}

// The next number of the type itself.
template <class T>
EMU_INLINE T emu_nextafter(T x, T y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  using U = conditional_t<sizeof(T) == 4, uint, ushort>;
  constexpr U sign = U(U(1) << (8 * sizeof(T) - 1));
  U bits = __builtin_bit_cast(U, x);
  if (x == 0) return __builtin_bit_cast(T, U(y > 0 ? 1 : sign | 1));
  bits = (x < y) == (x > 0) ? bits + 1 : bits - 1;
  return __builtin_bit_cast(T, bits);
}
struct emu_do_nextafter {
  template <class T>
  EMU_INLINE static T at(T x, T y) {
    return emu_nextafter(x, y);
  }
};
template <class A, class B, class R = emu_real_t<A, B>>
EMU_INLINE R nextafter(A x, B y) {
  return emu_each<emu_do_nextafter, R, R>(x, y);
}

}  // namespace metal
