// The iteration domain of an operation: the coordinates of the regions around it, then its own axes.
//
// The domain OVER-approximates when the operation stands in branches: each condition restricts it further, in a way
// that only the run knows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/walk.h"
#include "tile/program.h"

namespace tilewright::analysis {

struct Dimension {
  tile::CoordId coord;  ///< of a region around the operation; or none
  tile::AxisId axis;    ///< of the operation itself; or none. Exactly one of the two is valid
  tile::OpId region;    ///< whose coordinate it is; none for an axis
  tile::RegionKind kind = tile::RegionKind::Parallel;  ///< of that region
  tile::IndexId extent;                                ///< may depend on the coordinates of outer regions
  std::optional<std::int64_t> constant_extent;         ///< when it is a number; below zero counts as 0 (no trips)

  bool is_coord() const { return coord.valid(); }
};

/// The operation executes only where the bool of rank 0 has this value.
struct Condition {
  tile::ValueId value;
  bool polarity = true;
};

struct OverDomain {
  std::vector<Dimension> dimensions;  ///< coordinates, outermost first and in the order of each region; then axes
  std::vector<Condition> conditions;  ///< outermost first

  /// Every point of the dimensions executes.
  bool is_exact() const { return conditions.empty(); }
  /// Every extent is a number: the dimensions are a box.
  bool is_constant_box() const;
  /// Some constant extent is 0: there surely is no point. False: not known.
  bool surely_empty() const;
  const Dimension* find(tile::CoordId coord) const;
  const Dimension* find(tile::AxisId axis) const;
};

/// The own axes of an operation: of its one result; of the coordinates of a store in order of appearance; none for
/// regions, branches and the other operations without a result. Axes that a fold or mma sums over are not among them
/// (see roles.h).
std::vector<tile::AxisId> own_axes(const tile::Program& program, tile::OpId op);

OverDomain over_domain(const tile::Program& program, const Walk& walk, tile::OpId op);

}  // namespace tilewright::analysis
