// What a run of a program, written out, says about the statements of the families about matrix products: decided from
// events, instances and nodes (proof/unrolled_program.h), not from the structure of the program.
#pragma once

#include <optional>

#include "proof/unrolled_program.h"

namespace tilewright::proof {

// Nothing is said where the operation, or its region, never executes.

/// recurrence.closed: in every iteration of every execution of its region, the product takes a carry that nobody else
/// takes, and makes the next value that nobody else takes, of operands that no other product of the region reaches.
std::optional<bool> truly_closed(const UnrolledProgram& run, tile::OpId mma);

/// output.direct: closed, begins as one literal, and every result goes as it is to one store beside the region, each
/// axis to a dimension of its own.
std::optional<bool> truly_direct(const UnrolledProgram& run, tile::OpId mma);

/// overwrite.allowed: accumulates on the literal +0 whenever it executes, and on a carry only as a closed recurrence of
/// one iteration.
std::optional<bool> truly_overwrites(const UnrolledProgram& run, tile::OpId mma);

/// epilogue.same_owner: every stored element is made of literals and the accumulator's element of the same coordinates,
/// and whatever is made of the accumulator is made for this store.
std::optional<bool> truly_same_owner(const UnrolledProgram& run, tile::OpId store);

/// load.forwardable. `overlap`: every two buffers of the caller may share elements.
std::optional<bool> truly_forwardable(const UnrolledProgram& run, tile::OpId load, bool overlap);

/// extent.bounded_k, or with `prefix` extent.bounded_mn.
std::optional<bool> truly_bounded(const UnrolledProgram& run, tile::OpId mma, bool prefix, bool overlap);

}  // namespace tilewright::proof
