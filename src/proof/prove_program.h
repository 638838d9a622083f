// Every question that the families can ask about a program, with its verdict: launches, accesses, then matrix products.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"
#include "support/result.h"

namespace tilewright::proof {

struct ProofReport {
  std::vector<Finding> findings;
  std::uint64_t quota_overruns = 0;  ///< queries of src/sets that were cut short
};

/// Premise: the program passes tile::verify and has no open parameter; symbols may be open.
ProofReport prove_program(const tile::Program& program, const Assumptions& assumptions = {});

/// The certificate of a proved finding by the checkers of src/proof/check. CertificateInvalid when it does not hold.
Result<void> recheck(const tile::Program& program, const Assumptions& assumptions, const Finding& finding);

}  // namespace tilewright::proof
