#include "driver/plan_needs.h"

#include <algorithm>

#include <fmt/format.h>

#include "proof/operands_congruent.h"
#include "realize/mma_form.h"

namespace tilewright::driver {

namespace {

/// Whether elements along the rows or the columns of the tile follow each other; along the only axis of a vector.
bool is_compact(const analysis::Access& access, const realize::MmaForm& form,
                const std::vector<std::int64_t>& strides) {
  if (const auto orientation = analysis::orientation(access, form.row, form.column)) {
    const std::int64_t row = strides[orientation->row_dimension], column = strides[orientation->column_dimension];
    return (row == 1 && column > 0) || (column == 1 && row > 0);
  }
  const auto is_one = [&](tile::AxisId axis) {
    const auto dimension = access.unit_dimension_of(axis);
    return !dimension || strides[*dimension] == 1;
  };
  return is_one(form.row) && is_one(form.column);
}

void add_faults(const plan::MatrixPlan& matrix, const proof::Subject& subject, const LaunchRules& rules,
                std::vector<std::string>& faults) {
  const auto form = realize::mma_form(subject, matrix.op);
  if (!form) return;
  std::vector<tile::OpId> accesses{matrix.sink};
  if (matrix.fuses_epilogue)
    for (tile::OpId load : proof::operands_of(subject, matrix.sink)) accesses.push_back(load);
  for (tile::OpId op : accesses) {
    const analysis::Access* const access = subject.accesses.of(op);
    const auto strides = rules.strides.find(access->object);
    if (strides == rules.strides.end() || is_compact(*access, *form, strides->second)) continue;
    faults.push_back(
        fmt::format("'{}' has strides {}", subject.program.object(access->object).name, list_text(strides->second)));
  }
}

}  // namespace

bool needs_noalias(const plan::Plan& plan) {
  return std::find(plan.needs.begin(), plan.needs.end(), "noalias") != plan.needs.end();
}

std::vector<std::string> rows_that_are_not_compact(const plan::Plan& plan, const proof::Subject& subject,
                                                   const LaunchRules& rules) {
  std::vector<std::string> faults;
  for (const plan::LaunchPlan& launch : plan.launches)
    for (const plan::MatrixPlan& matrix : launch.matrices)
      if (matrix.sink.valid()) add_faults(matrix, subject, rules, faults);
  return faults;
}

}  // namespace tilewright::driver
