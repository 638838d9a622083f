// From a draft to the tile IR: what finish() of the public DSL is made of.
#pragma once

#include <tilewright/dsl.h>

#include "support/result.h"
#include "tile/program.h"

namespace tilewright::frontend {

/// The program of a draft, canonical but not yet verified (tile/verifier.h), or every fault that was recorded, at most
/// as many as the parser gives. It ends the draft: a second call is a fault.
Result<tile::Program> capture(dsl::Draft& draft);

}  // namespace tilewright::frontend
