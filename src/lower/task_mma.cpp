// mma as loops: batch and rows, then the contraction ascending, the longest-running loop of independent results
// innermost, so that full vectors of results can be updated at once.
#include <algorithm>

#include "lower/task_lowering.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

void TaskLowering::lower_mma(ValueId value, const MmaOp& op) {
  if (plan_.form(value) == ValueForm::Dead) return;
  if (const auto lanes = mma_lanes(value, op)) return lower_mma_lanes(value, op, *lanes);
  const std::vector<AxisId> result_axes = elements_.axes(value);
  std::vector<AxisId> depth;
  for (AxisId axis : elements_.axes(op.a))
    if (!contains(result_axes, axis)) depth.push_back(axis);
  std::vector<AxisId> outer = result_axes;
  std::optional<AxisId> innermost;
  for (std::size_t d = outer.size(); d-- > 0 && !innermost;) {
    if (bound_extent(program_, outer[d]) <= 1) continue;
    innermost = outer[d];
    outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(d));
  }
  const SlotId slot = result_axes.empty() ? SlotId{} : mma_destination(value, op, false);
  const std::int64_t work = plan_.volume(join_axes(result_axes, depth));
  const kernel::ScalarType type = elements_.type(value);
  const auto prepare = [&](ValueId operand) {
    return mma_operand(operand, type, innermost, work <= plan_.volume(elements_.axes(operand)));
  };
  const MmaOperand a = prepare(op.a);
  const MmaOperand b = prepare(op.b);
  if (result_axes.empty()) {
    emit_scalar_products(value, op, depth, a, b);
  } else {
    elements_.nest(outer, {}, [&](const Point& at) { emit_products(depth, innermost, a, b, value, slot, at); });
    define(value, slot);
  }
  for (const MmaOperand* operand : {&a, &b})
    if (operand->packed.valid()) slots_.release(operand->packed);
}

/// The result's slot with c in it: c's own when nothing else needs it, so that no element is copied.
SlotId TaskLowering::mma_destination(ValueId value, const MmaOp& op, bool later) {
  const Place place = plan_.home(value);
  const auto apart = [&](SlotId slot) {
    return !elements_.reads_slot(op.a, slot) && !elements_.reads_slot(op.b, slot);
  };
  if (plan_.form(op.c) == ValueForm::Stored && elements_.lies_as_declared(op.c)) {
    const SlotId own = elements_.slot(op.c);
    if (can_take(own, value, place) && apart(own)) {
      slots_.hold(own);
      return own;
    }
  }
  const std::vector<AxisId> axes = elements_.axes(value);
  const SlotId slot = destination(value, place, [&](SlotId candidate) {
    return apart(candidate) && elements_.reads_in_place(op.c, candidate, axes, false);
  });
  if (!later) evaluate_into(slot, op.c);
  return slot;
}

/// An operand of the accumulator's type as memory, contiguous along the innermost loop if it has that axis.
TaskLowering::MmaOperand TaskLowering::mma_operand(ValueId value, kernel::ScalarType type,
                                                   std::optional<AxisId> innermost, bool used_once) {
  const auto view = elements_.strided(value);
  if (view && elements_.type(value) == type) {
    const auto step = innermost ? view->strides.find(*innermost) : view->strides.end();
    if (step == view->strides.end() || step->second == 1 || step->second == 0 || used_once) return {*view, {}};
  }
  std::vector<AxisId> axes = elements_.axes(value);
  if (const auto found = std::find(axes.begin(), axes.end(), innermost.value_or(AxisId{})); found != axes.end())
    std::rotate(found, found + 1, axes.end());
  const SlotId packed = scratch(type, plan_.volume(axes), "packed");
  const auto strides = elements_.dense_strides(axes);
  elements_.versioned(value, false, {}, [&] {
    if (innermost && pack_transposed(value, type, *innermost, packed)) return;
    dense_nest(axes, value, false, [&](const Point& at) {
      elements_.store_to(packed, strides, at, b_.cast(type, elements_.element(value, at)));
    });
  });
  return {StridedView{packed, strides, b_.const_i64(0)}, packed};
}

kernel::ValueId TaskLowering::operand_element(const MmaOperand& operand, const Point& at) {
  kernel::ValueId address = operand.view.offset;
  for (const auto& [axis, counter] : at.entries())
    if (const auto found = operand.view.strides.find(axis); found != operand.view.strides.end())
      address = b_.add(address, scaled(b_, counter, found->second));
  return b_.load(slots_.allocation(operand.view.slot), address);
}

/// All products of one point of the outer axes.
void TaskLowering::emit_products(const std::vector<AxisId>& depth, std::optional<AxisId> innermost, const MmaOperand& a,
                                 const MmaOperand& b, ValueId value, SlotId slot, const Point& at) {
  const auto strides = elements_.dense_strides(elements_.axes(value));
  const auto product = [&](const Point& here) {
    const kernel::ValueId left = operand_element(a, here);
    const kernel::ValueId right = operand_element(b, here);
    elements_.store_to(slot, strides, here, b_.fma(left, right, elements_.load_from(slot, strides, here)));
  };
  if (!innermost) {
    const kernel::ValueId sum = emit_chain(depth, a, b, elements_.load_from(slot, strides, at), at);
    elements_.store_to(slot, strides, at, sum);
    return;
  }
  elements_.nest(depth, at, [&](const Point& deep) { elements_.nest(std::vector<AxisId>{*innermost}, deep, product); });
}

/// One result as a chain in a register.
kernel::ValueId TaskLowering::emit_chain(const std::vector<AxisId>& depth, const MmaOperand& a, const MmaOperand& b,
                                         kernel::ValueId init, Point at) {
  for (AxisId axis : depth)
    if (bound_extent(program_, axis) == 0) return init;
  std::vector<kernel::ValueId> carried{init};
  std::size_t opened = 0;
  for (AxisId axis : depth) {
    const auto loop = b_.begin_loop(b_.const_i64(0), b_.const_i64(bound_extent(program_, axis)), 1, carried);
    at.set(axis, loop.index);
    carried = loop.carries;
    ++opened;
  }
  const kernel::ValueId left = operand_element(a, at);
  carried = {b_.fma(left, operand_element(b, at), carried.front())};
  for (; opened > 0; --opened) carried = b_.end_loop(carried);
  return carried.front();
}

void TaskLowering::emit_scalar_products(ValueId value, const MmaOp& op, const std::vector<AxisId>& depth,
                                        const MmaOperand& a, const MmaOperand& b) {
  elements_.set_scalar(value, emit_chain(depth, a, b, elements_.scalar(op.c), {}));
}

}  // namespace tilewright::lower
