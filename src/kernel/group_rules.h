// What a kernel must keep so that its workers can act together: convergence, structure, tokens, fences.
#pragma once

#include <string>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

/// Every rule that the kernel breaks, a sentence each. Premise: the rest of kernel/verifier.h holds.
///   - Convergence: an operation that workers make together, which whatever is done to a fragment is, stands under
///     conditions that are the same for all of them. So are what chooses between fragments, the trips of loops that
///     carry them, and indices, strides and extents of fragments, views and copies that are made together.
///   - Atoms: a static k is a constant that fits the fragments; an atom of the group takes views and no accumulator.
///   - Structure: operations of groups only in kernels with more than one worker or with several groups; a task loop
///     once, at the top of a persistent kernel; roles at the top or at the top of the task loop, with all subgroups,
///     and not inside each other.
///   - Tokens: on every path from its copy to the end of the block a token is waited for exactly once; none is carried
///     by a loop or yielded; loops, task loops and roles wait for those alone that are made inside.
///   - Fences have different identities. Fragments lie in shared or device memory without swizzle. Rings that are named
///     exist.
std::vector<std::string> group_faults(const Program& program, const Kernel& kernel);

}  // namespace tilewright::kernel
