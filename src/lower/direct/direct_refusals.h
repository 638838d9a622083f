// What the direct route does not do, found before anything is lowered.
#pragma once

#include <tilewright/errors.h>

#include "lower/lower_direct.h"
#include "lower/value_forms.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Unsupported, one for each: see lower_direct. An mma that nobody needs, or that has no product to make, is none.
Result<void> check_direct(const tile::Program& bound, const ValueForms& values, const DirectDevice& device);

}  // namespace tilewright::lower
