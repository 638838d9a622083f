// PROOF load.forwardable
// Question    May every mma that uses this load read the object itself, when it executes, in place of the snapshot?
// Premises    the verifier's; the promise about aliasing, where it was needed, with its origin.
// Method      Exact on the structure, to a fixed point: each round takes one link (the load, or a relabelling of a
//             value taken before) whose every use is an operand of a reassociable mma or a relabelling; as many rounds
//             as the longest chain has values. Immutability: analysis::why_maybe_mutable.
// Conclusion  Proved: the load and its relabellings need no storage. Refuted, with the operation or use that breaks it:
//             kMemory (explicit memory), kWritten, kOpaque, kBarrier (an author's barrier orders the snapshot in its
//             launch), kFallback (outside is not +0), kUnused, kObserved (another use), kOrdered (an mma of fixed
//             order), kAccumulator (the value is c of an mma), kConditional (a consumer stands in a branch). Unknown:
//             kAliasing (an overlapping buffer may be written).
// Fallback    The snapshot is kept.
// Check       check_load_forwardable: a scan of all uses and of the effects of the launch.
// Tests       tests/proof/load_matrix_test.cpp, tests/proof/operand_property_test.cpp
#pragma once

#include <string>
#include <vector>

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct LoadForwardable {
  static constexpr std::string_view kId = "load.forwardable";
  static constexpr std::string_view kMemory = "memory";
  static constexpr std::string_view kWritten = "written";
  static constexpr std::string_view kOpaque = "opaque";
  static constexpr std::string_view kBarrier = "barrier";
  static constexpr std::string_view kFallback = "fallback";
  static constexpr std::string_view kUnused = "unused";
  static constexpr std::string_view kObserved = "observed";
  static constexpr std::string_view kOrdered = "ordered";
  static constexpr std::string_view kAccumulator = "accumulator";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kAliasing = "aliasing";
};

/// A reindex every one of whose axes is another axis of the operand, of the same extent.
bool only_relabels(const tile::Program& program, tile::OpId op);

/// `op` is a load.
Verdict<LoadForwardable> prove_load_forwardable(const Subject& subject, tile::OpId op);

}  // namespace tilewright::proof
