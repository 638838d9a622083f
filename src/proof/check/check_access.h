// Checkers of the families about loads and stores: a certificate against the program that it is about.
//
// Every line of the certificate is derived anew from the program and compared. Then the statement itself: at every
// point of the operation's domain up to a limit, else at corners and samples; with open sizes, at a list of small
// sizes.
#pragma once

#include <cstdint>

#include "proof/access_in_bounds.h"
#include "proof/certificate.h"
#include "proof/guard_equivalent.h"
#include "proof/subject.h"
#include "support/result.h"

namespace tilewright::proof {

struct AccessCheckLimits {
  std::int64_t points = 1 << 16;  ///< for each choice of sizes
  std::int64_t total = 1 << 19;   ///< over all choices of sizes; after that, samples only
  int samples = 512;
};

/// Nothing, or CertificateInvalid with the field that differs ("statement" when the lines agree and the claim fails).
Result<void> check_access_in_bounds(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, DomainPart part,
                                    const AccessCheckLimits& limits = {});
/// The guards that the question was about.
Result<void> check_guard_equivalent(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, const Guard& left, const Guard& right,
                                    const AccessCheckLimits& limits = {});
/// The question of `prove`: all bounds of the access against its upper bounds alone, as the program has them.
Result<void> check_prefix_guard(const Certificate& certificate, const tile::Program& program,
                                const Assumptions& assumptions, const AccessCheckLimits& limits = {});
/// Of a store. Sizes at which the domain has more than `points` points are passed over; when all have, samples are
/// looked at for an element that two points store, and whether every element is stored is not looked at.
Result<void> check_store_cover(const Certificate& certificate, const tile::Program& program,
                               const Assumptions& assumptions, const AccessCheckLimits& limits = {});

}  // namespace tilewright::proof
