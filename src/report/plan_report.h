// Plans, for people and for programs: the choice, why it won, what lost, what was refused, what was proved.
#pragma once

#include <string>

#include "driver/plan.h"

namespace tilewright::report {

/// Refusals stand in one line a reason, or each by itself with `all`.
std::string plan_text(const driver::PlanReport& report, bool all);

/// {schema, program, target, device, bindings, options, switches, limits, milliseconds, automatic, plan: {program_hash,
/// digest, needs, text, groups: [one object a launch with the field names of GroupPlan]}, families: [{family, target,
/// taken, preference, bindings, kernel_score, launches, refusal}], captures, candidates:
/// [{launch, operation, threads, ..}], ranking, refusals: [{launch, subject, operation, code, reason, numbers}],
/// proofs: [{launch, id, operation, verdict, code, reason, used}], optimality}.
std::string plan_json(const driver::PlanReport& report);

}  // namespace tilewright::report
