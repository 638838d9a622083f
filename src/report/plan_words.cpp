#include "report/plan_words.h"

#include <fmt/format.h>

#include "proof/question_text.h"

namespace tilewright::report {

std::string operation_text(const driver::PlanReport& report, tile::OpId op) {
  return op.valid() ? proof::operation_text(report.bound, op) : "-";
}

std::string operation_number(std::uint32_t operation) {
  return operation == proof::kNoOperation ? "-" : fmt::format("op {}", operation);
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace tilewright::report
