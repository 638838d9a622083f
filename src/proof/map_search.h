// Internal to the families map.*: what several of them ask of a map whose domain is not empty and on which every part
// of every expression has a value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "proof/map_points.h"
#include "proof/map_system.h"

namespace tilewright::proof {

using MapCollision = std::pair<MapPoint, MapPoint>;

struct Injectivity {
  enum class Kind : std::uint8_t { Injective, Collides, Open };
  Kind kind = Kind::Open;
  MapCollision collision;  ///< Collides: two points of the domain with one value
};
Injectivity decide_injective(const IndexMap& map, std::uint64_t limit);

/// A point of the codomain that no point of the domain has as value.
std::optional<MapPoint> find_unreached(const IndexMap& map, std::uint64_t limit);

/// Whether the ranges alone show that every part of the expression has a value for all points, and which range holds
/// them. The domain must not be empty.
std::optional<tile::IndexRange> value_range(const IndexMap& map, tile::IndexId expression);

/// The inputs, results (by position in `rows`) and points of one component, by itself: other variables stay 0.
struct ComponentBox {
  std::vector<std::int64_t> extents;  ///< of the variables of the component
  std::optional<std::uint64_t> points;
};
ComponentBox component_box(const MapSystem& system, const MapComponent& component);
/// The point of the domain with these variables of the component, the others 0.
MapPoint component_point(const MapSystem& system, const MapComponent& component, const MapPoint& values,
                         std::size_t inputs);

Witness collision_witness(const IndexMap& map, const MapCollision& collision);
Witness unreached_witness(const MapPoint& output);

}  // namespace tilewright::proof
