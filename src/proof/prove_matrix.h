// Every question about matrix products, their accumulators and operands, and about the stores of a program.
#pragma once

#include <optional>
#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"
#include "support/result.h"

namespace tilewright::proof {

/// In the order of the text; at one operation: of a load load.forwardable; of an mma recurrence.closed, output.direct,
/// overwrite.allowed, extent.bounded_k, extent.bounded_mn; of a store epilogue.same_owner and, where it reads tiles,
/// operands.congruent (where the result of a region reaches it), and store.bounded_prefix. A load is asked about where
/// an mma uses it, directly or through relabellings.
std::vector<Finding> prove_matrix_questions(const Subject& subject, const sets::Context& context);

/// The certificate of a proved finding by its checker; nothing when the finding is of another family.
std::optional<Result<void>> recheck_matrix(const tile::Program& program, const Assumptions& assumptions,
                                           const Finding& finding);

}  // namespace tilewright::proof
