// Verifying a stored plan against today's program, target and options.
#pragma once

#include "plan/plan_program.h"
#include "proof/subject.h"
#include "sets/context.h"
#include "support/result.h"

namespace tilewright::plan {

/// Every decision of the plan is proved anew, with the switches, limits and options of the request: they say what is
/// legal, not what is chosen. The result is the plan itself with the report of that proof; it has no losers, since
/// nothing was searched. PlanStale: the plan is of a program with another meaning, of another target, or does not fit
/// the program's launches and operations. PlanIllegal: a decision that is not legal now, with the launch, the operation
/// and the numbers; a count or score that the program does not give.
Result<PlannedProgram> verify_plan(const Plan& plan, const proof::Subject& subject, const PlanningRequest& request,
                                   const sets::Context& context);

}  // namespace tilewright::plan
