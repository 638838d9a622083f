// Words that the text and the JSON of plans and proofs share. Internal to src/report.
#pragma once

#include <string>

#include "driver/plan.h"

namespace tilewright::report {

/// "op 7 mma(a#2, b#3, acc#1)"; "-" for none.
std::string operation_text(const driver::PlanReport& report, tile::OpId op);
/// Whether the code of the matrix may round its operands: the program permits it, and the family makes use of it.
bool uses_relaxed_precision(const driver::PlanReport& report, const plan::LaunchPlan& launch,
                            const plan::MatrixPlan& matrix);
/// "op 7", or "-" for none: in front of a question.
std::string operation_number(std::uint32_t operation);
std::string number_text(double value);

}  // namespace tilewright::report
