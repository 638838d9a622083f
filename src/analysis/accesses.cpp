#include "analysis/accesses.h"

#include <algorithm>

namespace tilewright::analysis {

using tile::AxisId;
using tile::IndexId;

namespace {

bool depends_on(const AccessDimension& dimension, AxisId axis) {
  return std::find(dimension.over_axes.begin(), dimension.over_axes.end(), axis) != dimension.over_axes.end();
}

std::vector<AxisId> axes_of(const AffineForm& form) {
  std::vector<AxisId> axes;
  for (const Leaf& leaf : form.varying())
    if (leaf.kind == tile::IndexKind::Axis) axes.push_back(AxisId{leaf.index});
  return axes;
}

AccessDimension dimension_of(const tile::Program& program, IndexId expr, IndexId extent, const LeafRanges& ranges) {
  return {expr, affine_form(program, expr, ranges), extent, program.index().as_constant(extent), {}, {}};
}

class AxesOfOneValue {
 public:
  AxesOfOneValue(const tile::Program& program, const LeafRanges& ranges) : program_(program), ranges_(ranges) {}

  /// Once for the coordinates of one operation.
  void settle(std::vector<AccessDimension>& dimensions) const {
    std::vector<AxisId> counted;
    for (AccessDimension& dimension : dimensions) {
      if (!dimension.form) continue;
      std::erase_if(dimension.form->terms, [&](const Term& term) {
        return std::any_of(term.factors.begin(), term.factors.end(), [&](const Leaf& leaf) {
          return leaf.kind == tile::IndexKind::Axis && has_one_value(AxisId{leaf.index});
        });
      });
      for (AxisId axis : program_.index().axes(dimension.expr)) {
        if (!has_one_value(axis) || std::find(counted.begin(), counted.end(), axis) != counted.end()) continue;
        if (!axes_of(*dimension.form).empty()) continue;
        *dimension.form = *add_scaled(*dimension.form, AffineForm{0, {Term{{Leaf::of(axis)}, 1}}}, 1);
        counted.push_back(axis);
      }
    }
  }

 private:
  bool has_one_value(AxisId axis) const {
    const std::optional<tile::IndexRange> range = ranges_.axes[axis];
    return range && range->high == 0;
  }

  const tile::Program& program_;
  const LeafRanges& ranges_;
};

void describe_axes(const tile::Program& program, AccessDimension& dimension) {
  dimension.over_axes = dimension.form ? axes_of(*dimension.form) : program.index().axes(dimension.expr);
  if (!dimension.form || dimension.over_axes.size() != 1) return;
  const Leaf leaf = Leaf::of(dimension.over_axes[0]);
  AffineForm origin = without(*dimension.form, leaf);
  if (dimension.form->coefficient(leaf) == 1 && !origin.involves(leaf))
    dimension.unit = UnitProjection{dimension.over_axes[0], std::move(origin)};
}

void describe_fallback(const tile::Program& program, const tile::LoadOp& load, Access& access) {
  access.fallback_value = load.fallback;
  if (load.bounds == tile::BoundsPolicy::Assume) return;
  access.fallback = FallbackKind::PositiveZero;
  if (!load.fallback.valid()) return;
  access.fallback = FallbackKind::Value;
  const tile::OpId def = program.value(load.fallback).def;
  const auto* constant = def.valid() ? std::get_if<tile::ConstantOp>(&program.op(def).payload) : nullptr;
  if (constant == nullptr) return;
  const bool zero = constant->literal == tile::Literal::of(0.0);
  access.fallback = zero ? FallbackKind::PositiveZero : FallbackKind::Constant;
  if (!zero) access.fallback_literal = constant->literal;
}

}  // namespace

std::optional<std::size_t> Access::unit_dimension_of(AxisId axis) const {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (!depends_on(dimensions[d], axis)) continue;
    if (found || !dimensions[d].unit) return std::nullopt;
    found = d;
  }
  return found;
}

const Access* Accesses::of(tile::OpId op) const {
  const std::optional<std::uint32_t> position = positions[op];
  return position ? &all[*position] : nullptr;
}

Accesses accesses(const tile::Program& program, const Walk& walk, const LeafRanges& ranges) {
  Accesses result;
  result.positions.resize(program.ops().size());
  for (tile::OpId op : walk.order) {
    const auto* load = std::get_if<tile::LoadOp>(&program.op(op).payload);
    const auto* store = std::get_if<tile::StoreOp>(&program.op(op).payload);
    if (load == nullptr && store == nullptr) continue;
    Access access;
    access.op = op;
    access.is_store = store != nullptr;
    access.object = load != nullptr ? load->object : store->object;
    access.bounds = load != nullptr ? load->bounds : store->bounds;
    access.value = load != nullptr ? program.list(program.op(op).results)[0] : store->value;
    if (load != nullptr) describe_fallback(program, *load, access);
    const std::vector<IndexId>& extents = program.object(access.object).extents;
    const std::vector<IndexId> coords = program.list(load != nullptr ? load->coords : store->coords);
    for (std::size_t d = 0; d < coords.size(); ++d)
      access.dimensions.push_back(dimension_of(program, coords[d], extents[d], ranges));
    AxesOfOneValue(program, ranges).settle(access.dimensions);
    for (AccessDimension& dimension : access.dimensions) describe_axes(program, dimension);
    access.domain = over_domain(program, walk, op);
    result.positions[op] = static_cast<std::uint32_t>(result.all.size());
    result.all.push_back(std::move(access));
  }
  return result;
}

std::optional<Orientation> orientation(const Access& access, AxisId row, AxisId column) {
  for (const AccessDimension& dimension : access.dimensions)
    for (AxisId axis : dimension.over_axes)
      if (axis != row && axis != column) return std::nullopt;
  const auto row_dimension = access.unit_dimension_of(row);
  const auto column_dimension = access.unit_dimension_of(column);
  if (!row_dimension || !column_dimension || row_dimension == column_dimension) return std::nullopt;
  return Orientation{*row_dimension, *column_dimension};
}

}  // namespace tilewright::analysis
