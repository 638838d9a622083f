// PROOF operands.congruent
// Question    May whoever stores an element read the elements of the same coordinates that it is made of (bias,
//             residual, old output) itself, when it stores, in place of snapshots of their tiles?
// Premises    the verifier's; the promise about aliasing, where it was needed, with its origin.
// Method      Exact on the structure. Nothing in the launch changes what is read, except the store itself where it
//             writes the very elements that are read. Each axis of a load moves one dimension of its own by 1, no other
//             axis moves any. A dimension is inside wherever the store is: by its range, or because it is the
//             coordinate of a dimension of the store that ends no later.
// Conclusion  Proved: the operands of an epilogue are read with the bounds of the output. Refuted, with the operation
//             that breaks it: kNone (no operand), kMemory, kWritten, kOpaque, kBarrier, kOtherBlock (a load stands
//             elsewhere than the store), kOtherAxes (an axis that the store has not), kNotProjected. Unknown: kAliasing
//             (an overlapping buffer may be written), kNotAffine, kOutside (the output does not bound the load).
// Fallback    The loads are snapshots; the epilogue runs over tiles in storage.
// Check       check_operands_congruent: a scan of the launch; coordinates by evaluation at points.
// Tests       tests/proof/operands_matrix_test.cpp
#pragma once

#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct OperandsCongruent {
  static constexpr std::string_view kId = "operands.congruent";
  static constexpr std::string_view kNone = "none";
  static constexpr std::string_view kMemory = "memory";
  static constexpr std::string_view kWritten = "written";
  static constexpr std::string_view kOpaque = "opaque";
  static constexpr std::string_view kBarrier = "barrier";
  static constexpr std::string_view kOtherBlock = "other_block";
  static constexpr std::string_view kOtherAxes = "other_axes";
  static constexpr std::string_view kNotProjected = "not_projected";
  static constexpr std::string_view kAliasing = "aliasing";
  static constexpr std::string_view kNotAffine = "not_affine";
  static constexpr std::string_view kOutside = "outside";
};

/// The loads of tiles that pure operations make the value of a store of, in the order of the text. A number (rank 0) is
/// no tile.
std::vector<tile::OpId> operands_of(const Subject& subject, tile::OpId store);

/// `op` is a store.
Verdict<OperandsCongruent> prove_operands_congruent(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
