// How the elements of a fold are put together, by every mapping alike.
#pragma once

#include "kernel/builder.h"
#include "lower/elements.h"
#include "tile/program.h"

namespace tilewright::lower {

kernel::ValueId folded(kernel::Builder& builder, tile::FoldKind kind, kernel::ValueId so_far, kernel::ValueId next);
/// +0, the least or the greatest number of the type.
kernel::ValueId fold_identity(kernel::Builder& builder, tile::FoldKind kind, kernel::ScalarType type);
/// What a fold of elements of the type is kept in: sums of f16 and bf16 are rounded once, at their end.
kernel::ScalarType fold_type(tile::FoldKind kind, kernel::ScalarType element);

/// One result of a reduce operation as a chain in a register, in the operation's order, rounded to its element type.
/// `at`: the point of the result.
kernel::ValueId fold_chain(kernel::Builder& builder, Elements& elements, const tile::Program& program,
                           const tile::ReduceOp& op, Point at);

}  // namespace tilewright::lower
