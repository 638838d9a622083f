#include "lower/index_emitter.h"

#include <algorithm>

#include "support/checked_math.h"
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
  if (span_ != nullptr && (node.kind == IndexKind::Add || node.kind == IndexKind::Sub))
    if (const auto form = linear_form(program_.index(), expr); form && factor_of_element(*form, at))
      return emit_linear(*form, at);
  switch (node.kind) {
    case IndexKind::Constant:
      return b_.const_i64(node.value);
    case IndexKind::Coord:
      return emit_coord(node.coord());
    case IndexKind::Axis:
      return emit_axis(node.axis(), at);
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

kernel::ValueId IndexEmitter::emit_coord(tile::CoordId coord) {
  if (span_ != nullptr) {
    std::int64_t step = span_->extent;
    for (std::size_t d = span_->coords.size(); d-- > 0; step *= span_->extents[d]) {
      if (span_->coords[d] != coord) continue;
      if (span_->extents[d] == 1) return b_.const_i64(0);
      const kernel::ValueId divisor = b_.const_i64(step);
      const kernel::ValueId trips = b_.binary(BinaryKind::FloorDiv, span_->element, divisor);
      if (d == 0) return trips;
      const kernel::ValueId extent = b_.const_i64(span_->extents[d]);
      return b_.binary(BinaryKind::FloorMod, trips, extent);
    }
  }
  const auto found = coords_.find(coord);
  TW_CHECK(found != coords_.end());
  return found->second;
}

kernel::ValueId IndexEmitter::emit_axis(tile::AxisId axis, const Point& at) {
  const kernel::ValueId counter = at.at(axis);
  if (span_ == nullptr || axis != span_->axis || counter != span_->element || span_->iterations() == 1) return counter;
  const kernel::ValueId extent = b_.const_i64(span_->extent);
  return b_.binary(BinaryKind::FloorMod, counter, extent);
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

kernel::ValueId IndexEmitter::emit_linear(const LinearForm& form, const Point& at) {
  const auto factor = factor_of_element(form, at);
  kernel::ValueId sum;
  if (factor) {
    sum = b_.const_i64(form.constant);
    for (const auto& [by, term] : form.terms)
      if (!is_of_span(term)) sum = b_.add(sum, scaled(b_, emit(term, {}), by));
    sum = b_.add(sum, scaled(b_, span_->element, *factor));
  } else {
    sum = emit_invariant(form);
  }
  for (const auto& [axis, counter] : at.entries()) {
    const auto found = form.factors.find(axis);
    if (found == form.factors.end() || (factor && axis == span_->axis)) continue;
    sum = b_.add(sum, scaled(b_, emit_axis(axis, at), found->second));
  }
  return sum;
}

// ---- Spans ---------------------------------------------------------------------------------------------------------

std::int64_t ElementSpan::iterations() const {
  std::int64_t count = 1;
  for (std::int64_t trips : extents) count *= trips;
  return count;
}

bool IndexEmitter::is_of_span(tile::IndexId term) const {
  const tile::IndexNode& node = program_.index()[term];
  return node.kind == IndexKind::Coord &&
         std::find(span_->coords.begin(), span_->coords.end(), node.coord()) != span_->coords.end();
}

bool IndexEmitter::at_span_element(const Point& at) const {
  if (!span_->axis.valid()) return true;
  const auto& entries = at.entries();
  return std::find(entries.begin(), entries.end(), std::pair(span_->axis, span_->element)) != entries.end();
}

std::optional<std::int64_t> IndexEmitter::factor_of_element(const LinearForm& form, const Point& at) const {
  if (span_ == nullptr || !at_span_element(at)) return std::nullopt;
  std::optional<std::int64_t> factor;
  std::int64_t step = 1;
  // Digits of the element, innermost first: each must count what one step of it moves the element.
  const auto fits = [&](std::int64_t by, std::int64_t digits) {
    if (digits == 1) return true;
    if (!factor) factor = by;
    const auto expected = checked_mul(*factor, step);
    step *= digits;
    return expected == by;
  };
  if (span_->axis.valid()) {
    const auto own = form.factors.find(span_->axis);
    if (!fits(own == form.factors.end() ? 0 : own->second, span_->extent)) return std::nullopt;
  }
  for (std::size_t d = span_->coords.size(); d-- > 0;) {
    std::int64_t by = 0;
    for (const auto& [term_factor, term] : form.terms) {
      const tile::IndexNode& node = program_.index()[term];
      if (node.kind != IndexKind::Coord || node.coord() != span_->coords[d]) continue;
      const auto sum = checked_add(by, term_factor);
      if (!sum) return std::nullopt;
      by = *sum;
    }
    if (!fits(by, span_->extents[d])) return std::nullopt;
  }
  return factor == 0 ? std::nullopt : factor;
}

bool IndexEmitter::surely_inside(const LinearForm& form, const Point& at, std::int64_t extent) const {
  const auto factor = factor_of_element(form, at);
  if (!factor) return false;
  for (const auto& [by, term] : form.terms)
    if (!is_of_span(term)) return false;
  for (const auto& [axis, by] : form.factors)
    if (axis != span_->axis) return false;
  const auto reach = checked_mul(*factor, span_->bound - 1);
  const auto last = reach ? checked_add(form.constant, *reach) : reach;
  return last && std::min(form.constant, *last) >= 0 && std::max(form.constant, *last) < extent;
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
