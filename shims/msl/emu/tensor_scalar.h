// Element types of tensor operations as numbers, and how to read and write elements by number: the bodies of the
// operations are ordinary functions, compiled once, whatever types a kernel uses.
//
// bfloat is converted by hand: processors without it would call a library for each element.
#pragma once
#pragma clang system_header

#include "abi.h"
#include "dialect.h"

// EMU_UNCHECKED is on every function that a body reaches: its accesses are reported by emu_access, not one by one.

namespace emu_tensors {

enum emu_scalar : int { EMU_NO_SCALAR, EMU_F32, EMU_F16, EMU_BF16, EMU_I32, EMU_I8, EMU_U8 };

template <class T>
constexpr emu_scalar emu_scalar_of = __is_same(T, float)                               ? EMU_F32
                                     : __is_same(T, _Float16)                          ? EMU_F16
                                     : __is_same(T, __bf16)                            ? EMU_BF16
                                     : __is_same(T, int)                               ? EMU_I32
                                     : __is_same(T, signed char) || __is_same(T, char) ? EMU_I8
                                     : __is_same(T, unsigned char)                     ? EMU_U8
                                                                                       : EMU_NO_SCALAR;
template <class T>
constexpr emu_scalar emu_scalar_of<const T> = emu_scalar_of<T>;

constexpr bool emu_is_byte(int type) { return type == EMU_I8 || type == EMU_U8; }
constexpr bool emu_is_integer(int type) { return type == EMU_I32 || emu_is_byte(type); }
constexpr unsigned emu_scalar_bytes(int type) {
  return type == EMU_F32 || type == EMU_I32 ? 4 : type == EMU_F16 || type == EMU_BF16 ? 2 : 1;
}

EMU_INLINE EMU_UNCHECKED float emu_widen_bfloat(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}
/// Round to nearest, ties to even; a NaN stays a NaN with its upper payload.
EMU_INLINE EMU_UNCHECKED unsigned short emu_narrow_bfloat(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>((bits >> 16) | 0x40u);
  return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

template <bool Integer>
struct emu_sum {
  using type = float;
};
template <>
struct emu_sum<true> {
  using type = unsigned;
};
/// What elements of type T are summed in: float, or int with the wrapping arithmetic of unsigned.
template <class T>
using emu_sum_of = typename emu_sum<emu_is_integer(emu_scalar_of<T>)>::type;

template <class Sum>
EMU_INLINE EMU_UNCHECKED Sum emu_read(const void* data, long index, int type) {
  switch (type) {
    case EMU_F32:
      return static_cast<Sum>(static_cast<const float*>(data)[index]);
    case EMU_F16:
      return static_cast<Sum>(static_cast<float>(static_cast<const _Float16*>(data)[index]));
    case EMU_BF16:
      return static_cast<Sum>(emu_widen_bfloat(static_cast<const unsigned short*>(data)[index]));
    case EMU_I32:
      return static_cast<Sum>(static_cast<const int*>(data)[index]);
    case EMU_I8:
      return static_cast<Sum>(static_cast<const signed char*>(data)[index]);
    default:
      return static_cast<Sum>(static_cast<const unsigned char*>(data)[index]);
  }
}

template <class Sum>
EMU_INLINE EMU_UNCHECKED void emu_write(void* data, long index, int type, Sum value) {
  switch (type) {
    case EMU_F32:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      break;
    case EMU_F16:
      static_cast<_Float16*>(data)[index] = static_cast<_Float16>(value);
      break;
    case EMU_BF16:
      static_cast<unsigned short*>(data)[index] = emu_narrow_bfloat(static_cast<float>(value));
      break;
    case EMU_I32:
      static_cast<unsigned*>(data)[index] = static_cast<unsigned>(value);
      break;
    default:
      static_cast<unsigned char*>(data)[index] = static_cast<unsigned char>(static_cast<int>(value));
      break;
  }
}

/// The bits of one element; no source: zero.
EMU_INLINE EMU_UNCHECKED void emu_copy_element(void* to, long to_index, const void* from, long from_index,
                                               unsigned bytes) {
  if (bytes == 4) {
    static_cast<unsigned*>(to)[to_index] = from == nullptr ? 0 : static_cast<const unsigned*>(from)[from_index];
  } else if (bytes == 2) {
    static_cast<unsigned short*>(to)[to_index] =
        from == nullptr ? 0 : static_cast<const unsigned short*>(from)[from_index];
  } else {
    static_cast<unsigned char*>(to)[to_index] =
        from == nullptr ? 0 : static_cast<const unsigned char*>(from)[from_index];
  }
}

/// Whether an element has the pattern of a register that nothing wrote. 8-bit elements have none to spare.
EMU_INLINE EMU_UNCHECKED bool emu_is_poison(const void* data, long index, int type) {
  switch (type) {
    case EMU_F32:
      return (static_cast<const unsigned*>(data)[index] | EMU_POISON_F32_QUIET) ==
             (EMU_POISON_F32 | EMU_POISON_F32_QUIET);
    case EMU_F16:
      return (static_cast<const unsigned short*>(data)[index] | EMU_POISON_F16_QUIET) ==
             (EMU_POISON_F16 | EMU_POISON_F16_QUIET);
    case EMU_BF16:
      return (static_cast<const unsigned short*>(data)[index] | EMU_POISON_BF16_QUIET) ==
             (EMU_POISON_BF16 | EMU_POISON_BF16_QUIET);
    case EMU_I32:
      return static_cast<const unsigned*>(data)[index] == EMU_POISON_I32;
    default:
      return false;
  }
}

/// What a reported element counts as: a NaN, but not reported again.
template <class Sum>
EMU_INLINE EMU_UNCHECKED Sum emu_unknown() {
  if constexpr (__is_same(Sum, float)) {
    return __builtin_nanf("");
  } else {
    return 0;
  }
}

EMU_INLINE EMU_UNCHECKED void emu_poison(void* data, long count, int type) {
  for (long i = 0; i < count; ++i) {
    switch (type) {
      case EMU_F32:
        static_cast<unsigned*>(data)[i] = EMU_POISON_F32;
        break;
      case EMU_F16:
        static_cast<unsigned short*>(data)[i] = EMU_POISON_F16;
        break;
      case EMU_BF16:
        static_cast<unsigned short*>(data)[i] = EMU_POISON_BF16;
        break;
      case EMU_I32:
        static_cast<unsigned*>(data)[i] = EMU_POISON_I32;
        break;
      default:
        static_cast<unsigned char*>(data)[i] = 0xa5;
        break;
    }
  }
}

}  // namespace emu_tensors
