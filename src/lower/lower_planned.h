// lower_planned: a bound program and its plan to kernel IR for a device with groups: each launch by the mapping that
// the plan has for it.
//
// The plan decides; nothing is chosen here. Same program, same layout, same plan: same kernels. The fences are those of
// the reference: one after each domain of elements and each matrix operation. sync/coalesce.h takes out what no
// dependence needs.
//
//   scalar         one worker a task, lower_scalar's kernel: a task is a program
//   elementwise    one worker a task: a task is an element of a program
//   row_reduction  rows/: subgroups share the rows of a program, or a group has several programs
//   cooperative    group/: a group has one program
//   vector         vector/: one worker runs a range of tiles of one product
#pragma once

#include <vector>

#include <tilewright/errors.h>

#include "kernel/program.h"
#include "lower/launch_layout.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "sets/context.h"

namespace tilewright::lower {

/// Premises: the subject's program is bound and verified; the plan is one of that program (plan/verify_plan.h accepts
/// it), made under the subject's assumptions. Kernel n is launch n, called "<program>_<n>"; the kernels' buffers are
/// the program's buffers in order of declaration, without explicit memories. Failures: as lower_scalar, and
/// Unsupported for what no lowering of the mapping can do.
Result<kernel::Program> lower_planned(const proof::Subject& subject, const LaunchLayout& layout, const plan::Plan& plan,
                                      const sets::Context& context);

}  // namespace tilewright::lower
