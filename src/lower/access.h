// Access: the coordinates of one load or store against its object: which dimensions need a test, when the whole tile
// is in range, and where an element lies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernel/builder.h"
#include "lower/index_emitter.h"
#include "lower/linear_form.h"
#include "tile/program.h"

namespace tilewright::lower {

/// An object of rank 2 as the matrix of its buffer.
struct ObjectMatrix {
  kernel::BufferMatrix shape;
  std::size_t inner_dimension = 1;  ///< the one along the rows of the matrix
};

/// Where an object lies. Explicit memory with a layout of its own has no strides.
struct ObjectPlace {
  kernel::MemoryRef memory;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;  ///< of the element at coordinates 0
  std::vector<tile::AxisId> layout_axes;
  tile::IndexId layout;
  std::optional<ObjectMatrix> matrix;  ///< what the buffer is declared as

  bool empty() const;
};

enum class RangeCheck : std::uint8_t {
  None,     ///< always in range, or promised to be
  Linear,   ///< the whole tile can be tested at once
  General,  ///< each element must be tested
};

struct Dimension {
  tile::IndexId coord;
  std::int64_t extent = 0;
  RangeCheck check = RangeCheck::General;
  bool may_be_negative = true, may_be_beyond = true;  ///< false: surely not below 0, not past the extent
  LinearForm form;                                    ///< Linear
  std::int64_t lowest = 0;                            ///< Linear: the least sum of the axes' parts, <= 0
  std::int64_t span = 0;                              ///< Linear: the greatest minus the least
};

struct Access {
  const ObjectPlace* place = nullptr;
  std::vector<Dimension> dimensions;
  std::optional<LinearForm> address;  ///< when all coordinates are linear and the object has strides
};

/// Whether no two points of the axes meet: each axis moves a dimension of its own.
bool touches_each_place_once(const tile::Program& program, const Access& access, const std::vector<tile::AxisId>& axes);

/// A coordinate that an access needs inside [0, extent).
struct CoordinateTest {
  kernel::ValueId coord;
  const Dimension* dimension = nullptr;
  bool same_as(const CoordinateTest& other) const {
    return coord == other.coord && dimension->extent == other.dimension->extent;
  }
};

class AccessEmitter {
 public:
  AccessEmitter(const tile::Program& program, kernel::Builder& builder, IndexEmitter& index)
      : program_(program), b_(builder), index_(index) {}

  Access analyze(const ObjectPlace& place, const std::vector<tile::IndexId>& coords, tile::BoundsPolicy bounds) const;

  /// Emits what the loops around an element do not change, so that it stands outside of them.
  void hoist(const Access& access);
  /// Whether every Linear dimension of the accesses is in range for the whole tile; none when there is nothing to test.
  kernel::ValueId whole_in_range(const std::vector<const Access*>& accesses);
  bool has_linear(const Access& access) const;
  /// Whether this element is in range, tested on General dimensions and, unless `linear_known`, on Linear ones; none
  /// when there is nothing to test.
  kernel::ValueId in_range(const Access& access, const Point& at, bool linear_known);
  /// What in_range tests at a point where nothing is known, in order.
  std::vector<CoordinateTest> tests(const Access& access, const Point& at);
  /// The tests that both lists have, as the first one has them.
  static std::vector<CoordinateTest> common(const std::vector<CoordinateTest>& a, const std::vector<CoordinateTest>& b);
  /// From now on these tests hold, until the next call: nothing is tested twice.
  void assume(std::vector<CoordinateTest> tests) { assumed_ = std::move(tests); }
  /// One dimension of in_range.
  kernel::ValueId dimension_in_range(const Dimension& dimension, kernel::ValueId coord);
  kernel::ValueId address(const Access& access, const Point& at);
  /// cond && more; either may be none.
  kernel::ValueId both(kernel::ValueId condition, kernel::ValueId more);

 private:
  Dimension analyze_dimension(tile::IndexId coord, std::int64_t extent, tile::BoundsPolicy bounds) const;
  kernel::ValueId base(const Access& access);

  const tile::Program& program_;
  kernel::Builder& b_;
  IndexEmitter& index_;
  std::vector<CoordinateTest> assumed_;
};

}  // namespace tilewright::lower
