// Ranges of the leaves of index expressions: what every range and overflow check of this folder stands on.
//
// A leaf is a symbol, a parameter, a coordinate or an axis. Its range surely contains every value that it takes in any
// execution (over-approximation), or is missing. The choices of a parameter bound nothing, since a binding may be any
// value that the program accepts: open symbols and parameters have the ranges that the caller gives, or none.
#pragma once

#include <map>
#include <optional>

#include "tile/program.h"

namespace tilewright::analysis {

/// What the caller promises of open symbols and parameters. A bound program has none.
struct SizeRanges {
  std::map<tile::SymbolId, tile::IndexRange> symbols;
  std::map<tile::ParamId, tile::IndexRange> params;
};

struct LeafRanges {
  IdVector<tile::SymbolId, std::optional<tile::IndexRange>> symbols;
  IdVector<tile::ParamId, std::optional<tile::IndexRange>> params;
  IdVector<tile::CoordId, std::optional<tile::IndexRange>> coords;
  IdVector<tile::AxisId, std::optional<tile::IndexRange>> axes;

  /// `leaf` is one of the four leaf kinds (or a constant, whose range is itself).
  std::optional<tile::IndexRange> of(const tile::IndexNode& leaf) const;
};

/// Coordinates and axes range over 0 .. extent - 1, where the largest value of the extent counts (it may depend on
/// outer coordinates). One whose extent is surely below 1 has no value at all; its range is {0, 0}.
LeafRanges over_leaf_ranges(const tile::Program& program, const SizeRanges& sizes = {});

/// A range that surely contains every value of an expression; nothing when a leaf has no range, or some evaluation
/// might overflow or divide by zero.
std::optional<tile::IndexRange> over_range_of(const tile::Program& program, tile::IndexId expr,
                                              const LeafRanges& ranges);

}  // namespace tilewright::analysis
