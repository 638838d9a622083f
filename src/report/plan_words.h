// Words that the text and the JSON of a plan share. Internal to src/report.
#pragma once

#include <string>

#include "driver/plan.h"

namespace tilewright::report {

/// "%7 mma(a#2, b#3, acc#1)", as proofs name an operation; "-" for none.
std::string operation_text(const driver::PlanReport& report, tile::OpId op);
/// The name of a value, or its number.
std::string value_name(const driver::PlanReport& report, tile::ValueId value);
std::string number_text(double value);

}  // namespace tilewright::report
