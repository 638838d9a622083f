// PROOF map.exact_cover
// Question    For every point of the codomain of a guarded index map: is it the value of exactly one point of the
//             domain that satisfies every clause, and do all those points have a value in the codomain?
// Premises    none; map and clauses are the whole subject. A clause must have a value at every point of the domain, the
//             results where the clauses hold.
// Method      Ranges show that every part of every expression has a value. Clauses that always hold drop out. Over
//             exact mixed-radix digits the map falls apart into components (results and clauses that share inputs);
//             the cover is exact when that of each component is. A component of one affine result whose values are
//             consecutive, under clauses on that same sum, is compared as an interval: for all sizes alike. Every
//             other component is enumerated up to a limit. Where the ranges say nothing, the whole domain is.
// Conclusion  Proved: programs x tile coordinates write every element once, the partial tiles at the edge included.
//             Refuted: kUnreached with y0.. (an element that nobody writes), kCollision with d0.. and other_d0.., or
//             kBeforeStart, kPastEnd, kNoValue with a point d0.. that satisfies the clauses.
//             Unknown: kQuota, kNoWitness (not exact, and no concrete point was found), kNotAMap.
// Fallback    The region keeps its own blocking and guards.
// Check       check_map_exact_cover: all points below its limit, else corners and samples.
// Tests       tests/proof/map_exact_cover_test.cpp
#pragma once

#include "proof/index_map.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct MapExactCover {
  static constexpr std::string_view kId = "map.exact_cover";
  static constexpr std::string_view kUnreached = "unreached";
  static constexpr std::string_view kCollision = "collision";
  static constexpr std::string_view kBeforeStart = "before_start";
  static constexpr std::string_view kPastEnd = "past_end";
  static constexpr std::string_view kNoValue = "no_value";
  static constexpr std::string_view kQuota = "quota";
  static constexpr std::string_view kNoWitness = "no_witness";
  static constexpr std::string_view kNotAMap = "not_a_map";
};

Verdict<MapExactCover> prove_map_exact_cover(const GuardedMap& guarded, std::uint64_t limit = kEnumerationLimit);

}  // namespace tilewright::proof
