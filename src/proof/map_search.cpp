#include "proof/map_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/map_bits.h"

namespace tilewright::proof {

namespace {

using AnswerKind = Injectivity::Kind;

/// Two points count as a collision only after the map itself has been evaluated at both.
std::optional<MapCollision> confirmed_collision(const IndexMap& map, MapPoint first, MapPoint second) {
  if (first == second) return std::nullopt;
  const auto value = map_value(map, first);
  if (!value || value != map_value(map, second)) return std::nullopt;
  return MapCollision{std::move(first), std::move(second)};
}

/// Row-major ordinals of values and of the points that have them.
class ValueTable {
 public:
  void add(std::uint64_t value, std::uint64_t point) { entries_.emplace_back(value, point); }

  std::optional<std::pair<std::uint64_t, std::uint64_t>> equal_pair() {
    std::sort(entries_.begin(), entries_.end());
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (entries_[i - 1].first == entries_[i].first) return std::pair(entries_[i - 1].second, entries_[i].second);
    return std::nullopt;
  }

  std::uint64_t first_missing() {
    std::sort(entries_.begin(), entries_.end());
    std::uint64_t expected = 0;
    for (const auto& [value, point] : entries_) {
      if (value > expected) break;
      expected = value + 1;
    }
    return expected;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_;
};

std::vector<tile::IndexId> component_results(const IndexMap& map, const MapComponent& component) {
  std::vector<tile::IndexId> roots;
  for (const std::size_t row : component.rows) roots.push_back(map.results[row]);
  return roots;
}

std::vector<std::int64_t> component_outputs(const IndexMap& map, const MapComponent& component) {
  std::vector<std::int64_t> extents;
  for (const std::size_t row : component.rows) extents.push_back(map.outputs[row]);
  return extents;
}

/// Values at the first points of a component, at most limit. Values outside the codomain are left out.
ValueTable tabulate(const IndexMap& map, const MapSystem& system, const MapComponent& component, std::uint64_t limit) {
  ValueTable table;
  MapEvaluator evaluator(map.arena, component_results(map, component));
  const ComponentBox box = component_box(system, component);
  const std::vector<std::int64_t> outputs = component_outputs(map, component);
  MapPoint values(box.extents.size());
  MapPoint result(outputs.size());
  for (std::uint64_t ordinal = 0; ordinal < std::max<std::uint64_t>(limit, 1); ++ordinal) {
    evaluator.run(component_point(system, component, values, map.inputs.size()));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = evaluator.value(i).value_or(-1);
    if (is_in_box(outputs, result)) table.add(map_ordinal(outputs, result), ordinal);
    if (!next_map_point(box.extents, values)) break;
  }
  return table;
}

/// Whether `limit` allows to enumerate all points of the component, and values have ordinals.
bool is_enumerable(const IndexMap& map, const MapSystem& system, const MapComponent& component, std::uint64_t limit) {
  const auto points = component_box(system, component).points;
  return points && *points <= std::max<std::uint64_t>(limit, 1) && box_points(component_outputs(map, component));
}

std::optional<MapCollision> component_collision(const IndexMap& map, const MapSystem& system,
                                                const MapComponent& component, std::uint64_t limit) {
  if (!box_points(component_outputs(map, component))) return std::nullopt;
  const auto pair = tabulate(map, system, component, limit).equal_pair();
  if (!pair) return std::nullopt;
  const ComponentBox box = component_box(system, component);
  const auto at = [&](std::uint64_t ordinal) {
    return component_point(system, component, map_point_at(box.extents, ordinal), map.inputs.size());
  };
  return confirmed_collision(map, at(pair->first), at(pair->second));
}

std::optional<MapCollision> cheap_collision(const IndexMap& map, const MapSystem& system) {
  if (const auto pair = affine_collision(system))
    if (auto found = confirmed_collision(map, system.point(pair->first, map.inputs.size()),
                                         system.point(pair->second, map.inputs.size())))
      return found;
  if (const auto bits = make_bit_map(map))
    if (auto kernel = bit_kernel(*bits)) return confirmed_collision(map, MapPoint(map.inputs.size()), *kernel);
  return std::nullopt;
}

bool provably_injective(const IndexMap& map) {
  if (affine_rows_separate(make_map_system(map, map.results, Digits::Covering))) return true;
  const auto bits = make_bit_map(map);
  return bits && !bit_kernel(*bits);
}

std::optional<MapPoint> unreached_in_component(const IndexMap& map, const MapSystem& system,
                                               const MapComponent& component, std::uint64_t limit) {
  if (!is_enumerable(map, system, component, limit)) return std::nullopt;
  const std::vector<std::int64_t> outputs = component_outputs(map, component);
  const std::uint64_t missing = tabulate(map, system, component, limit).first_missing();
  if (missing >= *box_points(outputs)) return std::nullopt;
  MapPoint output(map.outputs.size());
  const MapPoint part = map_point_at(outputs, missing);
  for (std::size_t i = 0; i < part.size(); ++i) output[component.rows[i]] = part[i];
  return output;
}

}  // namespace

Injectivity decide_injective(const IndexMap& map, std::uint64_t limit) {
  const auto points = box_points(map.inputs);
  if (points && *points == 1) return {AnswerKind::Injective, {}};
  if (provably_injective(map)) return {AnswerKind::Injective, {}};
  // Over exact digits the domain is the product of its components, and the map is injective when each of them is.
  const MapSystem system = make_map_system(map, map.results, Digits::Exact);
  if (auto collision = cheap_collision(map, system)) return {AnswerKind::Collides, std::move(*collision)};
  bool complete = true;
  for (const MapComponent& component : split_components(system)) {
    if (auto collision = component_collision(map, system, component, limit))
      return {AnswerKind::Collides, std::move(*collision)};
    complete = complete && is_enumerable(map, system, component, limit);
  }
  return {complete ? AnswerKind::Injective : AnswerKind::Open, {}};
}

std::optional<MapPoint> find_unreached(const IndexMap& map, std::uint64_t limit) {
  const auto outputs = box_points(map.outputs);
  if (outputs && *outputs == 0) return std::nullopt;
  const auto single = [&](std::size_t row, std::int64_t value) {
    MapPoint output(map.outputs.size());
    output[row] = value;
    return output;
  };
  const MapSystem system = make_map_system(map, map.results, Digits::Exact);
  for (std::size_t row = 0; row < map.results.size(); ++row) {
    if (const auto& affine = system.rows[row].affine)
      if (const auto value = unreached_by_row(*affine, system.variables, map.outputs[row])) return single(row, *value);
    const auto range = value_range(map, map.results[row]);
    if (range && (range->low > 0 || range->high < 0)) return single(row, 0);
    if (range && range->high < map.outputs[row] - 1) return single(row, map.outputs[row] - 1);
  }
  if (const auto bits = make_bit_map(map))
    for (MapPoint& output : bit_unreached(*bits))
      if (is_in_box(map.outputs, output)) return std::move(output);
  for (const MapComponent& component : split_components(system))
    if (auto output = unreached_in_component(map, system, component, limit)) return output;
  return std::nullopt;
}

std::optional<tile::IndexRange> value_range(const IndexMap& map, tile::IndexId expression) {
  return map.arena.range_over(expression, [&](const tile::IndexNode& leaf) -> std::optional<tile::IndexRange> {
    if (leaf.kind != tile::IndexKind::Axis) return std::nullopt;
    return tile::IndexRange{0, map.inputs[static_cast<std::size_t>(leaf.value)] - 1};
  });
}

ComponentBox component_box(const MapSystem& system, const MapComponent& component) {
  ComponentBox box;
  for (const std::size_t variable : component.variables) box.extents.push_back(system.variables[variable].extent);
  box.points = box_points(box.extents);
  return box;
}

MapPoint component_point(const MapSystem& system, const MapComponent& component, const MapPoint& values,
                         std::size_t inputs) {
  MapPoint point(inputs);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const MapVariable& variable = system.variables[component.variables[i]];
    point[variable.input] += variable.weight * values[i];
  }
  return point;
}

Witness collision_witness(const IndexMap& map, const MapCollision& collision) {
  Witness witness;
  add_coordinates(witness, "d", collision.first);
  add_coordinates(witness, "other_d", collision.second);
  witness.violates = fmt::format("{} and {} have one value, {}", map_point_text(collision.first),
                                 map_point_text(collision.second), map_point_text(*map_value(map, collision.first)));
  return witness;
}

Witness unreached_witness(const MapPoint& output) {
  Witness witness;
  add_coordinates(witness, "y", output);
  witness.violates = fmt::format("no point has the value {}", map_point_text(output));
  return witness;
}

}  // namespace tilewright::proof
