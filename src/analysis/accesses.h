// Access maps: what each load and store touches, dimension by dimension.
//
// An axis of extent 1 (or 0) moves nothing, so that every way to count it is true; what is counted must still be the
// same for a + i, a % 4 + i and a / 4 + i. Such an axis counts, with coefficient 1, in the first coordinate that holds
// it and that no other axis moves, and in no other coordinate.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

#include "analysis/affine.h"
#include "analysis/domain.h"
#include "tile/program.h"

namespace tilewright::analysis {

/// coordinate = axis + origin: the axis has coefficient exactly 1, the origin has no axis (it may have coordinates and
/// open sizes).
struct UnitProjection {
  tile::AxisId axis;
  AffineForm origin;
};

struct AccessDimension {
  tile::IndexId expr;
  std::expected<AffineForm, AffineFault> form;
  tile::IndexId extent;                         ///< of the object
  std::optional<std::int64_t> constant_extent;  ///< when it is a number
  /// Every axis that the value depends on is here: those of the form, or all that are written where there is no form.
  std::vector<tile::AxisId> over_axes;
  std::optional<UnitProjection> unit;
};

enum class FallbackKind : std::uint8_t {
  None,          ///< a store, or bounds the author promises (assume)
  PositiveZero,  ///< none is written, or the literal +0 (0, false)
  Constant,      ///< another literal
  Value,         ///< a computed value
};

struct Access {
  tile::OpId op;
  bool is_store = false;
  tile::ObjectId object;
  tile::BoundsPolicy bounds = tile::BoundsPolicy::Zero;
  FallbackKind fallback = FallbackKind::None;
  std::optional<tile::Literal> fallback_literal;  ///< of kind Constant
  tile::ValueId fallback_value;                   ///< as written, or none
  tile::ValueId value;                            ///< the tile that is loaded or stored
  std::vector<AccessDimension> dimensions;        ///< one a dimension of the object
  OverDomain domain;

  /// The one dimension that unit-projects this axis, when no other dimension depends on the axis.
  std::optional<std::size_t> unit_dimension_of(tile::AxisId axis) const;
};

struct Accesses {
  std::vector<Access> all;                                       ///< in the order of the text
  IdVector<tile::OpId, std::optional<std::uint32_t>> positions;  ///< in `all`, of each load and store

  /// The access of a load or store; null for every other operation.
  const Access* of(tile::OpId op) const;
};

Accesses accesses(const tile::Program& program, const Walk& walk, const LeafRanges& ranges);

/// Which object dimension each axis of a rank-2 tile projects to, with unit coefficient. Rows before columns is a tile
/// in the orientation of the object; the other way round it is transposed.
struct Orientation {
  std::size_t row_dimension = 0;
  std::size_t column_dimension = 0;
  bool is_transposed() const { return row_dimension > column_dimension; }
  bool operator==(const Orientation&) const = default;
};

/// Nothing when an axis has no unit dimension of its own, or another dimension depends on a third axis.
std::optional<Orientation> orientation(const Access& access, tile::AxisId row, tile::AxisId column);

}  // namespace tilewright::analysis
