// Folds of one axis.
#include <algorithm>
#include <limits>

#include "lower/task_lowering.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::ScalarType;

kernel::ValueId TaskLowering::folded(FoldKind kind, kernel::ValueId so_far, kernel::ValueId next) {
  switch (kind) {
    case FoldKind::Add: return b_.add(so_far, next);
    case FoldKind::Max: return b_.binary(kernel::BinaryKind::Max, so_far, next);
    case FoldKind::Min: return b_.binary(kernel::BinaryKind::Min, so_far, next);
  }
  return {};
}

kernel::ValueId TaskLowering::identity(FoldKind kind, ScalarType type) {
  if (kind == FoldKind::Add) return emit_literal(b_, type, 0);
  const bool highest = kind == FoldKind::Min;
  if (type == ScalarType::I64)
    return b_.const_i64(highest ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min());
  const double infinity = std::numeric_limits<double>::infinity();
  return emit_literal(b_, type, highest ? infinity : -infinity);
}

void TaskLowering::lower_reduce(ValueId value, const ReduceOp& op) {
  if (plan_.form(value) == ValueForm::Dead) return;
  const std::vector<AxisId> kept = elements_.axes(value);
  const ScalarType type = elements_.type(value);
  const bool narrow_sum = op.kind == FoldKind::Add && (type == ScalarType::F16 || type == ScalarType::BF16);
  const ScalarType sum_type = narrow_sum ? ScalarType::F32 : type;
  const std::int64_t extent = bound_extent(program_, op.axis);
  const auto along = [&](kernel::ValueId counter) {
    return op.order == FoldOrder::FoldRight ? b_.sub(b_.const_i64(extent - 1), counter) : counter;
  };
  const auto next = [&](const Point& at) { return b_.cast(sum_type, elements_.element(op.operand, at)); };
  // The fold as a chain in a register.
  const auto chain = [&](const Point& at) {
    kernel::ValueId sum = identity(op.kind, sum_type);
    if (extent == 0) return b_.cast(type, sum);
    const auto opened = b_.begin_loop(b_.const_i64(0), b_.const_i64(extent), 1, {sum});
    Point inner = at;
    inner.set(op.axis, along(opened.index));
    elements_.nest(std::vector<AxisId>{}, inner, [&](const Point& here) {
      sum = folded(op.kind, opened.carries.front(), next(here));
    });
    return b_.cast(type, b_.end_loop({sum}).front());
  };
  if (kept.empty()) {
    elements_.set_scalar(value, elements_.versioned_value(op.operand, false, {}, [&] { return chain({}); }));
    return;
  }

  const std::vector<AxisId> operand_axes = elements_.axes(op.operand);
  const bool folds_innermost = operand_axes.back() == op.axis || bound_extent(program_, kept.back()) == 1;
  const SlotId slot = destination(value, plan_.home(value),
                                  [&](SlotId candidate) { return !elements_.reads_slot(op.operand, candidate); });
  const auto strides = elements_.dense_strides(kept);
  if (folds_innermost) {
    elements_.versioned(op.operand, false, {}, [&] {
      elements_.nest(kept, {}, [&](const Point& at) { elements_.store_to(slot, strides, at, chain(at)); });
    });
    define(value, slot);
    return;
  }
  // Row after row into a row of sums, so that the innermost loop has no chain.
  const SlotId sums = narrow_sum ? scratch(sum_type, plan_.volume(kept), "sums") : slot;
  elements_.nest(kept, {}, [&](const Point& at) {
    elements_.store_to(sums, strides, at, identity(op.kind, sum_type));
  });
  const std::vector<AxisId> outer(kept.begin(), kept.end() - 1);
  elements_.versioned(op.operand, false, {}, [&] {
    elements_.nest(outer, {}, [&](Point at) {
      if (extent == 0) return;
      at.set(op.axis, along(b_.begin_loop(b_.const_i64(0), b_.const_i64(extent)).index));
      elements_.nest(std::vector<AxisId>{kept.back()}, at, [&](const Point& here) {
        const kernel::ValueId so_far = elements_.load_from(sums, strides, here);
        elements_.store_to(sums, strides, here, folded(op.kind, so_far, next(here)));
      });
      b_.end_loop();
    });
  });
  if (narrow_sum) {
    copy(sums, slot, kept);
    slots_.release(sums);
  }
  define(value, slot);
}

}  // namespace tilewright::lower
