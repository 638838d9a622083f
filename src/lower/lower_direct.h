// lower_direct: tile IR to kernel IR without a plan: one operation of the program is one step of a group.
//
// A group of one subgroup runs one program of a launch. Each tile lies in shared storage of its own, dense, from its
// definition to its last use; every load is a copy into it, or part of the one element-wise step that reads it; regions
// are loops in the order of the text. Elements are dealt out to the workers, and each step ends with a fence of the
// group over all memory. An mma is one tensor operation over the whole tile, whose operands lie in storage as rows x
// contraction and contraction x columns.
//
// What a program means here depends on neither planner nor group lowering, so that a run of this kernel and one of a
// planned kernel differ where one of the two is at fault.
#pragma once

#include <cstdint>
#include <string>

#include <tilewright/errors.h>

#include "kernel/program.h"
#include "lower/launch_layout.h"
#include "target/atom.h"
#include "tile/program.h"

namespace tilewright::lower {

struct DirectDevice {
  std::string name;                             ///< in diagnostics
  target::AtomDescriptor tensor_operation;      ///< what an mma becomes
  std::int64_t shared_memory_bytes = 32 << 10;  ///< of one group
};

/// Premise: tile/verifier.h accepts the program and it is bound. The kernels' buffers are the program's buffers in
/// order of declaration; kernel n is launch n, called "<program>_<n>". Failures: Unsupported, one for each (an mma that
/// is not one tensor operation, explicit memory, opaque calls, scopes and placements that one subgroup does not
/// serve); TileTooLarge with the bytes of each tile (the storage of a program is above shared_memory_bytes);
/// SizeOverflow.
Result<kernel::Program> lower_direct(const tile::Program& bound, const LaunchLayout& layout,
                                     const DirectDevice& device);

}  // namespace tilewright::lower
