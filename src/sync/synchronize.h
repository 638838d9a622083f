// The fences of a program, as the plan wants them: the passes that were asked for, and then the checker.
#pragma once

#include <optional>
#include <vector>

#include "kernel/program.h"
#include "support/result.h"
#include "sync/facts.h"
#include "sync/trace.h"

namespace tilewright::sync {

/// For one kernel.
struct KernelRequest {
  bool coalesce = true;  ///< LaunchPlan::coalesce_group_barriers; off: the reference fences stay
  bool elide = false;    ///< LaunchPlan::elide_independent_subgroup_barriers; has no effect without coalesce
  /// What is known of the launch. distinct_buffers also tells the checker that no two buffers overlap.
  IsolationPremises premises;
  bool subgroups_are_programs = false;  ///< CheckPremises::subgroups_are_programs
};

struct SyncRequest {
  std::vector<KernelRequest> kernels;  ///< one a kernel, in order
};

struct Synchronized {
  kernel::Program program;  ///< canonical
  FenceFacts facts;
};

/// Takes out the fences that need not be there, and nothing else: values and effects stay as they are. In each kernel
/// all fences of the compiler where elide is asked for and subgroups.independent is proved; else, with coalesce, those
/// for which fence.redundant is proved. Premise: kernel/verifier.h accepts the program, which has a fence behind every
/// domain of elements and every matrix operation.
///
/// Error: FenceMissing, for every unordered pair that the checker finds afterwards (sync/check.h); it is a fault of the
/// passes or of the reference.
Result<Synchronized> synchronize(const kernel::Program& program, const SyncRequest& request);

}  // namespace tilewright::sync
