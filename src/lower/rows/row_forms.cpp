#include "lower/rows/row_forms.h"

#include <algorithm>

#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

RowForms::RowForms(const proof::Subject& subject, const realize::RowReductionWorkload& workload)
    : subject_(subject), program_(subject.program), workload_(workload) {
  for (OpId op : subject.walk.order)
    if (const auto* reduce = std::get_if<ReduceOp>(&program_.op(op).payload);
        reduce != nullptr && subject.walk.places[op].launch == workload.launch)
      folded_axes_.insert(reduce->axis);
}

bool RowForms::is_element(AxisId axis) const {
  return !workload_.row_axes.contains(axis) && (bound_extent(program_, axis) != 1 || folded_axes_.contains(axis));
}

AxisId RowForms::element_axis(const std::vector<AxisId>& axes) const {
  const auto found = std::find_if(axes.begin(), axes.end(), [&](AxisId axis) { return is_element(axis); });
  return found == axes.end() ? AxisId{} : *found;
}

AxisId RowForms::element_axis(ValueId value) const { return element_axis(program_.list(program_.value(value).axes)); }

std::vector<AxisId> RowForms::row_axes(std::vector<AxisId> axes) const {
  std::erase_if(axes, [&](AxisId axis) { return is_element(axis); });
  return axes;
}

std::int64_t RowForms::points(const std::vector<AxisId>& axes) const {
  std::int64_t points = 1;
  // Tiles are limited at binding, so that the product of their extents fits.
  for (AxisId axis : axes) points *= bound_extent(program_, axis);
  return points;
}

bool RowForms::in_joint_loop(OpId op) const {
  const auto& regions = subject_.walk.nest(op).regions;
  return !regions.empty() && workload_.joint_loops.contains(regions.back().region);
}

ValueForm RowForms::form(ValueId value) const {
  if (held_.contains(value)) return ValueForm::Stored;
  if (element_axis(value).valid()) return ValueForm::Free;
  const OpId def = program_.value(value).def;
  const bool is_total = def.valid() && std::holds_alternative<ReduceOp>(program_.op(def).payload);
  if (def.valid() && !is_total && in_joint_loop(def)) return ValueForm::Free;
  const std::vector<AxisId> axes = program_.list(program_.value(value).axes);
  if (points(axes) == 1) return ValueForm::Scalar;
  const bool is_formula = def.valid() && (std::holds_alternative<ConstantOp>(program_.op(def).payload) ||
                                          std::holds_alternative<IndexValueOp>(program_.op(def).payload));
  return is_formula ? ValueForm::Free : ValueForm::Stored;
}

}  // namespace tilewright::lower
