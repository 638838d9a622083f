// RowForms: what becomes of the values of a row reduction.
//
//   elements of rows          Free: computed by the worker that has the element, where a sweep needs them
//   row values                of one number Scalar, else Stored in private memory: every worker has all of them
//   row values of a joint     Free, as elements: they may differ from one iteration to the next. But for what is
//   folded: loop's body               its total is a row value kept elements             Stored, from hold() on: each
//   worker has its own, in a stripe of private memory
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lower/value_forms.h"
#include "proof/subject.h"
#include "realize/row_reduction_facts.h"
#include "tile/program.h"

namespace tilewright::lower {

class RowForms final : public ValueForms {
 public:
  RowForms(const proof::Subject& subject, const realize::RowReductionWorkload& workload);

  ValueForm form(tile::ValueId value) const override;
  /// The axis among these whose points are dealt out to workers; none for rows.
  tile::AxisId element_axis(const std::vector<tile::AxisId>& axes) const;
  tile::AxisId element_axis(tile::ValueId value) const;
  /// The axes without the element axis.
  std::vector<tile::AxisId> row_axes(std::vector<tile::AxisId> axes) const;
  /// Points of these axes.
  std::int64_t points(const std::vector<tile::AxisId>& axes) const;

  /// From now on the elements of the value lie in a stripe, or no longer.
  void hold(tile::ValueId value) { held_.insert(value); }
  void drop(tile::ValueId value) { held_.erase(value); }
  bool is_held(tile::ValueId value) const { return held_.contains(value); }

 private:
  bool is_element(tile::AxisId axis) const;
  bool in_joint_loop(tile::OpId op) const;

  const proof::Subject& subject_;
  const tile::Program& program_;
  const realize::RowReductionWorkload& workload_;
  std::set<tile::AxisId> folded_axes_;
  std::set<tile::ValueId> held_;
};

}  // namespace tilewright::lower
