// PROOF map.injective
// Question    For every two different points of the domain of an index map: do their values differ?
// Premises    P1 map.total_in_bounds of the same map (earlier proof, taken as a token).
// Method      Over mixed-radix digits (div, mod, shifts and masks of inputs by divisors): dominance of affine rows,
//             |a_i| > sum of smaller |a_k|(n_k-1), row after row; full column rank modulo 2^31-1. Over bits: exact rank
//             over GF(2) of xor, shift, mask and carry-free sums. Both may reason about a box that holds the domain.
//             To disprove: unread inputs, proportional columns, a kernel vector over GF(2). Then all points of each
//             component (results that share inputs), up to a limit a component.
// Conclusion  Proved: storage laid out by the map holds every element apart; a store through it has no race.
//             Refuted: kCollision with points d0.. and other_d0..
//             Unknown: kQuota.
// Fallback    The layout is not used.
// Check       check_map_injective: all points below its limit, else corners and samples.
// Tests       tests/proof/map_injective_test.cpp
#pragma once

#include "proof/index_map.h"
#include "proof/map_total_in_bounds.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct MapInjective {
  static constexpr std::string_view kId = "map.injective";
  static constexpr std::string_view kCollision = "collision";
  static constexpr std::string_view kQuota = "quota";
};

Verdict<MapInjective> prove_map_injective(const IndexMap& map, const Proved<MapTotalInBounds>& total,
                                          std::uint64_t limit = kEnumerationLimit);

}  // namespace tilewright::proof
