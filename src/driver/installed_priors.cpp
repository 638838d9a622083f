#include "driver/installed_priors.h"

#include <string>

#include "driver/installed_data.h"

namespace tilewright::driver {

Result<plan::CostPriors> installed_priors() {
  TW_TRY(const std::string profiles, find_installed(kProfileFolder));
  return plan::load_cost_priors(profiles + "/costs/priors-v1.json");
}

}  // namespace tilewright::driver
