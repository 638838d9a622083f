// What a plan needs of a launch beyond its sizes.
#pragma once

#include <string>
#include <vector>

#include "driver/launch.h"
#include "plan/plan.h"
#include "proof/subject.h"

namespace tilewright::driver {

/// The plan stands on noalias.
bool needs_noalias(const plan::Plan& plan);

/// A sentence for each access that the plan makes by whole fragments though its rows do not follow each other in the
/// layout of the rules: one of the two steps of the tile has to be 1, the other above 0.
std::vector<std::string> rows_that_are_not_compact(const plan::Plan& plan, const proof::Subject& subject,
                                                   const LaunchRules& rules);

}  // namespace tilewright::driver
