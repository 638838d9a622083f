#include "proof/check/axis_moves.h"

#include <algorithm>

#include "proof/check/linear_coefficient.h"
#include "proof/check/program_points.h"

namespace tilewright::proof::check {

AxisMoves::Kind AxisMoves::of(tile::IndexId expr, tile::AxisId axis) const {
  const auto by = linear_coefficient(program_.index(), expr, tile::IndexKind::Axis, axis.index);
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
