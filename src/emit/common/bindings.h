// The buffers of a kernel program as bindings of an artifact, for every emitter alike.
#pragma once

#include <vector>

#include "artifact/artifact.h"
#include "kernel/program.h"

namespace tilewright::emit {

/// One a buffer, in order.
std::vector<artifact::Binding> bindings_of(const kernel::Program& program);

}  // namespace tilewright::emit
