#include "proof/map_points.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::proof {

MapEvaluator::MapEvaluator(const tile::IndexArena& arena, std::vector<tile::IndexId> roots) {
  std::vector<char> wanted(arena.size(), 0);
  for (const tile::IndexId root : roots) wanted[root.index] = 1;
  for (std::size_t i = arena.size(); i-- > 0;) {
    const tile::IndexNode& node = arena[tile::IndexId{static_cast<std::uint32_t>(i)}];
    if (wanted[i] == 0 || tile::is_index_leaf(node.kind)) continue;
    // Operands enter the arena before the operation.
    TW_CHECK(node.lhs.index < i && node.rhs.index < i);
    wanted[node.lhs.index] = wanted[node.rhs.index] = 1;
  }
  std::vector<std::uint32_t> slots(arena.size(), 0);
  for (std::uint32_t i = 0; i < arena.size(); ++i) {
    if (wanted[i] == 0) continue;
    const tile::IndexNode& node = arena[tile::IndexId{i}];
    slots[i] = static_cast<std::uint32_t>(steps_.size());
    Step step{node.kind, node.value, 0, 0};
    if (!tile::is_index_leaf(node.kind)) {
      step.lhs = slots[node.lhs.index];
      step.rhs = slots[node.rhs.index];
    }
    steps_.push_back(step);
  }
  for (const tile::IndexId root : roots) root_slots_.push_back(slots[root.index]);
  values_.resize(steps_.size());
  valid_.resize(steps_.size());
}

void MapEvaluator::run(const MapPoint& point) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    valid_[i] = 1;
    if (step.kind == tile::IndexKind::Constant) {
      values_[i] = step.value;
    } else if (step.kind == tile::IndexKind::Axis) {
      values_[i] = point[static_cast<std::size_t>(step.value)];
    } else {
      std::optional<std::int64_t> value;
      if (valid_[step.lhs] != 0 && valid_[step.rhs] != 0)
        value = tile::apply_index_op(step.kind, values_[step.lhs], values_[step.rhs]);
      valid_[i] = value ? 1 : 0;
      values_[i] = value.value_or(0);
    }
  }
}

std::optional<std::int64_t> MapEvaluator::value(std::size_t k) const {
  if (valid_[root_slots_[k]] == 0) return std::nullopt;
  return values_[root_slots_[k]];
}

bool next_map_point(const std::vector<std::int64_t>& extents, MapPoint& point) {
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (++point[i] < extents[i]) return true;
    point[i] = 0;
  }
  return false;
}

std::uint64_t map_ordinal(const std::vector<std::int64_t>& extents, const MapPoint& point) {
  std::uint64_t ordinal = 0;
  for (std::size_t i = 0; i < extents.size(); ++i)
    ordinal = ordinal * static_cast<std::uint64_t>(extents[i]) + static_cast<std::uint64_t>(point[i]);
  return ordinal;
}

MapPoint map_point_at(const std::vector<std::int64_t>& extents, std::uint64_t ordinal) {
  MapPoint point(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(extents[i]);
    point[i] = static_cast<std::int64_t>(ordinal % extent);
    ordinal /= extent;
  }
  return point;
}

BoxSide box_side(std::int64_t extent, std::int64_t coordinate) {
  if (coordinate < 0) return BoxSide::Below;
  return coordinate < extent ? BoxSide::Inside : BoxSide::Above;
}

bool is_in_box(const std::vector<std::int64_t>& extents, const MapPoint& point) {
  if (extents.size() != point.size()) return false;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (box_side(extents[i], point[i]) != BoxSide::Inside) return false;
  return true;
}

std::optional<MapPoint> map_value(const IndexMap& map, const MapPoint& point) {
  if (!is_in_box(map.inputs, point)) return std::nullopt;
  MapEvaluator evaluator(map.arena, map.results);
  evaluator.run(point);
  MapPoint result;
  for (std::size_t i = 0; i < evaluator.size(); ++i) {
    const auto value = evaluator.value(i);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

void add_coordinates(Witness& witness, const std::string& prefix, const MapPoint& point) {
  for (std::size_t i = 0; i < point.size(); ++i) witness.point.push_back({fmt::format("{}{}", prefix, i), point[i]});
}

std::string map_point_text(const MapPoint& point) {
  std::string text = "(";
  for (std::size_t i = 0; i < point.size(); ++i) text += (i == 0 ? "" : ", ") + fmt::format("{}", point[i]);
  return text + ")";
}

Certificate map_certificate(const GuardedMap& guarded, std::uint64_t points, std::vector<Premise> premises) {
  Certificate certificate{{}, index_map_subject(guarded), kNoOperation, std::move(premises), index_map_fields(guarded)};
  certificate.fields.push_back({"points", fmt::format("{}", points)});
  return certificate;
}

Unknown map_quota(std::uint64_t limit) {
  return {kMapQuota, fmt::format("no method applies, and more than {} points would have to be enumerated", limit)};
}

}  // namespace tilewright::proof
