// Checkers of the families about loads and stores: a certificate against the program that it is about.
//
// What was asked is not read from the certificate: the operation, the part of its points and the guards are arguments.
// Every line of the certificate is derived anew from the program and compared. Then the statement itself: at every
// point of the operation's domain up to a limit, else at corners and samples; with open sizes, at a list of small
// sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "proof/certificate.h"
#include "proof/domain_part.h"
#include "proof/guard_equivalent.h"
#include "proof/subject.h"
#include "proof/verdict.h"
#include "support/result.h"

namespace tilewright::proof {

struct AccessCheckLimits {
  std::int64_t points = 1 << 16;  ///< for each choice of sizes
  std::int64_t total = 1 << 19;   ///< over all choices of sizes; after that, samples only
  int samples = 512;
};

/// Nothing, or CertificateInvalid with the field that differs ("statement" when the lines agree and the claim fails).
Result<void> check_access_in_bounds(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, DomainPart part,
                                    const AccessCheckLimits& limits = {});
Result<void> check_guard_equivalent(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op, const Guard& left,
                                    const Guard& right, const AccessCheckLimits& limits = {});
/// The question of `prove`: all bounds of the access against its upper bounds alone, as the program has them.
Result<void> check_prefix_guard(const Certificate& certificate, const tile::Program& program,
                                const Assumptions& assumptions, tile::OpId op, const AccessCheckLimits& limits = {});

/// The certificate of a proved finding about an access: access.in_bounds for the part that the finding asked about,
/// guard.equivalent of its bounds, map.exact_cover of a store. Nothing when the finding is of another family.
std::optional<Result<void>> recheck_access(const tile::Program& program, const Assumptions& assumptions,
                                           const Finding& finding);

}  // namespace tilewright::proof
