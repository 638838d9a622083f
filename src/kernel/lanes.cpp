#include "kernel/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/arithmetic.h"
#include "support/check.h"
#include "support/half.h"

namespace tilewright::kernel {

namespace {

float to_float(ScalarType type, Lane lane) {
  switch (type) {
    case ScalarType::F16:
      return f16_to_f32(static_cast<std::uint16_t>(lane));
    case ScalarType::BF16:
      return bf16_to_f32(static_cast<std::uint16_t>(lane));
    case ScalarType::F32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(lane));
    case ScalarType::I1:
    case ScalarType::I32:
    case ScalarType::I64:
      break;
  }
  TW_CHECK(!"a float type");
  return 0;
}

Lane from_float(ScalarType type, float value) {
  switch (type) {
    case ScalarType::F16:
      return f32_to_f16(value);
    case ScalarType::BF16:
      return f32_to_bf16(value);
    case ScalarType::F32:
      return std::bit_cast<std::uint32_t>(value);
    case ScalarType::I1:
    case ScalarType::I32:
    case ScalarType::I64:
      break;
  }
  TW_CHECK(!"a float type");
  return 0;
}

std::int64_t to_integer(ScalarType type, Lane lane) {
  return type == ScalarType::I32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(lane))
                                 : static_cast<std::int64_t>(lane);
}

Lane from_i32(std::int32_t value) { return static_cast<std::uint32_t>(value); }
Lane from_i64(std::int64_t value) { return static_cast<std::uint64_t>(value); }

Lane sign_bit(ScalarType type) { return type == ScalarType::F32 ? Lane{1} << 31 : Lane{1} << 15; }

/// Exact, or with a last bit that says that more follows: the next rounding, to BF16, is then the only one.
float sticky_float(std::int64_t value) {
  const std::uint64_t magnitude =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int dropped = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 24);
  const std::uint64_t kept = magnitude >> dropped;
  const bool more = (kept << dropped) != magnitude;
  const float result = std::ldexp(static_cast<float>(kept | (more ? 1u : 0u)), dropped);
  return value < 0 ? -result : result;
}

/// The functions whose last bits are the target's: here the double result, rounded.
float unary_float(UnaryKind kind, float a) {
  const double wide = a;
  switch (kind) {
    case UnaryKind::Exp:
      return static_cast<float>(std::exp(wide));
    case UnaryKind::Log:
      return static_cast<float>(std::log(wide));
    case UnaryKind::Sqrt:
      return std::sqrt(a);
    case UnaryKind::Tanh:
      return static_cast<float>(std::tanh(wide));
    case UnaryKind::Sin:
      return static_cast<float>(std::sin(wide));
    case UnaryKind::Cos:
      return static_cast<float>(std::cos(wide));
    case UnaryKind::Floor:
      return std::floor(a);
    case UnaryKind::Neg:
    case UnaryKind::Not:
    case UnaryKind::Abs:
      break;
  }
  TW_CHECK(!"a float function");
  return 0;
}

Lane negated(ScalarType type, Lane a) {
  if (is_float_scalar(type)) return a ^ sign_bit(type);
  return lane_binary(BinaryKind::Sub, type, 0, a);
}

}  // namespace

Lane lane_unary(UnaryKind kind, ScalarType type, Lane a) {
  if (kind == UnaryKind::Not) return a ^ 1u;
  if (kind == UnaryKind::Neg) return negated(type, a);
  if (kind == UnaryKind::Abs) {
    if (is_float_scalar(type)) return a & ~sign_bit(type);
    return to_integer(type, a) < 0 ? negated(type, a) : a;
  }
  return from_float(type, unary_float(kind, to_float(type, a)));
}

Lane lane_binary(BinaryKind kind, ScalarType type, Lane a, Lane b) {
  if (is_float_scalar(type)) return from_float(type, float_binary(kind, to_float(type, a), to_float(type, b)));
  if (type == ScalarType::I32)
    return from_i32(integer_binary(kind, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
  return from_i64(integer_binary(kind, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

bool lane_compare(CompareKind kind, ScalarType type, Lane a, Lane b) {
  if (is_float_scalar(type)) return holds(kind, to_float(type, a), to_float(type, b));
  return holds(kind, to_integer(type, a), to_integer(type, b));
}

Lane lane_cast(ScalarType from, ScalarType to, Lane a) {
  if (from == to) return a;
  if (is_float_scalar(from)) {
    const float value = to_float(from, a);
    if (is_float_scalar(to)) return from_float(to, value);
    if (to == ScalarType::I1) return value != 0 ? 1 : 0;
    if (to == ScalarType::I32) return from_i32(saturating_truncation<std::int32_t>(value));
    return from_i64(saturating_truncation<std::int64_t>(value));
  }
  const std::int64_t value = to_integer(from, a);
  if (to == ScalarType::BF16) return from_float(to, sticky_float(value));
  // For F16 too this is one rounding: integers below 2^24 are exact in F32, larger ones are infinite.
  if (is_float_scalar(to)) return from_float(to, static_cast<float>(value));
  if (to == ScalarType::I1) return value != 0 ? 1 : 0;
  if (to == ScalarType::I64) return from_i64(value);
  return from_i32(static_cast<std::int32_t>(value));
}

Lane lane_fma(ScalarType type, Lane a, Lane b, Lane c) {
  if (type != ScalarType::F32) return lane_binary(BinaryKind::Add, type, lane_binary(BinaryKind::Mul, type, a, b), c);
  return from_float(type, std::fma(to_float(type, a), to_float(type, b), to_float(type, c)));
}

}  // namespace tilewright::kernel
