// Plans for metal-mpp of programs from text, and what they say about what they did not do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/plan.h"

namespace tilewright::mpp {

/// `line`: the name and assignments, views and settings of driver::request_of_line. Nothing, and a failed test, where
/// something goes wrong.
std::optional<driver::PlanReport> plan_case(const std::string& line, const std::string& text);

/// Refusals as "refusal subject code: reason", questions that were not proved as "proof family verdict code: reason",
/// trials as "trial outcome".
std::vector<std::string> remarks(const plan::LaunchReport& report);

}  // namespace tilewright::mpp
