// Comparisons of two integers, and what each says.
#pragma once

#include <cstdint>

namespace tilewright::tile {

enum class Comparison : std::uint8_t { Lt, Le, Gt, Ge, Eq, Ne };

constexpr bool holds(std::int64_t a, Comparison comparison, std::int64_t b) {
  switch (comparison) {
    case Comparison::Lt:
      return a < b;
    case Comparison::Le:
      return a <= b;
    case Comparison::Gt:
      return a > b;
    case Comparison::Ge:
      return a >= b;
    case Comparison::Eq:
      return a == b;
    case Comparison::Ne:
      return a != b;
  }
  return false;
}

}  // namespace tilewright::tile
