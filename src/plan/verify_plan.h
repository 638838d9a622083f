// Verifying a stored plan against today's program, target and options.
#pragma once

#include "plan/plan_program.h"
#include "proof/subject.h"
#include "sets/context.h"
#include "support/result.h"

namespace tilewright::plan {

/// Every decision of the plan is proved anew, under the switches, limits and fragment budget of the request: they say
/// what is legal. What the other options would choose does not matter, nor do the coefficients: the scores of a plan
/// are records of the search that made it, its features are counted again. The result is the plan itself with the
/// report of that proof; it has no losers, since nothing was searched. PlanStale: the plan is of a program with another
/// meaning, of another target or device, or does not fit the program's launches and operations. PlanIllegal: a decision
/// that is not legal now, with the launch, the operation and the numbers; a count or score that the program does not
/// give.
Result<PlannedProgram> verify_plan(const Plan& plan, const proof::Subject& subject, const PlanningRequest& request,
                                   const sets::Context& context);

}  // namespace tilewright::plan
