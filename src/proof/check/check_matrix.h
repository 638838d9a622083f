// Checkers of the families about matrix products, their accumulators and operands: a certificate against the program
// that it is about.
//
// Every line of the certificate is derived anew by a scan of the program, and the first that differs is the fault. The
// structure is asked of that scan; what is said of numbers is evaluated at the points of the domain, or at corners and
// samples; with open sizes, at a list of small sizes.
#pragma once

#include <cstdint>

#include "proof/certificate.h"
#include "proof/subject.h"
#include "support/result.h"
#include "tile/program.h"

namespace tilewright::proof {

struct MatrixCheckLimits {
  std::int64_t points = 1 << 12;  ///< for each choice of sizes
  int samples = 256;
};

/// Nothing, or CertificateInvalid with the field that differs ("statement" when the lines agree and the claim fails).
Result<void> check_recurrence_closed(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op,
                                     const MatrixCheckLimits& limits = {});
Result<void> check_output_direct(const Certificate& certificate, const tile::Program& program,
                                 const Assumptions& assumptions, tile::OpId op, const MatrixCheckLimits& limits = {});
Result<void> check_overwrite_allowed(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op,
                                     const MatrixCheckLimits& limits = {});
Result<void> check_epilogue_same_owner(const Certificate& certificate, const tile::Program& program,
                                       const Assumptions& assumptions, tile::OpId op,
                                       const MatrixCheckLimits& limits = {});
Result<void> check_operands_congruent(const Certificate& certificate, const tile::Program& program,
                                      const Assumptions& assumptions, tile::OpId op,
                                      const MatrixCheckLimits& limits = {});
Result<void> check_load_forwardable(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op,
                                    const MatrixCheckLimits& limits = {});
Result<void> check_extent_bounded_k(const Certificate& certificate, const tile::Program& program,
                                    const Assumptions& assumptions, tile::OpId op,
                                    const MatrixCheckLimits& limits = {});
Result<void> check_extent_bounded_mn(const Certificate& certificate, const tile::Program& program,
                                     const Assumptions& assumptions, tile::OpId op,
                                     const MatrixCheckLimits& limits = {});
Result<void> check_store_bounded_prefix(const Certificate& certificate, const tile::Program& program,
                                        const Assumptions& assumptions, tile::OpId op,
                                        const MatrixCheckLimits& limits = {});

}  // namespace tilewright::proof
