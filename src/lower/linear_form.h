// LinearForm: an index expression as a sum of axes with constant factors and a part that no axis changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tile/index.h"

namespace tilewright::lower {

/// sum(factors[a] * a) + sum(f * term) + constant, modulo 2^64. Factors are not zero; terms contain no axis.
struct LinearForm {
  std::map<tile::AxisId, std::int64_t> factors;
  std::vector<std::pair<std::int64_t, tile::IndexId>> terms;
  std::int64_t constant = 0;

  bool operator==(const LinearForm&) const = default;
  /// 0 for an axis that is none of it.
  std::int64_t factor_of(tile::AxisId axis) const {
    const auto found = factors.find(axis);
    return found == factors.end() ? 0 : found->second;
  }
  /// The only axis, when there is one and its factor is 1.
  std::optional<tile::AxisId> unit_axis() const;
};

/// Nothing when an axis stands inside another operation, or a factor does not fit 64 bits.
std::optional<LinearForm> linear_form(const tile::IndexArena& index, tile::IndexId expr);

}  // namespace tilewright::lower
