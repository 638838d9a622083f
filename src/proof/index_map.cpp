#include "proof/index_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::proof {

namespace {

/// Sizes of the nodes up to `root` as trees, each cut off above the limit.
std::size_t expression_nodes(const tile::IndexArena& arena, tile::IndexId root) {
  std::vector<std::size_t> sizes(root.index + 1, 1);
  for (std::uint32_t i = 0; i <= root.index; ++i) {
    const tile::IndexNode& node = arena[tile::IndexId{i}];
    if (tile::is_index_leaf(node.kind)) continue;
    sizes[i] = std::min(1 + sizes[node.lhs.index] + sizes[node.rhs.index], kMaxExpressionNodes + 1);
  }
  return sizes[root.index];
}

std::optional<std::string> expression_fault(const IndexMap& map, tile::IndexId root, const std::string& name) {
  if (!root.valid() || root.index >= map.arena.size()) return name + " is no expression of the arena";
  if (expression_nodes(map.arena, root) > kMaxExpressionNodes)
    return fmt::format("{} has more than {} nodes", name, kMaxExpressionNodes);
  for (const tile::IndexKind kind : {tile::IndexKind::Symbol, tile::IndexKind::Param, tile::IndexKind::Coord})
    if (!map.arena.leaves(root, kind).empty()) return name + " has a leaf that is no input";
  for (const tile::AxisId axis : map.arena.axes(root))
    if (axis.index >= map.inputs.size())
      return fmt::format("{} reads d{}, and the map has {} inputs", name, axis.index, map.inputs.size());
  return std::nullopt;
}

}  // namespace

std::optional<std::string> index_map_fault(const IndexMap& map) {
  for (const auto* extents : {&map.inputs, &map.outputs})
    for (const std::int64_t extent : *extents)
      if (extent < 0) return fmt::format("the extent {} is negative", extent);
  if (map.results.size() != map.outputs.size())
    return fmt::format("{} results for {} outputs", map.results.size(), map.outputs.size());
  for (std::size_t i = 0; i < map.results.size(); ++i)
    if (auto fault = expression_fault(map, map.results[i], fmt::format("result {}", i))) return fault;
  return std::nullopt;
}

std::optional<std::string> index_map_fault(const GuardedMap& guarded) {
  if (auto fault = index_map_fault(guarded.map)) return fault;
  for (std::size_t i = 0; i < guarded.guards.size(); ++i)
    if (auto fault = expression_fault(guarded.map, guarded.guards[i].value, fmt::format("clause {}", i))) return fault;
  return std::nullopt;
}

std::optional<std::uint64_t> box_points(const std::vector<std::int64_t>& extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  std::uint64_t points = 1;
  for (const std::int64_t extent : extents)
    if (__builtin_mul_overflow(points, static_cast<std::uint64_t>(extent), &points)) return std::nullopt;
  return points;
}

std::string print_index_map(const IndexMap& map) { return print_index_map(GuardedMap{map, {}}); }

std::string print_index_map(const GuardedMap& guarded) {
  std::string text;
  for (const Field& field : index_map_fields(guarded)) text += field.name + " " + field.value + "\n";
  return text;
}

Hash128 index_map_subject(const IndexMap& map) { return index_map_subject(GuardedMap{map, {}}); }

Hash128 index_map_subject(const GuardedMap& guarded) {
  return HashBuilder().add_bytes("index map").add_bytes(print_index_map(guarded)).finish();
}

}  // namespace tilewright::proof
