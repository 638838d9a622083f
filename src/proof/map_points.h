// Internal to the families map.*: points of boxes, values of maps at them, and witnesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/certificate.h"
#include "proof/index_map.h"
#include "proof/verdict.h"
#include "tile/index.h"

namespace tilewright::proof {

using MapPoint = std::vector<std::int64_t>;

/// Values of several expressions at a point, each node of the arena computed once.
class MapEvaluator {
 public:
  MapEvaluator(const tile::IndexArena& arena, std::vector<tile::IndexId> roots);

  /// Computes every root. Results stay until the next call.
  void run(const MapPoint& point);
  /// Value of root k; nothing when a part of it overflows or divides by zero.
  std::optional<std::int64_t> value(std::size_t k) const;
  std::size_t size() const { return root_slots_.size(); }

 private:
  struct Step {
    tile::IndexKind kind{};
    std::int64_t value = 0;  ///< the constant, or the input
    std::uint32_t lhs = 0, rhs = 0;
  };

  std::vector<Step> steps_;
  std::vector<std::uint32_t> root_slots_;
  std::vector<std::int64_t> values_;
  std::vector<char> valid_;
};

/// The point after `point` in row-major order; false after the last. The box must not be empty.
bool next_map_point(const std::vector<std::int64_t>& extents, MapPoint& point);

/// Row-major ordinal of a point inside a box whose points fit 64 bits.
std::uint64_t map_ordinal(const std::vector<std::int64_t>& extents, const MapPoint& point);
MapPoint map_point_at(const std::vector<std::int64_t>& extents, std::uint64_t ordinal);

/// Whether point lies in the box. The one place that compares a coordinate with an extent.
enum class BoxSide : std::uint8_t { Inside, Below, Above };
BoxSide box_side(std::int64_t extent, std::int64_t coordinate);
bool is_in_box(const std::vector<std::int64_t>& extents, const MapPoint& point);

/// All results at a point of the domain, or nothing.
std::optional<MapPoint> map_value(const IndexMap& map, const MapPoint& point);

/// Appends d0, d1, .. (with a prefix) to a witness.
void add_coordinates(Witness& witness, const std::string& prefix, const MapPoint& point);
std::string map_point_text(const MapPoint& point);

/// A certificate that states the map and the number of its points, before it is issued.
Certificate map_certificate(const GuardedMap& guarded, std::uint64_t points, std::vector<Premise> premises);

/// "quota": the limit of the caller ended the search.
inline constexpr std::string_view kMapQuota = "quota";
Unknown map_quota(std::uint64_t limit);

}  // namespace tilewright::proof
