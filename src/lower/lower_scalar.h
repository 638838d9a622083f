// lower_scalar: tile IR to kernel IR by the reference mapping of the CPU: one task is one instance of a top-level
// parallel region, everything inside runs as loops of one worker. Works for every program and every size.
//
// The meaning is that of tile/interpreter.h's typed arithmetic, bit for bit, where the program leaves no freedom of
// order; where it does, the order is the reference order all the same. No address outside of a view is formed into an
// access, and buffers may overlap each other.
#pragma once

#include <tilewright/errors.h>

#include "kernel/program.h"
#include "lower/lane_options.h"
#include "lower/launch_layout.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Private and shared memory of one task, in all.
inline constexpr std::int64_t kMaxTaskBytes = std::int64_t{1} << 30;

/// Premise: tile/verifier.h accepts the program and it is bound. The kernels' buffers are the program's buffers in
/// order of declaration, without explicit memories; kernel n is called "<program>_<n>". Failures: Unsupported (opaque
/// calls, placements that a CPU does not have, nesting beyond kernel::kMaxNesting), TileTooLarge (a task needs more
/// than kMaxTaskBytes), SizeOverflow.
Result<kernel::Program> lower_scalar(const tile::Program& bound, const LaunchLayout& layout);

/// The same in vectors, where elements lie side by side: what the program leaves free in order is then folded in the
/// order of the lanes, which the options fix. Everything else keeps every bit.
Result<kernel::Program> lower_lanes(const tile::Program& bound, const LaunchLayout& layout, const LaneOptions& lanes);

/// TileTooLarge when one task of a kernel needs more than kMaxTaskBytes.
Result<void> check_task_memory(const tile::Program& bound, const kernel::Program& program);

}  // namespace tilewright::lower
