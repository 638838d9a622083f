// What compile() was asked for, as the planning stage takes it.
#pragma once

#include <optional>

#include <tilewright/compile.h>

#include "driver/plan.h"

namespace tilewright::driver {

PlanOptions plan_options(const CompileOptions& options);
/// The plan that the caller gave in place of planning; nothing when there is none.
std::optional<StoredPlan> given_plan(const CompileOptions& options);

}  // namespace tilewright::driver
