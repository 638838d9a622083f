// PROOF epilogue.same_owner
// Question    Is what a store writes a function of the accumulator's element of the same coordinates, point by point,
// and
//             of operands, and does nothing else see the accumulator or a value in between? Operands are numbers that
//             every point shares (rank 0) and loads of tiles; whether those may be read at the store is the question
//             of operands.congruent.
// Premises    recurrence.closed of the mma of the accumulator (asked here).
// Method      Exact on the structure: the pure operations between the result of the region and the store.
// Conclusion  Proved: whoever owns an element of the fragments computes and stores it. Refuted, with the operation or
//             use that breaks it: kNoAccumulator, kNotClosed, kOtherLoad (an operand where none may be), kOtherValue,
//             kIndexValue, kMovesElements (reindex, gather, reduce, mma), kAxesDiffer, kElementType (integers; truth
//             values in memory), kSecondSink, kExtraConsumer, kTooMany, kOtherBlock, kMemory. Unknown: kNotClosed.
// Fallback    The accumulator in storage of the reference realization, the epilogue over it.
// Check       check_epilogue_same_owner: a scan of all uses, from the accumulator down and from the store up.
// Tests       tests/proof/epilogue_matrix_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>

#include "proof/subject.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct EpilogueSameOwner {
  static constexpr std::string_view kId = "epilogue.same_owner";
  static constexpr std::string_view kNoAccumulator = "no_accumulator";
  static constexpr std::string_view kNotClosed = "not_closed";
  static constexpr std::string_view kOtherLoad = "other_load";
  static constexpr std::string_view kOtherValue = "other_value";
  static constexpr std::string_view kIndexValue = "index_value";
  static constexpr std::string_view kMovesElements = "moves_elements";
  static constexpr std::string_view kAxesDiffer = "axes_differ";
  static constexpr std::string_view kElementType = "element_type";
  static constexpr std::string_view kSecondSink = "second_sink";
  static constexpr std::string_view kExtraConsumer = "extra_consumer";
  static constexpr std::string_view kTooMany = "too_many";
  static constexpr std::string_view kOtherBlock = "other_block";
  static constexpr std::string_view kMemory = "memory";
};

/// Operations between the accumulator and the store; constants do not count.
inline constexpr std::size_t kMostProducers = 64;

/// Whether a load of a tile is an operand of the epilogue, or a reason to refuse it (seed 1's closed contract).
enum class EpilogueOperands : std::uint8_t { None, Loads };

/// `op` is a store. A closed epilogue has the same certificate either way.
Verdict<EpilogueSameOwner> prove_epilogue_same_owner(const Subject& subject, tile::OpId op,
                                                     EpilogueOperands operands = EpilogueOperands::Loads);

}  // namespace tilewright::proof
