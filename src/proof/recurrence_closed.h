// PROOF recurrence.closed
// Question    Is the mma the whole update of a carry: in every iteration of a region that surely iterates, argument ->
//             mma(a, b, argument) -> next value, over the full tile, seen by nobody else? And are its operands made
//             without any other mma of the region?
// Premises    the verifier's (carry, argument, next value and result have one type and the same axes, so that the
//             update is of the full tile); sizes within the assumptions, when they are open.
// Method      Exact on the structure: uses and recurrences of src/analysis. Where the region holds another mma, the
//             operands are followed back to what is made outside of the region, through operations, carries, inner
//             regions and branches; a load of an object that the region stores to counts as made by the other mma.
//             Trips: the number, or a lower bound by ranges.
// Conclusion  Proved: the accumulator may live in fragments for the whole region; so may those of other mmas of the
//             region that are proved, each in its own. Refuted, with the operation or use that breaks it: kNoLoop,
//             kInBranch, kNotYielded, kAccumulatorDiffers, kCarryIsOperand, kCarryObserved, kResultObserved,
//             kSeveralMma (an operand comes from another mma of the region), kZeroTrip. Unknown: kMaybeZeroTrip.
// Fallback    C and D in storage of the reference realization.
// Check       check_recurrence_closed: a scan of all uses; the trips by evaluation at the points of the domain.
// Tests       tests/proof/recurrence_matrix_test.cpp, tests/proof/product_property_test.cpp
#pragma once

#include <optional>

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct RecurrenceClosed {
  static constexpr std::string_view kId = "recurrence.closed";
  static constexpr std::string_view kNoLoop = "no_loop";
  static constexpr std::string_view kInBranch = "in_branch";
  static constexpr std::string_view kNotYielded = "not_yielded";
  static constexpr std::string_view kAccumulatorDiffers = "accumulator_differs";
  static constexpr std::string_view kCarryIsOperand = "carry_is_operand";
  static constexpr std::string_view kCarryObserved = "carry_observed";
  static constexpr std::string_view kResultObserved = "result_observed";
  static constexpr std::string_view kSeveralMma = "several_mma";
  static constexpr std::string_view kZeroTrip = "zero_trip";
  static constexpr std::string_view kMaybeZeroTrip = "maybe_zero_trip";
};

/// `op` is an mma.
Verdict<RecurrenceClosed> prove_recurrence_closed(const Subject& subject, tile::OpId op);

struct CarryOfMma {
  const analysis::Recurrence* recurrence = nullptr;
  const analysis::Carry* carry = nullptr;
};
/// The carry whose next value is the result of the mma, in the region whose body holds it.
std::optional<CarryOfMma> carry_of_mma(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
