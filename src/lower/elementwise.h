// Elementwise launches: a task is one element of one program.
//
// The task domain is flat: task = program * elements + element, programs and elements row-major. One worker computes
// what its element of every store needs, each value once, and stores it; which tasks make a group is the emitter's.
#pragma once

#include <map>
#include <string>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "lower/access.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Premise: realize::elementwise_facts accepts the launch. Failures: LaunchTooLarge (programs x elements).
Result<void> lower_elementwise(const proof::Subject& subject, const plan::LaunchPlan& plan, const std::string& name,
                               kernel::Builder& builder, std::map<tile::ObjectId, ObjectPlace>& objects);

}  // namespace tilewright::lower
