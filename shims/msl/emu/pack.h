// <metal_pack>: colours and normals in one integer. Rounding is to nearest, ties to even; out of range saturates, NaN
// gives 0.
#pragma once
#pragma clang system_header

#include "common.h"

namespace metal {

EMU_INLINE uint emu_unorm(float x, uint bits) {
  return uint(__builtin_rintf(__builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f) * float((1u << bits) - 1)));
}
EMU_INLINE uint emu_snorm(float x, uint bits) {
  const float limited = x != x ? 0.0f : __builtin_fminf(__builtin_fmaxf(x, -1.0f), 1.0f);
  return uint(int(__builtin_rintf(limited * float((1u << (bits - 1)) - 1)))) & ((1u << bits) - 1);
}
EMU_INLINE float emu_from_unorm(uint packed, uint at, uint bits) {
  const uint mask = (1u << bits) - 1;
  return float(packed >> at & mask) / float(mask);
}
EMU_INLINE float emu_from_snorm(uint packed, uint at, uint bits) {
  const int value = int(packed << (32 - at - bits)) >> (32 - bits);
  return __builtin_fmaxf(float(value) / float((1u << (bits - 1)) - 1), -1.0f);
}
EMU_INLINE float emu_to_srgb(float x) {
  return x <= 0.0031308f ? 12.92f * x : 1.055f * __builtin_powf(x, 1.0f / 2.4f) - 0.055f;
}
EMU_INLINE float emu_from_srgb(float x) {
  return x <= 0.04045f ? x / 12.92f : __builtin_powf((x + 0.055f) / 1.055f, 2.4f);
}

#define EMU_PACKS(T)                                                                                             \
  EMU_INLINE uint pack_##T##_to_unorm4x8(vec<T, 4> v) {                                                          \
    return emu_unorm(v.x, 8) | emu_unorm(v.y, 8) << 8 | emu_unorm(v.z, 8) << 16 | emu_unorm(v.w, 8) << 24;       \
  }                                                                                                              \
  EMU_INLINE uint pack_##T##_to_snorm4x8(vec<T, 4> v) {                                                          \
    return emu_snorm(v.x, 8) | emu_snorm(v.y, 8) << 8 | emu_snorm(v.z, 8) << 16 | emu_snorm(v.w, 8) << 24;       \
  }                                                                                                              \
  EMU_INLINE uint pack_##T##_to_srgb_unorm4x8(vec<T, 4> v) {                                                     \
    return emu_unorm(emu_to_srgb(v.x), 8) | emu_unorm(emu_to_srgb(v.y), 8) << 8 |                                \
           emu_unorm(emu_to_srgb(v.z), 8) << 16 | emu_unorm(v.w, 8) << 24;                                       \
  }                                                                                                              \
  EMU_INLINE uint pack_##T##_to_unorm2x16(vec<T, 2> v) { return emu_unorm(v.x, 16) | emu_unorm(v.y, 16) << 16; } \
  EMU_INLINE uint pack_##T##_to_snorm2x16(vec<T, 2> v) { return emu_snorm(v.x, 16) | emu_snorm(v.y, 16) << 16; } \
  EMU_INLINE uint pack_##T##_to_unorm10a2(vec<T, 4> v) {                                                         \
    return emu_unorm(v.x, 10) | emu_unorm(v.y, 10) << 10 | emu_unorm(v.z, 10) << 20 | emu_unorm(v.w, 2) << 30;   \
  }                                                                                                              \
  EMU_INLINE ushort pack_##T##_to_unorm565(vec<T, 3> v) {                                                        \
    return ushort(emu_unorm(v.x, 5) << 11 | emu_unorm(v.y, 6) << 5 | emu_unorm(v.z, 5));                         \
  }                                                                                                              \
  EMU_INLINE vec<T, 4> unpack_unorm4x8_to_##T(uint p) {                                                          \
    return vec<T, 4>(T(emu_from_unorm(p, 0, 8)), T(emu_from_unorm(p, 8, 8)), T(emu_from_unorm(p, 16, 8)),        \
                     T(emu_from_unorm(p, 24, 8)));                                                               \
  }                                                                                                              \
  EMU_INLINE vec<T, 4> unpack_snorm4x8_to_##T(uint p) {                                                          \
    return vec<T, 4>(T(emu_from_snorm(p, 0, 8)), T(emu_from_snorm(p, 8, 8)), T(emu_from_snorm(p, 16, 8)),        \
                     T(emu_from_snorm(p, 24, 8)));                                                               \
  }                                                                                                              \
  EMU_INLINE vec<T, 4> unpack_unorm4x8_srgb_to_##T(uint p) {                                                     \
    return vec<T, 4>(T(emu_from_srgb(emu_from_unorm(p, 0, 8))), T(emu_from_srgb(emu_from_unorm(p, 8, 8))),       \
                     T(emu_from_srgb(emu_from_unorm(p, 16, 8))), T(emu_from_unorm(p, 24, 8)));                   \
  }                                                                                                              \
  EMU_INLINE vec<T, 2> unpack_unorm2x16_to_##T(uint p) {                                                         \
    return vec<T, 2>(T(emu_from_unorm(p, 0, 16)), T(emu_from_unorm(p, 16, 16)));                                 \
  }                                                                                                              \
  EMU_INLINE vec<T, 2> unpack_snorm2x16_to_##T(uint p) {                                                         \
    return vec<T, 2>(T(emu_from_snorm(p, 0, 16)), T(emu_from_snorm(p, 16, 16)));                                 \
  }                                                                                                              \
  EMU_INLINE vec<T, 4> unpack_unorm10a2_to_##T(uint p) {                                                         \
    return vec<T, 4>(T(emu_from_unorm(p, 0, 10)), T(emu_from_unorm(p, 10, 10)), T(emu_from_unorm(p, 20, 10)),    \
                     T(emu_from_unorm(p, 30, 2)));                                                               \
  }                                                                                                              \
  EMU_INLINE vec<T, 3> unpack_unorm565_to_##T(ushort p) {                                                        \
    return vec<T, 3>(T(emu_from_unorm(p, 11, 5)), T(emu_from_unorm(p, 5, 6)), T(emu_from_unorm(p, 0, 5)));       \
  }
EMU_PACKS(float)
EMU_PACKS(half)
#undef EMU_PACKS

}  // namespace metal
