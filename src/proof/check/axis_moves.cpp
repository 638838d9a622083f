#include "proof/check/axis_moves.h"

#include <algorithm>

#include "proof/check/program_points.h"

namespace tilewright::proof::check {

AxisMoves::Kind AxisMoves::of(tile::IndexId expr, tile::AxisId axis) const {
  const auto by = coefficient(expr, axis);
  if (!by) return tried(expr, axis);
  return *by == 0 ? Kind::Not : *by == 1 ? Kind::ByOne : Kind::Otherwise;
}

std::optional<tile::AxisId> AxisMoves::unit_axis(tile::IndexId expr) const {
  std::optional<tile::AxisId> only;
  for (tile::AxisId axis : program_.index().axes(expr)) {
    const Kind kind = of(expr, axis);
    if (kind == Kind::Not) continue;
    if (kind == Kind::Otherwise || only) return std::nullopt;
    only = axis;
  }
  return only;
}

bool AxisMoves::stays(tile::IndexId expr) const {
  const auto axes = program_.index().axes(expr);
  return std::all_of(axes.begin(), axes.end(), [&](tile::AxisId axis) { return of(expr, axis) == Kind::Not; });
}

std::optional<std::size_t> AxisMoves::own_dimension(const std::vector<tile::IndexId>& coords, tile::AxisId axis) const {
  std::optional<std::size_t> own;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    if (of(coords[d], axis) == Kind::Not) continue;
    if (own || unit_axis(coords[d]) != axis) return std::nullopt;
    own = d;
  }
  return own;
}

/// Of the axis in a sum of products with numbers; nothing for any other tree that holds the axis.
std::optional<std::int64_t> AxisMoves::coefficient(tile::IndexId expr, tile::AxisId axis) const {
  const tile::IndexArena& index = program_.index();
  const tile::IndexNode& node = index[expr];
  const auto held = index.axes(expr);
  if (std::find(held.begin(), held.end(), axis) == held.end()) return 0;
  if (node.kind == tile::IndexKind::Axis) return 1;
  const auto a = coefficient(node.lhs, axis), b = coefficient(node.rhs, axis);
  std::int64_t result = 0;
  if (!a || !b) return std::nullopt;
  if (node.kind == tile::IndexKind::Add && !__builtin_add_overflow(*a, *b, &result)) return result;
  if (node.kind == tile::IndexKind::Sub && !__builtin_sub_overflow(*a, *b, &result)) return result;
  if (node.kind != tile::IndexKind::Mul) return std::nullopt;
  const auto left = index.as_constant(node.lhs), right = index.as_constant(node.rhs);
  if (right && !__builtin_mul_overflow(*a, *right, &result)) return result;
  if (left && !__builtin_mul_overflow(*left, *b, &result)) return result;
  return std::nullopt;
}

AxisMoves::Kind AxisMoves::tried(tile::IndexId expr, tile::AxisId axis) const {
  ProgramPoints points(program_, op_);
  bool not_at_all = true, by_one = true, looked = false;
  for (const std::vector<std::int64_t>& sizes : trial_sizes(program_, assumptions_.least_size)) {
    points.set_sizes(sizes);
    points.visit(points_, samples_, [&] {
      const auto at = points.value(expr), origin = points.value(expr, axis, 0), moved = points.axis(axis);
      looked = looked || moved.value_or(0) > 0;
      not_at_all = not_at_all && at && origin && *at == *origin;
      by_one = by_one && at && origin && moved && *at - *moved == *origin;
      return not_at_all || by_one;
    });
    if (!not_at_all && !by_one) return Kind::Otherwise;
  }
  return not_at_all && looked ? Kind::Not : by_one ? Kind::ByOne : Kind::Otherwise;
}

}  // namespace tilewright::proof::check
