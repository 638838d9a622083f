// Conversions that a compiler may call for half and bfloat where the processor has no instruction for them.
#include <bit>
#include <cstdint>

namespace {

/// `double` rounded to nearest even into a format of `fraction` bits and an exponent of `exponent` bits. One rounding.
std::uint16_t narrow(double value, int exponent, int fraction) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffff;
  const int bias = (1 << (exponent - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent) - 1) << fraction);
  if (magnitude > 0x7ff0000000000000)
    return static_cast<std::uint16_t>(sign | infinity | 1 << (fraction - 1) |
                                      (magnitude >> (52 - fraction) & ((1 << fraction) - 1)));
  const int power = static_cast<int>(magnitude >> 52) - 1023;
  if (power > bias) return static_cast<std::uint16_t>(sign | infinity);
  // Below the smallest normal number the fraction loses bits from the left.
  const int lost = power < 1 - bias ? 1 - bias - power : 0;
  if (lost > fraction + 1) return sign;
  const std::uint64_t significand = (magnitude & 0xfffffffffffff) | (std::uint64_t{1} << 52);
  const int shift = 52 - fraction + lost;
  std::uint64_t rounded = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1), half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  const std::uint64_t base = lost == 0 ? static_cast<std::uint64_t>(power + bias - 1) << fraction : 0;
  return static_cast<std::uint16_t>(sign | (base + rounded));
}

float widen_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half} >> 15 << 31, exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  const float magnitude = exponent == 0 ? static_cast<float>(fraction) * 0x1p-24f
                                        : std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
  return sign == 0 ? magnitude : -magnitude;
}

}  // namespace

// Half and bfloat travel in vector registers, as _Float16 does; g++ 12 has no __bf16.
#if defined(__x86_64__)
using InRegister = _Float16;
static_assert(sizeof(InRegister) == 2);

// NOLINTBEGIN(readability-identifier-naming): the names are the compiler's
extern "C" {
[[gnu::used]] float __extendhfsf2(InRegister half) { return widen_half(std::bit_cast<std::uint16_t>(half)); }
[[gnu::used]] InRegister __truncsfhf2(float value) { return std::bit_cast<InRegister>(narrow(value, 5, 10)); }
[[gnu::used]] InRegister __truncdfhf2(double value) { return std::bit_cast<InRegister>(narrow(value, 5, 10)); }
[[gnu::used]] InRegister __truncsfbf2(float value) { return std::bit_cast<InRegister>(narrow(value, 8, 7)); }
[[gnu::used]] InRegister __truncdfbf2(double value) { return std::bit_cast<InRegister>(narrow(value, 8, 7)); }
}
// NOLINTEND(readability-identifier-naming)
#endif
