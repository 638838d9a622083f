// The coefficients that come with the program.
#pragma once

#include "plan/cost_priors.h"
#include "support/result.h"

namespace tilewright::driver {

/// profiles/costs/priors-v1.json. Errors: those of find_installed and of reading the file.
Result<plan::CostPriors> installed_priors();

}  // namespace tilewright::driver
