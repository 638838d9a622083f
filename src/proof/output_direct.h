// PROOF output.direct
// Question    Does the accumulator of a closed recurrence begin as one literal and go, whole and unchanged, to one
//             store after the region?
// Premises    recurrence.closed of the same mma (asked here).
// Method      Exact on the structure: the chain of uses of the result; unit projections of the store.
// Conclusion  Proved: fragments are filled before the region and published at the store; the accumulator needs no
//             storage. Refuted, with the operation or use that breaks it: kNotClosed (with the reason), kNotF32,
//             kInitNotLiteral, kResultUnused, kSeveralUses, kNarrowingCast (a rounding stands between), kComputed
//             (something else than a store reads it), kConditional (the store stands in a branch), kOtherBlock, kMemory
//             (explicit memory), kExtraAxis (the store broadcasts), kNotProjected (an axis has no unit dimension of its
//             own). Unknown: kNotClosed, kNotAffine (a coordinate of the store).
// Fallback    recurrence.closed alone: a tile in storage of the reference realization after the region.
// Check       check_output_direct: a scan of all uses; trips by evaluation at points.
// Tests       tests/proof/output_matrix_test.cpp
#pragma once

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct OutputDirect {
  static constexpr std::string_view kId = "output.direct";
  static constexpr std::string_view kNotClosed = "not_closed";
  static constexpr std::string_view kNotF32 = "not_f32";
  static constexpr std::string_view kInitNotLiteral = "init_not_literal";
  static constexpr std::string_view kResultUnused = "result_unused";
  static constexpr std::string_view kSeveralUses = "several_uses";
  static constexpr std::string_view kNarrowingCast = "narrowing_cast";
  static constexpr std::string_view kComputed = "computed";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kOtherBlock = "other_block";
  static constexpr std::string_view kMemory = "memory";
  static constexpr std::string_view kExtraAxis = "extra_axis";
  static constexpr std::string_view kNotProjected = "not_projected";
  static constexpr std::string_view kNotAffine = "not_affine";
};

/// `op` is an mma.
Verdict<OutputDirect> prove_output_direct(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
