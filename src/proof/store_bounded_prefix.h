// PROOF store.bounded_prefix
// Question    Does each dimension of a store move with one axis of its own, by 1, or with none; and are the elements
//             that it writes at every point of the domain a prefix of each axis, of length clamp(D - p, 0, T): D the
//             extent of the dimension, p the origin, T the extent of the axis?
// Premises    the verifier's; sizes within the assumptions, and extents at most int32 checked at launch, when they are
//             open.
// Method      Unit projections of src/analysis, which says where an axis of one element counts; origins by ranges of
//             affine forms, else integer sets over the domain, exact.
// Conclusion  Proved: a bounded store may publish the tile; an empty prefix writes nothing. Refuted: kAssumed (the
//             author promises bounds: nothing to clip), kNotProjected, kSharedAxis (two dimensions move with one axis),
//             kOriginBelowZero, kOriginOutside (of a dimension without axis) with the point, kTooLarge. Unknown:
//             kNotAffine, kConditional, kNoSets, kQuota.
// Fallback    Each element is stored under its own guard.
// Check       check_store_bounded_prefix: at the points of the domain an element is inside exactly when its axes are
//             below those lengths.
// Tests       tests/proof/store_matrix_test.cpp, tests/proof/narrow_axes_matrix_test.cpp
#pragma once

#include "proof/subject.h"
#include "proof/verdict.h"
#include "sets/context.h"

namespace tilewright::proof {

struct StoreBoundedPrefix {
  static constexpr std::string_view kId = "store.bounded_prefix";
  static constexpr std::string_view kAssumed = "assumed";
  static constexpr std::string_view kNotProjected = "not_projected";
  static constexpr std::string_view kSharedAxis = "shared_axis";
  static constexpr std::string_view kOriginBelowZero = "origin_below_zero";
  static constexpr std::string_view kOriginOutside = "origin_outside";
  static constexpr std::string_view kTooLarge = "too_large";
  static constexpr std::string_view kNotAffine = "not_affine";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kNoSets = "no_sets";
  static constexpr std::string_view kQuota = "quota";
};

/// `op` is a store.
Verdict<StoreBoundedPrefix> prove_store_bounded_prefix(const Subject& subject, tile::OpId op,
                                                       const sets::Context& context);

}  // namespace tilewright::proof
