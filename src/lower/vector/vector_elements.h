// Vectors of elements: what stands around a contraction, computed for one row and a vector of columns at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/index_emitter.h"
#include "realize/contraction.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Where a vector of elements lies: row r, columns column .. column + lanes - 1, of which `mask` (none: all) exist.
struct VectorPlace {
  kernel::ValueId row, column;
  kernel::ValueId mask;
  std::int64_t row_number = 0, vector_number = 0;  ///< in the rectangle: keys of what is known
};

class VectorElements {
 public:
  VectorElements(const tile::Program& program, kernel::Builder& builder, IndexEmitter& index, AccessEmitter& accesses,
                 const std::map<tile::ObjectId, ObjectPlace>& objects, const realize::JointAxis& row,
                 const realize::JointAxis& column, std::uint16_t lanes)
      : program_(program),
        b_(builder),
        index_(index),
        accesses_(accesses),
        objects_(objects),
        row_(row),
        column_(column),
        lanes_(lanes) {}

  /// Forgets what it knows; numbers (values of rank 0) of the launch are computed here, where everything can see them.
  void begin(const std::vector<tile::OpId>& body);
  /// A value that is there already, at a place.
  void know(tile::ValueId value, const VectorPlace& at, kernel::ValueId vector);
  /// Everything but the numbers is forgotten: another tile begins.
  void forget();

  /// Calls `body` for each way in which the branches that the values stand on can go, under their conditions. What it
  /// returns is passed on.
  std::vector<kernel::ValueId> under_branches(const std::vector<tile::ValueId>& values,
                                              const std::function<std::vector<kernel::ValueId>()>& body);

  /// The value at a place: as many lanes as a vector has.
  kernel::ValueId vector(tile::ValueId value, const VectorPlace& at);
  void store(tile::OpId id, const VectorPlace& at);
  tile::ValueId stored_value(tile::OpId store) const;

  /// Where the coordinates and axes of a joint axis stand for `value`; the axis goes into the point.
  void place(const realize::JointAxis& joint, kernel::ValueId value, Point& point);
  /// How far the next joint point lies, in elements of the object.
  std::int64_t step_of(const Access& access, const realize::JointAxis& joint) const;

 private:
  using Key = std::tuple<tile::ValueId, std::int64_t, std::int64_t>;

  bool depends(tile::ValueId value, tile::AxisId axis) const;
  bool is_vector(tile::ValueId value) const;
  Key key(tile::ValueId value, const VectorPlace& at) const;
  kernel::ValueId element(tile::ValueId value, const VectorPlace& at);
  kernel::ValueId emit(tile::ValueId value, const VectorPlace& at);
  kernel::ValueId widened(kernel::ValueId value, bool wide);
  kernel::ValueId emit_index(tile::IndexId expr, bool wide, const VectorPlace& at);
  kernel::ValueId emit_load(tile::OpId id, const tile::LoadOp& op, bool wide, const VectorPlace& at);
  kernel::ValueId read(const Access& access, const VectorPlace& at, kernel::ValueId mask);
  Access access_of(tile::ObjectId object, const std::vector<tile::IndexId>& coords, tile::BoundsPolicy bounds) const;
  Point point_of(const VectorPlace& at);
  /// Whether the lanes lie in the object, as far as the place does not say it already; none: all do.
  kernel::ValueId lanes_inside(const Access& access, bool wide, const VectorPlace& at);
  bool is_known_inside(const Dimension& dimension) const;
  std::int64_t coefficient(tile::IndexId expr, const realize::JointAxis& joint) const;
  tile::OpId open_branch(tile::ValueId value) const;

  const tile::Program& program_;
  kernel::Builder& b_;
  IndexEmitter& index_;
  AccessEmitter& accesses_;
  const std::map<tile::ObjectId, ObjectPlace>& objects_;
  realize::JointAxis row_, column_;
  std::uint16_t lanes_;
  std::map<tile::ValueId, kernel::ValueId> numbers_;
  std::map<Key, kernel::ValueId> known_;
  std::map<tile::OpId, bool> taken_;  ///< branches that were gone into: the then block or the other
};

}  // namespace tilewright::lower
