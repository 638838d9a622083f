// Checkers of the families map.*: a certificate against the map that it is about, with evaluation of its own.
//
// Every line of the certificate is derived anew from the map and compared. Then the statement itself: at all points of
// the domain when there are at most `points`, else at all corners (of the first 12 inputs) and at `samples` points from
// the seed, together with what the numbers of points say.
#pragma once

#include <cstdint>

#include "proof/certificate.h"
#include "proof/index_map.h"
#include "support/result.h"

namespace tilewright::proof {

struct CheckLimits {
  std::uint64_t points = 1'048'576;
  std::uint64_t samples = 4096;
  std::uint64_t seed = 1;
};

/// Nothing, or CertificateInvalid with the field that differs ("statement" when the lines agree and the claim fails).
Result<void> check_map_total_in_bounds(const Certificate& certificate, const IndexMap& map,
                                       const CheckLimits& limits = {});
Result<void> check_map_injective(const Certificate& certificate, const IndexMap& map, const CheckLimits& limits = {});
Result<void> check_map_bijective(const Certificate& certificate, const IndexMap& map, const CheckLimits& limits = {});
Result<void> check_map_exact_cover(const Certificate& certificate, const GuardedMap& guarded,
                                   const CheckLimits& limits = {});

}  // namespace tilewright::proof
