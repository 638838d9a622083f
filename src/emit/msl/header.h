// What stands in front of the kernels.
#pragma once

#include <string>

#include "artifact/artifact.h"
#include "emit/msl/emit.h"

namespace tilewright::emit_msl {

/// The comment on top: program, target, bindings, launches, flags, plan. Everything but the hash of the text.
std::string header(const artifact::Artifact& artifact, const EmitOptions& options);

/// Includes and pragmas.
std::string prelude(bool tensors);

}  // namespace tilewright::emit_msl
