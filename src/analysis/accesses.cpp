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
  AccessDimension dimension{expr, affine_form(program, expr, ranges), extent, program.index().as_constant(extent), {},
                            {}};
  if (!dimension.form) {
    dimension.over_axes = program.index().axes(expr);
    return dimension;
  }
  dimension.over_axes = axes_of(*dimension.form);
  if (dimension.over_axes.size() != 1) return dimension;
  const Leaf leaf = Leaf::of(dimension.over_axes[0]);
  AffineForm origin = without(*dimension.form, leaf);
  if (dimension.form->coefficient(leaf) == 1 && !origin.involves(leaf))
    dimension.unit = UnitProjection{dimension.over_axes[0], std::move(origin)};
  return dimension;
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
