// PROOF map.bijective
// Question    For every point of the codomain of an index map: is it the value of exactly one point of the domain?
// Premises    P1 map.total_in_bounds of the same map (earlier proof, taken as a token).
// Method      A map between boxes of equally many points is bijective when it is injective: the methods of
//             map.injective. To disprove also: the ends of the range of a result, a common divisor of its
//             coefficients, a gap between its radices, an output bit that depends on others, the missing values of an
//             enumerated component. More points than values are disproved only by two points that collide, fewer only
//             by a value that is missing.
// Conclusion  Proved: the map may renumber programs, elements or fragments; nothing is lost or done twice.
//             Refuted: kCollision with points d0.. and other_d0.., or kUnreached with an output point y0, y1, ..
//             Unknown: kQuota (the limit ended the search for a proof or a witness).
// Fallback    The reference numbering.
// Check       check_map_bijective: all points below its limit, else corners, samples and the numbers of points.
// Tests       tests/proof/map_bijective_test.cpp
#pragma once

#include "proof/index_map.h"
#include "proof/map_total_in_bounds.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct MapBijective {
  static constexpr std::string_view kId = "map.bijective";
  static constexpr std::string_view kCollision = "collision";
  static constexpr std::string_view kUnreached = "unreached";
  static constexpr std::string_view kQuota = "quota";
};

Verdict<MapBijective> prove_map_bijective(const IndexMap& map, const Proved<MapTotalInBounds>& total,
                                          std::uint64_t limit = kEnumerationLimit);

}  // namespace tilewright::proof
