// Shared by bind.cpp and bind_checks.cpp.
#pragma once

#include "tile/bind.h"

namespace tilewright::tile {

/// What can only be known with numbers; see bind.h.
Diags check_bound(const Program& bound, const BindLimits& limits);

}  // namespace tilewright::tile
