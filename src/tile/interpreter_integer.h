// Integer rules of tiles, the same in both arithmetics: i32 wraps, index wraps at 64 bits, division is floored and by
// zero gives 0.
#pragma once

#include <cstdint>
#include <limits>

#include <tilewright/types.h>

#include "support/checked_math.h"

namespace tilewright::tile {

/// The number that a whole type holds for these low bits.
inline std::int64_t wrap(DataType type, std::int64_t value) {
  return type == DataType::I32 ? static_cast<std::int32_t>(value) : value;
}

inline std::int64_t lowest_whole(DataType type) {
  return type == DataType::I32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
}
inline std::int64_t highest_whole(DataType type) {
  return type == DataType::I32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
}

inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// The one quotient that does not fit, INT64_MIN / -1, wraps like the others.
inline std::int64_t floored_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return checked_floordiv(a, b).value_or(a);
}
inline std::int64_t floored_remainder(std::int64_t a, std::int64_t b) { return checked_mod(a, b).value_or(0); }

}  // namespace tilewright::tile
