#include "proof/check/axis_moves.h"

#include <algorithm>
#include <set>

#include "proof/check/linear_coefficient.h"
#include "proof/check/program_points.h"

namespace tilewright::proof::check {

AxisMoves::AxisMoves(const tile::Program& program, tile::OpId op, const std::vector<tile::IndexId>& coords,
                     const Assumptions& assumptions, std::int64_t points, int samples)
    : program_(program),
      op_(op),
      points_(points),
      samples_(samples),
      trials_(trial_sizes(program, assumptions)),
      moved_by_(coords.size()) {
  std::set<tile::AxisId> unmoved;  // and not yet counted
  for (std::size_t d = 0; d < coords.size(); ++d)
    for (tile::AxisId axis : program.index().axes(coords[d])) {
      if (has_one_value(axis)) {
        unmoved.insert(axis);
      } else if (const Kind kind = kind_of(coords[d], axis); kind != Kind::Not) {
        moved_by_[d].push_back({axis, kind == Kind::ByOne});
      }
    }
  for (std::size_t d = 0; d < coords.size(); ++d)
    for (tile::AxisId axis : program.index().axes(coords[d]))
      if (moved_by_[d].empty() && unmoved.erase(axis) != 0) moved_by_[d].push_back({axis, true});
}

std::optional<tile::AxisId> AxisMoves::unit_axis(std::size_t d) const {
  return moved_by_[d].size() == 1 && moved_by_[d][0].by_one ? std::optional(moved_by_[d][0].axis) : std::nullopt;
}

std::optional<std::size_t> AxisMoves::own_dimension(tile::AxisId axis) const {
  std::optional<std::size_t> own;
  for (std::size_t d = 0; d < moved_by_.size(); ++d) {
    const auto& moves = moved_by_[d];
    if (std::none_of(moves.begin(), moves.end(), [&](const Move& move) { return move.axis == axis; })) continue;
    if (own || unit_axis(d) != axis) return std::nullopt;
    own = d;
  }
  return own;
}

AxisMoves::Kind AxisMoves::kind_of(tile::IndexId expr, tile::AxisId axis) const {
  const auto by = linear_coefficient(program_.index(), expr, tile::IndexKind::Axis, axis.index);
  if (!by) return tried(expr, axis);
  return *by == 0 ? Kind::Not : *by == 1 ? Kind::ByOne : Kind::Otherwise;
}

AxisMoves::Kind AxisMoves::tried(tile::IndexId expr, tile::AxisId axis) const {
  ProgramPoints points(program_, op_);
  points.fill_empty_extents();
  bool not_at_all = true, by_one = true, looked = false;
  for (const std::vector<std::int64_t>& sizes : trials_) {
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

/// Not only at the sizes that are tried, but also at the largest.
bool AxisMoves::has_one_value(tile::AxisId axis) const {
  const auto extent_at = [&](const std::vector<std::int64_t>& sizes) {
    tile::IndexEnvironment environment;
    environment.symbol = [&](tile::SymbolId id) { return std::optional(sizes.at(id.index)); };
    return program_.index().evaluate(program_.axes()[axis].extent, environment).value_or(2);
  };
  return extent_at(std::vector<std::int64_t>(program_.symbols().size(), kMostSize)) <= 1 &&
         std::all_of(trials_.begin(), trials_.end(), [&](const auto& sizes) { return extent_at(sizes) <= 1; });
}

}  // namespace tilewright::proof::check
