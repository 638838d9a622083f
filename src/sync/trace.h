// From a kernel to the effect traces that the proofs of fences are asked about.
//
// Accesses that follow each other in a block without a fence, control or an opaque operation between are one step.
// Shared allocations are numbered in the order of the kernel, external buffers by their id. What no trace can say
// (asynchronous copies, rings, roles and what stands in them, fences for asynchronous copies) is an opaque step.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "kernel/program.h"
#include "proof/effect_trace.h"

namespace tilewright::sync {

struct KernelTrace {
  proof::EffectTrace trace;
  std::vector<std::vector<kernel::OpId>> ops;  ///< of each node: a step's in order; of a fence, loop or branch the one
};

/// For fence.redundant. As for any call, nothing is known of what a subgroup or group does together with fragments in
/// memory, and of exchanges within subgroups: they are opaque.
KernelTrace order_trace(const kernel::Program& program, const kernel::Kernel& kernel);

/// What subgroups.independent stands on and a kernel does not say by itself.
struct IsolationPremises {
  /// Distinct buffer arguments do not overlap; none: they may.
  std::optional<proof::Premise> distinct_buffers;
  /// The parts of the output that different subgroups store are disjoint; none: not known.
  std::optional<proof::Premise> disjoint_parts;
};

/// For subgroups.independent. Fills are private inits; loads of fragments and atoms of one subgroup are matrix steps;
/// neighbouring stores of fragments into one buffer are one output step; all else that touches shared or external
/// memory is a plain step. Buffers that the kernel does not write are immutable where distinct buffers do not overlap;
/// temporaries overlap nothing anyway.
KernelTrace isolation_trace(const kernel::Program& program, const kernel::Kernel& kernel,
                            const IsolationPremises& premises);

}  // namespace tilewright::sync
