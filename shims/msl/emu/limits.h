// <metal_limits>: numeric_limits and the macros.
#pragma once
#pragma clang system_header

#include "traits.h"

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VALH half(__builtin_inff())
#define MAXFLOAT __FLT_MAX__
#define MAXHALF half(65504.0f)

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul

#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FLT_DECIMAL_DIG 9
#define FLT_TRUE_MIN 0x1.0p-149f
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX half(65504.0f)
#define HALF_MIN half(0x1.0p-14f)
#define HALF_EPSILON half(0x1.0p-10f)
#define BFLT_MAX bfloat(0x1.fep127f)
#define BFLT_MIN bfloat(0x1.0p-126f)
#define BFLT_EPSILON bfloat(0x1.0p-7f)

#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_E_H half(M_E_F)
#define M_LOG2E_H half(M_LOG2E_F)
#define M_LOG10E_H half(M_LOG10E_F)
#define M_LN2_H half(M_LN2_F)
#define M_LN10_H half(M_LN10_F)
#define M_PI_H half(M_PI_F)
#define M_PI_2_H half(M_PI_2_F)
#define M_PI_4_H half(M_PI_4_F)
#define M_1_PI_H half(M_1_PI_F)
#define M_2_PI_H half(M_2_PI_F)
#define M_2_SQRTPI_H half(M_2_SQRTPI_F)
#define M_SQRT2_H half(M_SQRT2_F)
#define M_SQRT1_2_H half(M_SQRT1_2_F)
#define M_PI_BF bfloat(M_PI_F)
#define M_E_BF bfloat(M_E_F)
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)

namespace metal {

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};

template <class T, bool is_sign>
struct emu_integer_limits {
  static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_signed = is_sign;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, is_bounded = true, is_modulo = !is_sign;
  static constexpr int radix = 2, digits = (__is_same(T, bool) ? 1 : int(8 * sizeof(T)) - is_sign);
  static constexpr int digits10 = digits * 30103 / 100000;
  static constexpr T max() { return T(~0ul >> (64 - digits)); }
  static constexpr T min() { return is_sign ? T(-long(max()) - 1) : T(0); }
  static constexpr T lowest() { return min(); }
  static constexpr T epsilon() { return 0; }
  static constexpr T infinity() { return 0; }
  static constexpr T quiet_NaN() { return 0; }
};
#define EMU_LIMITS(T) \
  template <>         \
  struct numeric_limits<T> : emu_integer_limits<T, __is_signed(T)> {};
EMU_LIMITS(bool)
EMU_LIMITS(char)
EMU_LIMITS(signed char)
EMU_LIMITS(uchar)
EMU_LIMITS(short)
EMU_LIMITS(ushort)
EMU_LIMITS(int)
EMU_LIMITS(uint)
EMU_LIMITS(long)
EMU_LIMITS(ulong)
#undef EMU_LIMITS

// The float values are exact in the type.
#define EMU_LIMITS(T, bits, largest, smallest, eps, least, exponent_max, exponent_min)                     \
  template <>                                                                                              \
  struct numeric_limits<T> {                                                                               \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false, is_signed = true;   \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_bounded = true, is_modulo = false; \
    static constexpr bool has_denorm = true, has_signaling_NaN = true, is_iec559 = true;                   \
    static constexpr int radix = 2, digits = bits, digits10 = (bits - 1) * 30103 / 100000;                 \
    static constexpr int max_digits10 = bits * 30103 / 100000 + 2;                                         \
    static constexpr int max_exponent = exponent_max, min_exponent = exponent_min;                         \
    static constexpr T max() { return T(largest); }                                                        \
    static constexpr T min() { return T(smallest); }                                                       \
    static constexpr T lowest() { return T(-(largest)); }                                                  \
    static constexpr T epsilon() { return T(eps); }                                                        \
    static constexpr T denorm_min() { return T(least); }                                                   \
    static constexpr T infinity() { return T(__builtin_inff()); }                                          \
    static constexpr T quiet_NaN() { return T(__builtin_nanf("")); }                                       \
    static constexpr T signaling_NaN() { return T(__builtin_nanf("")); }                                   \
    static constexpr T round_error() { return T(0.5f); }                                                   \
  };
EMU_LIMITS(float, 24, 0x1.fffffep127f, 0x1p-126f, 0x1p-23f, 0x1p-149f, 128, -125)
EMU_LIMITS(half, 11, 65504.0f, 0x1p-14f, 0x1p-10f, 0x1p-24f, 16, -13)
EMU_LIMITS(bfloat, 8, 0x1.fep127f, 0x1p-126f, 0x1p-7f, 0x1p-133f, 128, -125)
#undef EMU_LIMITS

}  // namespace metal
