// Drops every fence of the compiler from a kernel in which no subgroup can see what another one does.
//
// Legal is not faster: fences may also keep subgroups at the same part of a cache. So the verdict is always reported,
// and the fences go only where the plan asks for it.
#pragma once

#include <cstddef>

#include "kernel/program.h"
#include "proof/subgroups_independent.h"
#include "sync/trace.h"

namespace tilewright::sync {

/// Asks subgroups.independent about the kernel (isolation_trace).
proof::Verdict<proof::SubgroupsIndependent> isolated_subgroups(const kernel::Program& program, std::size_t kernel,
                                                               const IsolationPremises& premises);

/// The program without any fence of the compiler in that kernel. Premise, checked: the token holds for this kernel
/// under these premises.
kernel::Program elide(const kernel::Program& program, std::size_t kernel, const IsolationPremises& premises,
                      const proof::Proved<proof::SubgroupsIndependent>& token);

}  // namespace tilewright::sync
