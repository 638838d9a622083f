// PROOF extent.bounded_k and extent.bounded_mn
// Question    Are both operands of an mma loads, or relabellings of loads, that move with their axes by 1, each in a
//             dimension of its own, and is every step of the contraction that lies outside of an object outside of
//             BOTH, as a suffix: with p the origin of the contraction axis and D the extent there, 0 <= p < D at every
//             point, and D - p equal for a and b? bounded_k: the other axis of each operand is inside everywhere.
//             bounded_mn: its origin is at least 0, so that what is inside is a prefix of length clamp(D - p, 0, T).
// Premises    load.forwardable of both operands (asked here), with the promise about aliasing where it was needed;
//             sizes within the assumptions, when they are open.
// Method      Roles by axis identity, followed through the relabellings to the axes of the loads; unit projections of
//             src/analysis; origins by ranges of affine forms, else integer sets over the domain, exact; equal lengths
//             by equal affine forms, else by those sets.
// Conclusion  Proved: the mma may run over min(D - p, BK) steps of the objects themselves. Refuted: kNotRank2 (not one
//             row, one column and one contraction axis), kNotALoad (nor a relabelling of one), kNotForwardable,
//             kAssumed (the author promises bounds), kNotProjected, kOriginBelowZero, kOriginPastEnd, kLengthsDiffer,
//             kOuterOutside, kFixedOutside (a dimension without axis). Unknown: kNotForwardable, kNotAffine,
//             kConditional, kNoSets, kQuota.
// Fallback    Snapshots padded with +0 and the whole tile.
// Check       check_extent_bounded_k, check_extent_bounded_mn: origins, lengths and bounds at the points of both loads;
//             lengths where both have some.
// Tests       tests/proof/extent_matrix_test.cpp, tests/proof/operand_property_test.cpp,
//             tests/proof/narrow_axes_matrix_test.cpp
#pragma once

#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"

namespace tilewright::proof {

struct ExtentCodes {
  static constexpr std::string_view kNotRank2 = "not_rank_2";
  static constexpr std::string_view kNotALoad = "not_a_load";
  static constexpr std::string_view kNotForwardable = "not_forwardable";
  static constexpr std::string_view kAssumed = "assumed";
  static constexpr std::string_view kNotProjected = "not_projected";
  static constexpr std::string_view kOriginBelowZero = "origin_below_zero";
  static constexpr std::string_view kOriginPastEnd = "origin_past_end";
  static constexpr std::string_view kLengthsDiffer = "lengths_differ";
  static constexpr std::string_view kOuterOutside = "outer_outside";
  static constexpr std::string_view kFixedOutside = "fixed_outside";
  static constexpr std::string_view kNotAffine = "not_affine";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kNoSets = "no_sets";
  static constexpr std::string_view kQuota = "quota";
};
struct ExtentBoundedK : ExtentCodes {
  static constexpr std::string_view kId = "extent.bounded_k";
};
struct ExtentBoundedMn : ExtentCodes {
  static constexpr std::string_view kId = "extent.bounded_mn";
};

/// `op` is an mma.
Verdict<ExtentBoundedK> prove_extent_bounded_k(const Subject& subject, tile::OpId op, const sets::Context& context);
Verdict<ExtentBoundedMn> prove_extent_bounded_mn(const Subject& subject, tile::OpId op, const sets::Context& context);

}  // namespace tilewright::proof
