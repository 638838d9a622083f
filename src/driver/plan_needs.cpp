#include "driver/plan_needs.h"

#include <algorithm>

#include <fmt/format.h>

#include "realize/mma_form.h"

namespace tilewright::driver {

namespace {

/// Empty: the rows are compact.
std::string fault_of_store(const plan::MatrixPlan& matrix, const proof::Subject& subject, const LaunchRules& rules) {
  const analysis::Access* const store = subject.accesses.of(matrix.sink);
  const auto form = realize::mma_form(subject, matrix.op);
  if (store == nullptr || !form) return {};
  const auto strides = rules.strides.find(store->object);
  const auto orientation = analysis::orientation(*store, form->row, form->column);
  if (strides == rules.strides.end() || !orientation) return {};
  const std::int64_t row = strides->second[orientation->row_dimension];
  const std::int64_t column = strides->second[orientation->column_dimension];
  if ((row == 1 && column > 0) || (column == 1 && row > 0)) return {};
  return fmt::format("'{}' has strides {}", subject.program.object(store->object).name, list_text(strides->second));
}

}  // namespace

bool needs_noalias(const plan::Plan& plan) {
  return std::find(plan.needs.begin(), plan.needs.end(), "noalias") != plan.needs.end();
}

std::vector<std::string> rows_that_are_not_compact(const plan::Plan& plan, const proof::Subject& subject,
                                                   const LaunchRules& rules) {
  std::vector<std::string> faults;
  for (const plan::LaunchPlan& launch : plan.launches)
    for (const plan::MatrixPlan& matrix : launch.matrices) {
      if (!matrix.sink.valid()) continue;
      if (std::string fault = fault_of_store(matrix, subject, rules); !fault.empty())
        faults.push_back(std::move(fault));
    }
  return faults;
}

}  // namespace tilewright::driver
