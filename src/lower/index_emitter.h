// IndexEmitter: index expressions as kernel IR, and their ranges.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/builder.h"
#include "lower/linear_form.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Where on its axes an element lies: loop counters, outermost first.
class Point {
 public:
  void set(tile::AxisId axis, kernel::ValueId at) { entries_.emplace_back(axis, at); }
  kernel::ValueId at(tile::AxisId axis) const;
  const std::vector<std::pair<tile::AxisId, kernel::ValueId>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<tile::AxisId, kernel::ValueId>> entries_;
};

/// value * factor, without an operation for 1.
inline kernel::ValueId scaled(kernel::Builder& builder, kernel::ValueId value, std::int64_t factor) {
  return factor == 1 ? value : builder.mul(value, factor);
}

class IndexEmitter {
 public:
  IndexEmitter(const tile::Program& program, kernel::Builder& builder) : program_(program), b_(builder) {}

  void set_coord(tile::CoordId coord, kernel::ValueId value) { coords_[coord] = value; }

  kernel::ValueId emit(tile::IndexId expr, const Point& at);
  /// The part of the form that no axis changes.
  kernel::ValueId emit_invariant(const LinearForm& form);
  /// Trips of a region's domain; negative extents are trips of 0 to a loop.
  kernel::ValueId emit_extent(tile::CoordId coord) { return emit(program_.coords()[coord].extent, {}); }

  /// Every value of the expression, over all axes and coordinates, lies in this range.
  std::optional<tile::IndexRange> range(tile::IndexId expr) const;

 private:
  kernel::ValueId emit_op(const tile::IndexNode& node, const Point& at);

  const tile::Program& program_;
  kernel::Builder& b_;
  std::map<tile::CoordId, kernel::ValueId> coords_;
};

}  // namespace tilewright::lower
