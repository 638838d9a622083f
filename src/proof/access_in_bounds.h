// PROOF access.in_bounds
// Question    For every point of the operation's domain (for all sizes within the assumptions): does every coordinate
//             of the load or store lie in 0 .. extent - 1 of its dimension? With the part `interior`, only for the
//             points whose whole tile lies inside: those where origin >= 0 and origin + axis extent <= extent in every
//             dimension that unit-projects an axis.
// Premises    the verifier's; sizes within the assumptions, when they are open. A branch restricts a domain further;
//             what holds without it holds with it.
// Method      Ranges of affine forms over constant boxes; corners of the domain for a witness; else integer sets over
//             the domain (space: the sizes; the coordinates and axes), exact; quota of sets::Context. Where none of
//             these applies, enumeration of a bound domain up to kInBoundsLimit points.
// Conclusion  Proved: the access needs no guard (there). Refuted: kBelowZero or kPastEnd with the point. Unknown:
//             kConditional (it leaves the object only at points that a branch may exclude), kNoSets (an expression is
//             not quasi-affine and its domain too large, or may overflow; or a coordinate of an interior has no affine
//             form and the point may lie outside of it), kQuota.
// Fallback    The guard of the bounds policy stays.
// Check       check_access_in_bounds: the operation and part of the question against those of the certificate; then the
//             points of the domain up to a limit, else corners and samples; with open sizes at a list of small sizes.
// Tests       tests/proof/access_families_test.cpp, tests/proof/access_property_test.cpp
#pragma once

#include <cstdint>

#include "proof/domain_part.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"

namespace tilewright::proof {

struct AccessInBounds {
  static constexpr std::string_view kId = "access.in_bounds";
  static constexpr std::string_view kBelowZero = "below_zero";
  static constexpr std::string_view kPastEnd = "past_end";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kNoSets = "no_sets";
  static constexpr std::string_view kQuota = "quota";
};

inline constexpr std::int64_t kInBoundsLimit = 1 << 16;

/// `op` is a load or store. A token for All serves Interior too, not the other way round: see in_bounds_part().
Verdict<AccessInBounds> prove_access_in_bounds(const Subject& subject, tile::OpId op, DomainPart part,
                                               const sets::Context& context);

/// Which part was proved. Asked of a token, which nobody else can make: the text of a certificate may be altered.
DomainPart in_bounds_part(const Proved<AccessInBounds>& token);

}  // namespace tilewright::proof
