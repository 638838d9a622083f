// <metal_integer>: element by element on scalars and vectors of integers.
#pragma once
#pragma clang system_header

#include "common.h"
#include "limits.h"

namespace metal {

template <class T>
constexpr uint emu_width_of = 8 * sizeof(T);
template <class T>
using emu_unsigned_t = __make_unsigned(T);
// Wide enough for a sum or product of two values of at most 32 bits; 128 bits for longer ones.
template <class T>
using emu_double_width_t = conditional_t<(sizeof(T) < 8), conditional_t<__is_signed(T), long, ulong>,
                                         conditional_t<__is_signed(T), __int128, unsigned __int128>>;

#define EMU_INTEGER_1(name, ...)               \
  struct emu_do_##name {                       \
    template <class T>                         \
    EMU_INLINE static T at(T x) {              \
      using U = emu_unsigned_t<T>;             \
      constexpr uint bits = emu_width_of<T>;   \
      return T(__VA_ARGS__);                   \
    }                                          \
  };                                           \
  template <class A, class R = emu_value_t<A>> \
  EMU_INLINE R name(A x) {                     \
    return emu_each<emu_do_##name, R, R>(x);   \
  }
#define EMU_INTEGER_2(name, ...)                            \
  struct emu_do_##name {                                    \
    template <class T>                                      \
    EMU_INLINE static T at(T x, T y) {                      \
      using U = emu_unsigned_t<T>;                          \
      using W = emu_double_width_t<T>;                      \
      constexpr uint bits = emu_width_of<T>;                \
      return T(__VA_ARGS__);                                \
    }                                                       \
  };                                                        \
  template <class A, class B, class R = emu_result_t<A, B>> \
  EMU_INLINE R name(A x, B y) {                             \
    return emu_each<emu_do_##name, R, R>(x, y);             \
  }
#define EMU_INTEGER_3(name, ...)                                        \
  struct emu_do_##name {                                                \
    template <class T>                                                  \
    EMU_INLINE static T at(T x, T y, T z) {                             \
      using U = emu_unsigned_t<T>;                                      \
      using W = emu_double_width_t<T>;                                  \
      constexpr uint bits = emu_width_of<T>;                            \
      return T(__VA_ARGS__);                                            \
    }                                                                   \
  };                                                                    \
  template <class A, class B, class C, class R = emu_result_t<A, B, C>> \
  EMU_INLINE R name(A x, B y, C z) {                                    \
    return emu_each<emu_do_##name, R, R>(x, y, z);                      \
  }

template <class T>
EMU_INLINE T emu_saturated(emu_double_width_t<T> wide) {
  const T low = numeric_limits<T>::min(), high = numeric_limits<T>::max();
  return wide < low ? low : wide > high ? high : T(wide);
}
// Unsigned differences are made in signed numbers of twice the width.
template <class T>
EMU_INLINE T emu_subsat(T x, T y) {
  if constexpr (__is_unsigned(T))
    return x < y ? T(0) : T(x - y);
  else
    return emu_saturated<T>(emu_double_width_t<T>(x) - y);
}
template <class U>
EMU_INLINE U emu_reversed(U x) {
  if constexpr (sizeof(U) == 1) return __builtin_bitreverse8(x);
  if constexpr (sizeof(U) == 2) return __builtin_bitreverse16(x);
  if constexpr (sizeof(U) == 4) return __builtin_bitreverse32(x);
  if constexpr (sizeof(U) == 8) return __builtin_bitreverse64(x);
}
EMU_INLINE int emu_low24(int x) { return int(uint(x) << 8) >> 8; }
EMU_INLINE uint emu_low24(uint x) { return x & 0xffffffu; }

EMU_INTEGER_1(popcount, __builtin_popcountl(ulong(U(x))))
EMU_INTEGER_1(clz, x == 0 ? bits : __builtin_clzl(ulong(U(x))) - (64 - bits))
EMU_INTEGER_1(ctz, x == 0 ? bits : __builtin_ctzl(ulong(U(x))))
EMU_INTEGER_1(reverse_bits, emu_reversed(U(x)))
EMU_INTEGER_2(absdiff, x < y ? U(y) - U(x) : U(x) - U(y))
EMU_INTEGER_2(addsat, emu_saturated<T>(W(x) + W(y)))
EMU_INTEGER_2(subsat, emu_subsat(x, y))
EMU_INTEGER_2(hadd, (W(x) + W(y)) >> 1)
EMU_INTEGER_2(rhadd, (W(x) + W(y) + 1) >> 1)
EMU_INTEGER_2(mulhi, (W(x) * W(y)) >> bits)
EMU_INTEGER_2(mul24, U(emu_low24(x)) * U(emu_low24(y)))
EMU_INTEGER_2(rotate, (U(x) << (U(y) & (bits - 1))) | (U(x) >> ((bits - (U(y) & (bits - 1))) & (bits - 1))))
EMU_INTEGER_3(mad24, U(emu_low24(x)) * U(emu_low24(y)) + U(z))
EMU_INTEGER_3(madhi, U((W(x) * W(y)) >> bits) + U(z))
EMU_INTEGER_3(madsat, emu_saturated<T>(W(x) * W(y) + W(z)))
#undef EMU_INTEGER_1
#undef EMU_INTEGER_2
#undef EMU_INTEGER_3

/// `count` bits from `offset`, sign-extended for signed types.
template <class T>
EMU_INLINE T emu_extracted(T x, uint offset, uint count) {
  constexpr uint bits = emu_width_of<T>;
  if (count == 0 || offset >= bits) return 0;
  if (count >= bits) return T(x >> offset);
  return T(T(emu_unsigned_t<T>(x) << (bits - offset - count)) >> (bits - count));
}
template <class T>
EMU_INLINE T emu_inserted(T base, T insert, uint offset, uint count) {
  constexpr uint bits = emu_width_of<T>;
  using U = emu_unsigned_t<T>;
  if (count == 0 || offset >= bits) return base;
  const U ones = count >= bits ? U(~U(0)) : U((U(1) << count) - 1);
  const U mask = U(ones << offset);
  return T((U(base) & ~mask) | (U(U(insert) << offset) & mask));
}
template <class A, class R = emu_value_t<A>>
EMU_INLINE R extract_bits(A x, uint offset, uint count) {
  R v(x);
  if constexpr (emu_value<A>::width == 1)
    return emu_extracted(v, offset, count);
  else
    for (int i = 0; i < emu_value<A>::width; ++i) v[i] = emu_extracted(v[i], offset, count);
  return v;
}
template <class A, class B, class R = emu_value_t<A>>
EMU_INLINE R insert_bits(A base, B insert, uint offset, uint count) {
  R v(base), w(insert);
  if constexpr (emu_value<A>::width == 1)
    return emu_inserted(v, w, offset, count);
  else
    for (int i = 0; i < emu_value<A>::width; ++i) v[i] = emu_inserted(v[i], w[i], offset, count);
  return v;
}

}  // namespace metal
