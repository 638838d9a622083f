// What a kernel may ask of Metal and of this emitter.
#pragma once

#include <cstdint>

#include <tilewright/errors.h>

#include "emit/msl/expressions.h"
#include "emit/msl/launch_grid.h"

namespace tilewright::emit_msl {

/// Elements that memory is declared for: the rows of a padded allocation are whole.
std::int64_t allocation_places(const kernel::Allocation& allocation);

/// Bytes of the threadgroup arrays of a group. Premise: check_kernel accepts the kernel.
std::int64_t shared_bytes(const kernel::Program& program, const kernel::Kernel& kernel);

/// What is refused whatever the kernel's values are: persistent kernels, groups that Metal does not have, memory that
/// does not fit. Failure: Unsupported, with the limit and the numbers.
Result<void> check_group(const kernel::Program& program, const kernel::Kernel& kernel, const Limits& limits);

/// Every operation that the text cannot hold. Failure: Unsupported, one diagnostic an operation.
Result<void> check_operations(const KernelFacts& facts);

}  // namespace tilewright::emit_msl
