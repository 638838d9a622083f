#include "report/plan_words.h"

#include <fmt/format.h>

#include "proof/question_text.h"

namespace tilewright::report {

std::string operation_text(const driver::PlanReport& report, tile::OpId op) {
  return op.valid() ? proof::operation_text(report.bound, op) : "-";
}

bool uses_relaxed_precision(const driver::PlanReport& report, const plan::LaunchPlan& launch,
                            const plan::MatrixPlan& matrix) {
  const auto& mma = std::get<tile::MmaOp>(report.bound.op(matrix.op).payload);
  return mma.relaxed && report.bound.value(mma.a).element.data == DataType::F32 &&
         launch.family == realize::AtomFamily::MetalMpp;
}

std::string operation_number(std::uint32_t operation) {
  return operation == proof::kNoOperation ? "-" : fmt::format("op {}", operation);
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace tilewright::report
