// Checker of traversal.bijective: the certificate against the traversal that it is about.
//
// The walk is made again by four nested loops and compared with Traversal::place_of and ordinal_of: at every ordinal of
// grids with at most `points` programs, else at the first and last ordinals of the first and last bands and rectangles
// and at `samples` ordinals from the seed. An open grid: every grid up to 24 x 24, and `samples` larger ones.
#pragma once

#include "proof/certificate.h"
#include "proof/check/check_map.h"
#include "proof/traversal.h"
#include "proof/traversal_bijective.h"
#include "support/result.h"

namespace tilewright::proof {

Result<void> check_traversal_bijective(const Certificate& certificate, const Traversal& traversal,
                                       const CheckLimits& limits = {});
Result<void> check_traversal_bijective(const Certificate& certificate, const OpenTraversal& traversal,
                                       const CheckLimits& limits = {});

}  // namespace tilewright::proof
