// What a mapping with one worker a program cannot do.
#pragma once

#include <tilewright/errors.h>

#include "tile/program.h"

namespace tilewright::lower {

/// Unsupported, one for each: opaque calls, placements in memory that a worker does not have, regions and tiles that
/// make more than kernel::kMaxNesting loops inside each other.
Result<void> check_scalar(const tile::Program& bound);

}  // namespace tilewright::lower
