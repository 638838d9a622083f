#include "tile/interpreter_coordinates.h"

#include <algorithm>
#include <map>

#include "tile/interpreter_walk.h"

namespace tilewright::tile {

namespace {

IndexId flatten(const IndexArena& arena, IndexId expr, std::map<IndexId, IndexId>& done,
                std::vector<IndexNode>& nodes) {
  if (auto found = done.find(expr); found != done.end()) return found->second;
  IndexNode node = arena[expr];
  if (!is_index_leaf(node.kind)) {
    node.lhs = flatten(arena, node.lhs, done, nodes);
    node.rhs = flatten(arena, node.rhs, done, nodes);
  }
  nodes.push_back(node);
  const IndexId position{static_cast<std::uint32_t>(nodes.size() - 1)};
  done.emplace(expr, position);
  return position;
}

}  // namespace

IndexCode::IndexCode(const IndexArena& arena, IndexId expr) {
  std::map<IndexId, IndexId> done;
  flatten(arena, expr, done, nodes_);
  results_.resize(nodes_.size());
}

std::optional<std::int64_t> IndexCode::run(const CoordinateValues& at) {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const IndexNode& node = nodes_[n];
    if (node.kind == IndexKind::Constant) {
      results_[n] = node.value;
    } else if (node.kind == IndexKind::Coord) {
      results_[n] = at.coords[node.coord().index];
    } else if (node.kind == IndexKind::Axis) {
      results_[n] = at.axes[node.axis().index];
    } else if (is_index_leaf(node.kind)) {
      return std::nullopt;
    } else {
      const auto value = apply_index_op(node.kind, results_[node.lhs.index], results_[node.rhs.index]);
      if (!value) return std::nullopt;
      results_[n] = *value;
    }
  }
  return results_.back();
}

CoordinateTable::CoordinateTable(const Program& program, IndexId expr, const std::vector<std::int64_t>& axis_extents)
    : code_(program.index(), expr), axes_(program.index().axes(expr)) {
  std::int64_t size = 1;
  for (AxisId axis : axes_) {
    extents_.push_back(axis_extents[axis.index]);
    size *= extents_.back();
  }
  values_.resize(static_cast<std::size_t>(size));
}

std::vector<std::int64_t> CoordinateTable::strides_over(const std::vector<AxisId>& space) const {
  const std::vector<std::int64_t> own = row_major(extents_);
  std::vector<std::int64_t> strides;
  for (AxisId axis : space) {
    const auto found = std::find(axes_.begin(), axes_.end(), axis);
    strides.push_back(found == axes_.end() ? 0 : own[static_cast<std::size_t>(found - axes_.begin())]);
  }
  return strides;
}

bool CoordinateTable::fill(CoordinateValues& at) {
  std::size_t next = 0;
  bool valued = true;
  for_each_point(extents_, false, [&](const std::vector<std::int64_t>& position) {
    for (std::size_t d = 0; d < axes_.size(); ++d) at.axes[axes_[d].index] = position[d];
    const auto value = code_.run(at);
    valued = valued && value.has_value();
    values_[next++] = value.value_or(0);
  });
  return valued;
}

}  // namespace tilewright::tile
