// What the operations of the kernel IR do to one lane. The interpreter and the folding of constants share it; together
// with the comments of kernel/program.h it is the definition.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernel/program.h"
#include "support/check.h"

namespace tilewright::kernel {

/// Rounds towards minus infinity; by 0 gives 0; MIN / -1 gives MIN.
template <std::signed_integral T>
constexpr T floor_div(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
  const T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// a - b * floor_div(a, b), with the sign of b; by 0 gives 0.
template <std::signed_integral T>
constexpr T floor_mod(T a, T b) {
  if (b == 0 || b == -1) return 0;
  const T rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// I32 and I64. Premise: kind is neither Div nor Fmod.
template <std::signed_integral T>
constexpr T integer_binary(BinaryKind kind, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const U ua = static_cast<U>(a), ub = static_cast<U>(b);
  const U shift = ub % std::numeric_limits<U>::digits;
  switch (kind) {
    case BinaryKind::Add:
      return static_cast<T>(ua + ub);
    case BinaryKind::Sub:
      return static_cast<T>(ua - ub);
    case BinaryKind::Mul:
      return static_cast<T>(ua * ub);
    case BinaryKind::FloorDiv:
      return floor_div(a, b);
    case BinaryKind::FloorMod:
      return floor_mod(a, b);
    case BinaryKind::Max:
      return a > b ? a : b;
    case BinaryKind::Min:
      return a < b ? a : b;
    case BinaryKind::And:
      return static_cast<T>(ua & ub);
    case BinaryKind::Or:
      return static_cast<T>(ua | ub);
    case BinaryKind::Xor:
      return static_cast<T>(ua ^ ub);
    case BinaryKind::Shl:
      return static_cast<T>(ua << shift);
    case BinaryKind::Shr:
      return static_cast<T>(ua >> shift);
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      break;
  }
  TW_CHECK(!"an integer operation");
  return 0;
}

/// IEEE 754-2019 maximum: a NaN wins, -0 < +0.
inline float ieee_max(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
/// IEEE 754-2019 minimum.
inline float ieee_min(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// Add, Sub, Mul, Div, Fmod, Max, Min.
inline float float_binary(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::Add:
      return a + b;
    case BinaryKind::Sub:
      return a - b;
    case BinaryKind::Mul:
      return a * b;
    case BinaryKind::Div:
      return a / b;
    case BinaryKind::Fmod:
      return std::fmod(a, b);
    case BinaryKind::Max:
      return ieee_max(a, b);
    case BinaryKind::Min:
      return ieee_min(a, b);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      break;
  }
  TW_CHECK(!"a float operation");
  return 0;
}

/// Integers, or floats with the meaning of CompareKind for NaN.
template <class T>
constexpr bool holds(CompareKind kind, T a, T b) {
  switch (kind) {
    case CompareKind::Lt:
      return a < b;
    case CompareKind::Le:
      return a <= b;
    case CompareKind::Gt:
      return a > b;
    case CompareKind::Ge:
      return a >= b;
    case CompareKind::Eq:
      return a == b;
    case CompareKind::Ne:
      return a != b;
  }
  return false;
}

/// Truncates; a NaN gives 0; what does not fit saturates.
template <std::signed_integral T>
T saturating_truncation(float value) {
  constexpr float kPastMax = -static_cast<float>(std::numeric_limits<T>::min());
  if (std::isnan(value)) return 0;
  if (value >= kPastMax) return std::numeric_limits<T>::max();
  if (value < -kPastMax) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

}  // namespace tilewright::kernel
