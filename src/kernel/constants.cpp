#include "kernel/constants.h"

#include <bit>
#include <cmath>
#include <limits>

#include "support/check.h"
#include "support/half.h"

namespace tilewright::kernel {

namespace {

/// The neighbour of an inexact `value` whose last bit is set: rounding it once more, to half the precision, then gives
/// what rounding `value` directly would give (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums",
/// 2008).
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  if ((std::bit_cast<std::uint32_t>(nearest) & 1u) != 0) return nearest;
  const bool below = static_cast<double>(nearest) < value;
  const float infinity = std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, below ? infinity : -infinity);
}

double rounded(ScalarType type, double value) {
  switch (type) {
    case ScalarType::F32:
      return static_cast<float>(value);
    case ScalarType::F16:
      return f16_to_f32(f32_to_f16(round_to_odd(value)));
    case ScalarType::BF16:
      return bf16_to_f32(f32_to_bf16(round_to_odd(value)));
    case ScalarType::I1:
    case ScalarType::I32:
    case ScalarType::I64:
      break;
  }
  TW_CHECK(!"a float type");
  return 0;
}

}  // namespace

std::int64_t float_constant(ScalarType type, double value) {
  if (std::isnan(value)) return kNanBits;
  return std::bit_cast<std::int64_t>(rounded(type, value));
}

double float_of_constant(std::int64_t integer) { return std::bit_cast<double>(integer); }

bool constant_fits(ScalarType type, std::int64_t integer) {
  switch (type) {
    case ScalarType::I1:
      return integer == 0 || integer == 1;
    case ScalarType::I32:
      return integer == static_cast<std::int32_t>(integer);
    case ScalarType::I64:
      return true;
    case ScalarType::F16:
    case ScalarType::BF16:
    case ScalarType::F32:
      return float_constant(type, float_of_constant(integer)) == integer;
  }
  return false;
}

std::uint64_t constant_bits(ScalarType type, std::int64_t integer) {
  const auto narrow = [&] { return static_cast<float>(float_of_constant(integer)); };
  switch (type) {
    case ScalarType::I1:
    case ScalarType::I64:
      return static_cast<std::uint64_t>(integer);
    case ScalarType::I32:
      return static_cast<std::uint32_t>(integer);
    case ScalarType::F16:
      return f32_to_f16(narrow());
    case ScalarType::BF16:
      return f32_to_bf16(narrow());
    case ScalarType::F32:
      return std::bit_cast<std::uint32_t>(narrow());
  }
  return 0;
}

}  // namespace tilewright::kernel
