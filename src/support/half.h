// f16 and bf16 as bit patterns: the one conversion routine that every stage and every interpreter uses.
//
// All conversions are those of IEEE 754: rounding to nearest even, subnormals kept, overflow to infinity, the sign of
// zero kept. A NaN stays a NaN of the same sign: it becomes quiet, and narrowing drops the low bits of its payload.
// Nothing here depends on the rounding mode or on flush-to-zero settings of the processor.
#pragma once

#include <bit>
#include <cstdint>

namespace tilewright {

constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  if (exponent == 0x1f) {
    const std::uint32_t quiet = mantissa != 0 ? 0x00400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

constexpr std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520: halfway between the largest f16 and 2^16
    result = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {  // 2^-14: the smallest normal f16
    const std::uint32_t rebased = magnitude - (112u << 23);
    result = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
  } else if (magnitude > 0x33000000u) {  // 2^-25: half of the smallest subnormal f16, a tie that goes to zero
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t shift = 126u - (magnitude >> 23);
    result = (mantissa + (1u << (shift - 1)) - 1u + ((mantissa >> shift) & 1u)) >> shift;
  }
  return static_cast<std::uint16_t>(sign | result);
}

constexpr float bf16_to_f32(std::uint16_t half) {
  const bool is_nan = (half & 0x7fffu) > 0x7f80u;
  return std::bit_cast<float>((std::uint32_t{half} << 16) | (is_nan ? 0x00400000u : 0u));
}

constexpr std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace tilewright
