// The coefficient with which a leaf stands in an index expression, by its tree: for checkers, which share no code with
// the provers.
#pragma once

#include <cstdint>
#include <optional>

#include "tile/index.h"

namespace tilewright::proof::check {

/// Of the leaf (a coordinate, axis, symbol or parameter, by its number) in sums, differences and products with numbers;
/// 0 when the expression does not hold it. Nothing: it stands in another operation, or the number leaves 64 bits.
std::optional<std::int64_t> linear_coefficient(const tile::IndexArena& index, tile::IndexId expr, tile::IndexKind kind,
                                               std::uint32_t leaf);

}  // namespace tilewright::proof::check
