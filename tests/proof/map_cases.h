// Random small index maps, and what enumeration says about them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/case_random.h"
#include "proof/index_map.h"
#include "proof/map_total_in_bounds.h"
#include "proof/verdict.h"

namespace tilewright::proof {

using Point = std::vector<std::int64_t>;

/// By tile::IndexArena::evaluate; nothing for a point outside the domain or without a value.
std::optional<Point> value_at(const IndexMap& map, const Point& point);
std::optional<std::int64_t> result_at(const IndexMap& map, std::size_t result, const Point& point);
bool guards_hold(const GuardedMap& guarded, const Point& point);
bool inside(const Point& extents, const Point& point);
/// All points of a box, in row-major order.
std::vector<Point> all_points(const Point& extents);

struct MapTruth {
  bool total = true;          ///< all values exist and lie in the codomain
  std::vector<Point> values;  ///< of the selected points with a value, sorted
  bool injective = true, onto = true;
};
MapTruth truth_of(const GuardedMap& guarded);

/// Coordinates of a witness whose names are prefix0, prefix1, ..
Point witness_point(const Witness& witness, const std::string& prefix);

/// Any map at all: affine, mixed radix, xor and shift, deep expressions that may have no value.
IndexMap random_map(CaseRandom& random);
/// With results moved and extents set such that all values lie in the codomain, mostly without room to spare.
IndexMap random_total_map(CaseRandom& random);
/// Programs x tile coordinates with guards, often with one number off by one.
GuardedMap random_cover(CaseRandom& random);

/// A token for a map that is total and in bounds.
Proved<MapTotalInBounds> total_token(const IndexMap& map);

/// map.arena with the operation applied to a number.
tile::IndexId with_number(IndexMap& map, tile::IndexKind kind, tile::IndexId lhs, std::int64_t rhs);

}  // namespace tilewright::proof
