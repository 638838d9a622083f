// The invariants of a kernel program.
#pragma once

#include <tilewright/errors.h>

#include "kernel/program.h"

namespace tilewright::kernel {

/// Everything that program.h states about the form: every id exists and is defined once, before its uses and in a block
/// around them; types and lanes; memory of the right kernel, access and name; steps, counts and extents; yields and
/// results; nesting within kMaxNesting. Finds all independent faults, each MalformedProgram, in the order of the text,
/// naming kernel and operation.
///
/// Not checked: that accesses stay in bounds and read initialised memory (the interpreter does), that tasks do not
/// race, and that ids are canonical (compare with canonicalized()).
Result<void> verify(const Program& program);

}  // namespace tilewright::kernel
