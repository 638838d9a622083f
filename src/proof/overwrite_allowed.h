// PROOF overwrite.allowed
// Question    May the mma write a * b instead of accumulating: is its accumulator the literal +0 every time it
//             executes? Either it is a closed recurrence of exactly one iteration that begins with +0, or it
//             accumulates onto a +0 tile directly.
// Premises    recurrence.closed of the same mma, in the first case (asked here).
// Method      Exact on the structure; the literal by its bits.
// Conclusion  Proved: the accumulator need not be filled. Refuted: kOrdered (the mma forbids reassociation),
//             kNegativeZero (overwriting begins at +0: products that are all -0 would give +0), kNotZero, kNotLiteral,
//             kTripsNotOne, kNotClosed. Unknown: kTripsOpen, kNotClosed.
// Fallback    The accumulator is filled and accumulated onto.
// Check       check_overwrite_allowed: a scan of all uses; trips by evaluation at points.
// Tests       tests/proof/output_matrix_test.cpp
#pragma once

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct OverwriteAllowed {
  static constexpr std::string_view kId = "overwrite.allowed";
  static constexpr std::string_view kOrdered = "ordered";
  static constexpr std::string_view kNegativeZero = "negative_zero";
  static constexpr std::string_view kNotZero = "not_zero";
  static constexpr std::string_view kNotLiteral = "not_literal";
  static constexpr std::string_view kTripsNotOne = "trips_not_one";
  static constexpr std::string_view kTripsOpen = "trips_open";
  static constexpr std::string_view kNotClosed = "not_closed";
};

/// `op` is an mma.
Verdict<OverwriteAllowed> prove_overwrite_allowed(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
