// Blocks that tile an object: the form that almost every store has, recognised without integer sets. Internal to the
// provers of src/proof.
#pragma once

#include "proof/subject.h"

namespace tilewright::proof {

/// True: the points of the store's domain whose coordinates are in bounds are one to one onto the elements of the
/// object, for all sizes. False: not known.
///
/// Each dimension d of the object is m_0 + c_1*m_1 + .. over coordinates and axes of its own, every c_k the product of
/// the extents before it, so that its values are 0, 1, 2, .. without gap and each once; there are enough of them when
/// their number is at least the extent D, or when the last m runs to ceildiv(D, c), or to D itself with c = 1. What no
/// dimension uses has one value.
bool surely_covers_by_blocks(const Subject& subject, const analysis::Access& store);

}  // namespace tilewright::proof
