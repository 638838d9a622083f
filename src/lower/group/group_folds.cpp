// Folds and contractions whose results are dealt out to the workers, each one as a chain.
#include "lower/fold_rules.h"
#include "lower/group/group_lowering.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

void GroupLowering::lower_reduce(ValueId value, const ReduceOp& op) {
  const auto chain = [&](const Point& at) { return fold_chain(b_, elements_, program_, op, at); };
  if (storage_.form(value) == ValueForm::Scalar)
    set_number(value, chain);
  else if (storage_.form(value) == ValueForm::Stored)
    fill(value, chain, false);
}

void GroupLowering::lower_contraction(ValueId value, const MmaOp& op) {
  std::vector<AxisId> depth;
  for (AxisId axis : elements_.axes(op.a))
    if (!contains(elements_.axes(value), axis)) depth.push_back(axis);
  const auto chain = [&](const Point& at) { return contraction_chain(value, op, depth, at); };
  if (storage_.form(value) == ValueForm::Scalar)
    set_number(value, chain);
  else if (storage_.form(value) == ValueForm::Stored)
    fill(value, chain, false);
}

/// c, and the products added to it one after the other, as fused multiply-adds in the type of the result.
kernel::ValueId GroupLowering::contraction_chain(ValueId value, const MmaOp& op, const std::vector<AxisId>& depth,
                                                 Point at) {
  const kernel::ScalarType type = elements_.type(value);
  std::vector<kernel::ValueId> carried{elements_.element(op.c, at)};
  for (AxisId axis : depth)
    if (bound_extent(program_, axis) == 0) return carried.front();
  std::size_t opened = 0;
  for (AxisId axis : depth) {
    const kernel::ValueId zero = b_.const_i64(0), end = b_.const_i64(bound_extent(program_, axis));
    const auto loop = b_.begin_loop(zero, end, 1, carried);
    at.set(axis, loop.index);
    carried = loop.carries;
    ++opened;
  }
  kernel::ValueId sum;
  elements_.nest(std::vector<AxisId>{}, at, [&](const Point& here) {
    const kernel::ValueId left = b_.cast(type, elements_.element(op.a, here));
    const kernel::ValueId right = b_.cast(type, elements_.element(op.b, here));
    sum = b_.fma(left, right, carried.front());
  });
  carried = {sum};
  for (; opened > 0; --opened) carried = b_.end_loop(carried);
  return carried.front();
}

}  // namespace tilewright::lower
