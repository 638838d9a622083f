// The buffers of a program as buffers of its kernels.
#pragma once

#include <map>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/launch_layout.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Declares every buffer of the program in order, without explicit memories; where each of them lies. Failures:
/// ArgumentStrides, those of default_buffer_layout. Premise: bound.
Result<std::map<tile::ObjectId, ObjectPlace>> declare_buffers(const tile::Program& bound, const LaunchLayout& layout,
                                                              kernel::Builder& builder);

}  // namespace tilewright::lower
