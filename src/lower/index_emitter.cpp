#include "lower/index_emitter.h"

#include <algorithm>

#include "tile/bind.h"

namespace tilewright::lower {

using kernel::BinaryKind;
using tile::IndexKind;

kernel::ValueId Point::at(tile::AxisId axis) const {
  for (const auto& [key, value] : entries_)
    if (key == axis) return value;
  TW_CHECK(!"the axis has a counter");
  return {};
}

kernel::ValueId IndexEmitter::emit(tile::IndexId expr, const Point& at) {
  const tile::IndexNode& node = program_.index()[expr];
  switch (node.kind) {
    case IndexKind::Constant:
      return b_.const_i64(node.value);
    case IndexKind::Coord: {
      const auto found = coords_.find(node.coord());
      TW_CHECK(found != coords_.end());
      return found->second;
    }
    case IndexKind::Axis:
      return at.at(node.axis());
    case IndexKind::Symbol:
    case IndexKind::Param:
      TW_CHECK(!"the program is bound");
      return {};
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::FloorDiv:
    case IndexKind::CeilDiv:
    case IndexKind::Mod:
    case IndexKind::Min:
    case IndexKind::Max:
    case IndexKind::BitAnd:
    case IndexKind::BitXor:
    case IndexKind::ShiftLeft:
    case IndexKind::ShiftRight:
      return emit_op(node, at);
  }
  return {};
}

kernel::ValueId IndexEmitter::emit_op(const tile::IndexNode& node, const Point& at) {
  const kernel::ValueId lhs = emit(node.lhs, at);
  const kernel::ValueId rhs = emit(node.rhs, at);
  switch (node.kind) {
    case IndexKind::Add:
      return b_.add(lhs, rhs);
    case IndexKind::Sub:
      return b_.sub(lhs, rhs);
    case IndexKind::Mul:
      return b_.mul(lhs, rhs);
    case IndexKind::FloorDiv:
      return b_.binary(BinaryKind::FloorDiv, lhs, rhs);
    case IndexKind::CeilDiv: {
      const kernel::ValueId zero = b_.const_i64(0);
      return b_.sub(zero, b_.binary(BinaryKind::FloorDiv, b_.sub(zero, lhs), rhs));
    }
    case IndexKind::Mod:
      return b_.binary(BinaryKind::FloorMod, lhs, rhs);
    case IndexKind::Min:
      return b_.binary(BinaryKind::Min, lhs, rhs);
    case IndexKind::Max:
      return b_.binary(BinaryKind::Max, lhs, rhs);
    case IndexKind::BitAnd:
      return b_.binary(BinaryKind::And, lhs, rhs);
    case IndexKind::BitXor:
      return b_.binary(BinaryKind::Xor, lhs, rhs);
    case IndexKind::ShiftLeft:
      return b_.binary(BinaryKind::Shl, lhs, rhs);
    case IndexKind::ShiftRight:
      return b_.binary(BinaryKind::Shr, lhs, rhs);
    case IndexKind::Constant:
    case IndexKind::Coord:
    case IndexKind::Axis:
    case IndexKind::Symbol:
    case IndexKind::Param:
      break;
  }
  return {};
}

kernel::ValueId IndexEmitter::emit_invariant(const LinearForm& form) {
  kernel::ValueId sum = b_.const_i64(form.constant);
  for (const auto& [factor, term] : form.terms) sum = b_.add(sum, scaled(b_, emit(term, {}), factor));
  return sum;
}

std::optional<tile::IndexRange> IndexEmitter::range(tile::IndexId expr) const {
  return program_.index().range_over(expr, [&](const tile::IndexNode& leaf) -> std::optional<tile::IndexRange> {
    std::int64_t trips = 0;
    if (leaf.kind == IndexKind::Axis) {
      trips = tile::bound_extent(program_, leaf.axis());
    } else if (leaf.kind == IndexKind::Coord) {
      const auto extent = range(program_.coords()[leaf.coord()].extent);
      if (!extent) return std::nullopt;
      trips = extent->high;
    } else {
      return std::nullopt;
    }
    return tile::IndexRange{0, std::max<std::int64_t>(trips, 1) - 1};
  });
}

}  // namespace tilewright::lower
