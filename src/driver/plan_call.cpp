#include "driver/plan_call.h"

#include <algorithm>

namespace tilewright::driver {

std::optional<StoredPlan> given_plan(const CompileOptions& options) {
  if (options.plan.empty()) return std::nullopt;
  return StoredPlan{options.plan, options.plan_label};
}

PlanOptions plan_options(const CompileOptions& options) {
  PlanOptions wanted{std::string(target_name(options.target)), options.device, options.settings};
  wanted.layouts = options.layouts;
  const bool said = std::ranges::any_of(options.settings, [](const auto& each) { return each.first == "noalias"; });
  if (options.noalias && !said) wanted.settings.emplace_back("noalias", "true");
  return wanted;
}

}  // namespace tilewright::driver
