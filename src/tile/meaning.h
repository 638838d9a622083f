// The meaning of a program as a hash: what plans and certificates are about.
//
// Two programs have one hash when they differ at most in names (of the program, symbols, parameters, buffers, axes,
// coordinates, values, stages), in comments and places, in the order of independent declarations, and in declarations
// that no operation uses. Everything else that a run could tell apart enters: operations in their order, types,
// extents, address expressions, strides, placements, literals by their bits, requirements.
#pragma once

#include "support/hash.h"
#include "tile/program.h"

namespace tilewright::tile {

/// Ids of declarations enter as the order in which a walk over the operations first meets them.
Hash128 meaning_hash(const Program& program);

}  // namespace tilewright::tile
