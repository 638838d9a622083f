#include "lower/fold_rules.h"

#include <limits>

#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::ScalarType;

kernel::ValueId folded(kernel::Builder& builder, FoldKind kind, kernel::ValueId so_far, kernel::ValueId next) {
  switch (kind) {
    case FoldKind::Add:
      return builder.add(so_far, next);
    case FoldKind::Max:
      return builder.binary(kernel::BinaryKind::Max, so_far, next);
    case FoldKind::Min:
      return builder.binary(kernel::BinaryKind::Min, so_far, next);
  }
  return {};
}

kernel::ValueId fold_identity(kernel::Builder& builder, FoldKind kind, ScalarType type) {
  if (kind == FoldKind::Add) return emit_literal(builder, type, 0);
  const bool highest = kind == FoldKind::Min;
  if (type == ScalarType::I64)
    return builder.const_i64(highest ? std::numeric_limits<std::int64_t>::max()
                                     : std::numeric_limits<std::int64_t>::min());
  const double infinity = std::numeric_limits<double>::infinity();
  return emit_literal(builder, type, highest ? infinity : -infinity);
}

ScalarType fold_type(FoldKind kind, ScalarType element) {
  return kind == FoldKind::Add && kernel::is_float_scalar(element) ? ScalarType::F32 : element;
}

kernel::ValueId fold_chain(kernel::Builder& builder, Elements& elements, const Program& program, const ReduceOp& op,
                           Point at) {
  const ScalarType element = elements.type(op.operand), type = fold_type(op.kind, element);
  const std::int64_t extent = bound_extent(program, op.axis);
  const kernel::ValueId first = fold_identity(builder, op.kind, type);
  if (extent == 0) return builder.cast(element, first);
  const kernel::ValueId zero = builder.const_i64(0), end = builder.const_i64(extent);
  const auto opened = builder.begin_loop(zero, end, 1, {first});
  kernel::ValueId counter = opened.index;
  if (op.order == FoldOrder::FoldRight) counter = builder.sub(builder.const_i64(extent - 1), counter);
  at.set(op.axis, counter);
  kernel::ValueId sum;
  elements.nest(std::vector<AxisId>{}, at, [&](const Point& here) {
    const kernel::ValueId next = builder.cast(type, elements.element(op.operand, here));
    sum = folded(builder, op.kind, opened.carries.front(), next);
  });
  return builder.cast(element, builder.end_loop({sum}).front());
}

}  // namespace tilewright::lower
