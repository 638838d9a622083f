// PROOF map.total_in_bounds
// Question    For every point of the domain of an index map: has every part of every result a value (no 64-bit
//             overflow, no zero divisor, no bad shift), and do the results lie in the codomain?
// Premises    none; the map is the whole subject.
// Method      Each result by itself. Ranges of the expressions (over-approximate); for results that are affine over
//             mixed-radix digits the exact range; corners of the domain to disprove; then all points of the inputs
//             that the result reads, up to a limit.
// Conclusion  Proved: terms of the results may be cancelled, and an object of the codomain's extents is never left.
//             Refuted: kNoValue, kBeforeStart or kPastEnd with a point d0, d1, ..
//             Unknown: kQuota (the limit ended the search, or the domain has 2^64 points), kNotAMap.
// Fallback    The layout is not used; accesses keep their own bounds tests.
// Check       check_map_total_in_bounds: all points below its limit, else corners and samples.
// Tests       tests/proof/map_total_in_bounds_test.cpp
#pragma once

#include "proof/index_map.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct MapTotalInBounds {
  static constexpr std::string_view kId = "map.total_in_bounds";
  static constexpr std::string_view kNoValue = "no_value";
  static constexpr std::string_view kBeforeStart = "before_start";
  static constexpr std::string_view kPastEnd = "past_end";
  static constexpr std::string_view kQuota = "quota";
  static constexpr std::string_view kNotAMap = "not_a_map";
};

Verdict<MapTotalInBounds> prove_map_total_in_bounds(const IndexMap& map, std::uint64_t limit = kEnumerationLimit);

}  // namespace tilewright::proof
