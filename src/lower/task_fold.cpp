// Folds of one axis: ascending, or descending for fold_right.
#include <algorithm>

#include "lower/fold_rules.h"
#include "lower/task_lowering.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::ScalarType;

void TaskLowering::lower_reduce(ValueId value, const ReduceOp& op) {
  if (plan_.form(value) == ValueForm::Dead) return;
  const std::vector<AxisId> kept = elements_.axes(value);
  const ScalarType type = elements_.type(value);
  const Fold fold{op, fold_type(op.kind, type), bound_extent(program_, op.axis)};
  if (kept.empty()) {
    if (folds_in_lanes(fold)) return elements_.set_scalar(value, fold_scalar_in_lanes(fold));
    elements_.set_scalar(value, elements_.versioned_value(op.operand, false, {},
                                                          [&] { return fold_chain(b_, elements_, program_, op, {}); }));
    return;
  }
  const SlotId slot = destination(value, plan_.home(value),
                                  [&](SlotId candidate) { return !elements_.reads_slot(op.operand, candidate); });
  const bool folds_innermost =
      elements_.layout(op.operand).back() == op.axis || bound_extent(program_, kept.back()) == 1;
  if (folds_in_lanes(fold)) {
    fold_rows_in_lanes(fold, kept, slot);
  } else if (!folds_innermost) {
    fold_rows(fold, kept, slot);
  } else {
    const auto strides = elements_.dense_strides(kept);
    elements_.versioned(op.operand, false, {}, [&] {
      elements_.nest(kept, {}, [&](const Point& at) {
        elements_.store_to(slot, strides, at, fold_chain(b_, elements_, program_, op, at));
      });
    });
  }
  define(value, slot);
}

kernel::ValueId TaskLowering::fold_counter(const Fold& fold, kernel::ValueId counter) {
  return fold.op.order == FoldOrder::FoldRight ? b_.sub(b_.const_i64(fold.extent - 1), counter) : counter;
}

kernel::ValueId TaskLowering::fold_operand(const Fold& fold, const Point& at) {
  return b_.cast(fold.type, elements_.element(fold.op.operand, at));
}

/// Row after row into a row of results, so that the innermost loop has no chain.
void TaskLowering::fold_rows(const Fold& fold, const std::vector<AxisId>& kept, SlotId slot) {
  const bool widened = fold.type != slots_.scalar(slot);
  const SlotId sums = widened ? scratch(fold.type, plan_.volume(kept), "sums") : slot;
  const auto strides = elements_.dense_strides(kept);
  elements_.nest(kept, {}, [&](const Point& at) {
    elements_.store_to(sums, strides, at, fold_identity(b_, fold.op.kind, fold.type));
  });
  const std::vector<AxisId> outer(kept.begin(), kept.end() - 1);
  elements_.versioned(fold.op.operand, false, {}, [&] {
    elements_.nest(outer, {}, [&](Point at) {
      if (fold.extent == 0) return;
      at.set(fold.op.axis, fold_counter(fold, b_.begin_loop(b_.const_i64(0), b_.const_i64(fold.extent)).index));
      elements_.nest(std::vector<AxisId>{kept.back()}, at, [&](const Point& here) {
        const kernel::ValueId so_far = elements_.load_from(sums, strides, here);
        elements_.store_to(sums, strides, here, folded(b_, fold.op.kind, so_far, fold_operand(fold, here)));
      });
      b_.end_loop();
    });
  });
  if (!widened) return;
  copy(sums, slot, kept);
  slots_.release(sums);
}

}  // namespace tilewright::lower
