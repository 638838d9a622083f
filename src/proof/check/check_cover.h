// Checker of map.exact_cover of a store: the certificate against the program that it is about.
//
// Every line of the certificate is derived anew from the program and compared. Then the statement, at the bound sizes
// or at a list of small ones (check::trial_sizes). Where domain and object are small, the points are visited and the
// stores of each element counted. Where they are large, the domain falls apart: dimensions that share a coordinate of
// the object or an extent belong together, and the store covers the object exactly when each part covers its own
// dimensions exactly once. A part is counted by its points; or, when it has one dimension of the object, by its blocks:
// runs of consecutive elements, found from the coefficients, whose starting points are enumerated and which must tile
// the extent without gap or overlap.
//
//   C[i*64 + m, j*64 + n], 8192 x 8192: i and m make 128 blocks of 64 rows, j and n 128 blocks of 64 columns.
#pragma once

#include "proof/check/check_access.h"

namespace tilewright::proof {

/// Nothing, or CertificateInvalid with the field that differs ("statement" when the lines agree and the claim fails).
/// `op` is the store that was asked about. When no size can be decided within the limits (a part of several dimensions
/// of the object with too many points), samples are looked at for an element that two points store, and whether every
/// element is stored is not looked at.
Result<void> check_store_cover(const Certificate& certificate, const tile::Program& program,
                               const Assumptions& assumptions, tile::OpId op, const AccessCheckLimits& limits = {});

}  // namespace tilewright::proof
