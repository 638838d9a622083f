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

/// One element of a row that is dealt out to workers: element = (.. coords[0] * extents[1] + coords[1] ..) * extent +
/// position on `axis`. In a Point such an axis has `element` as its counter; the coordinates, and the position where
/// there are several iterations, are worked out where something needs them, and an index that moves with the element as
/// a whole is written in it.
struct ElementSpan {
  std::vector<tile::CoordId> coords;  ///< of a joint loop, outermost first; or none
  std::vector<std::int64_t> extents;
  tile::AxisId axis;  ///< or none
  std::int64_t extent = 1;
  kernel::ValueId element;
  std::int64_t bound = 0;  ///< the element is known to be in [0, bound)

  std::int64_t iterations() const;
};

class IndexEmitter {
 public:
  IndexEmitter(const tile::Program& program, kernel::Builder& builder) : program_(program), b_(builder) {}

  void set_coord(tile::CoordId coord, kernel::ValueId value) { coords_[coord] = value; }

  kernel::ValueId emit(tile::IndexId expr, const Point& at);
  kernel::ValueId emit_linear(const LinearForm& form, const Point& at);
  /// The part of the form that no axis changes.
  kernel::ValueId emit_invariant(const LinearForm& form);
  /// Trips of a region's domain; negative extents are trips of 0 to a loop.
  kernel::ValueId emit_extent(tile::CoordId coord) { return emit(program_.coords()[coord].extent, {}); }

  /// What holds until the next call: the element that is being computed, or none.
  void set_span(const ElementSpan* span) { span_ = span; }
  /// The form lies in [0, extent) at every element of the span. False: not known.
  bool surely_inside(const LinearForm& form, const Point& at, std::int64_t extent) const;

  /// Every value of the expression, over all axes and coordinates, lies in this range.
  std::optional<tile::IndexRange> range(tile::IndexId expr) const;

 private:
  kernel::ValueId emit_op(const tile::IndexNode& node, const Point& at);
  kernel::ValueId emit_axis(tile::AxisId axis, const Point& at);
  kernel::ValueId emit_coord(tile::CoordId coord);
  bool is_of_span(tile::IndexId term) const;
  bool at_span_element(const Point& at) const;
  /// g where the form's share of the span's coordinates and axis is g * element.
  std::optional<std::int64_t> factor_of_element(const LinearForm& form, const Point& at) const;

  const tile::Program& program_;
  kernel::Builder& b_;
  std::map<tile::CoordId, kernel::ValueId> coords_;
  const ElementSpan* span_ = nullptr;
};

}  // namespace tilewright::lower
