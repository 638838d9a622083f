// Random index expressions and values.
#include <algorithm>

#include "generator_internal.h"

namespace tilewright::tile {

// ---- Sizes and index expressions -----------------------------------------------------------------------------------

IndexId Generator::size() { return dice_.pick(sizes_); }

IndexId Generator::positive() { return dice_.percent(50) ? constant(dice_.between(1, 4)) : size(); }

IndexId Generator::index_leaf(const Axes& axes) {
  if (!axes.empty() && dice_.percent(50)) return b_.index().axis(dice_.pick(axes));
  std::vector<CoordId> coords;
  for (const Frame& frame : frames_) coords.insert(coords.end(), frame.coords.begin(), frame.coords.end());
  if (!coords.empty() && dice_.percent(60)) return b_.index().coord(dice_.pick(coords));
  if (dice_.percent(30)) return size();
  return constant(dice_.between(-3, 9));
}

IndexId Generator::index_op(const Axes& axes, int depth) {
  const IndexId lhs = index_expr(axes, depth - 1);
  const auto make = [&](IndexKind kind, IndexId rhs) { return b_.index().make(kind, lhs, rhs); };
  switch (dice_.below(13)) {
    case 0:
    case 1:
    case 2:
      return make(IndexKind::Add, index_expr(axes, depth - 1));
    case 3:
    case 4:
      return make(IndexKind::Sub, index_expr(axes, depth - 1));
    case 5:
    case 6:
      return make(IndexKind::Mul, positive());
    case 7:
      return make(IndexKind::FloorDiv, positive());
    case 8:
      return make(IndexKind::CeilDiv, positive());
    case 9:
      return make(IndexKind::Mod, positive());
    case 10: {
      const IndexKind kind = dice_.percent(50) ? IndexKind::Min : IndexKind::Max;
      return make(kind, index_expr(axes, depth - 1));
    }
    case 11: {
      const IndexKind kind = dice_.percent(50) ? IndexKind::BitAnd : IndexKind::BitXor;
      return make(kind, constant(dice_.between(0, 7)));
    }
    default:
      break;
  }
  // The shift to the right is logical: of a negative number it would be beyond every multiplication.
  const IndexId count = constant(dice_.between(0, 3));
  if (dice_.percent(50)) return make(IndexKind::ShiftLeft, count);
  const IndexId natural = wild() ? lhs : b_.index().make(IndexKind::Max, lhs, constant(0));
  return b_.index().make(IndexKind::ShiftRight, natural, count);
}

IndexId Generator::index_expr(const Axes& axes, int depth) {
  if (wild() && dice_.percent(2)) return b_.index().make(IndexKind::FloorDiv, index_leaf(axes), constant(0));
  if (wild() && dice_.percent(1)) return constant(dice_.percent(50) ? INT64_MIN : INT64_MAX);
  return depth <= 0 || dice_.percent(35) ? index_leaf(axes) : index_op(axes, depth);
}

/// Surely in [0, extent) for an extent of at least 1.
IndexId Generator::in_bounds(IndexId extent, const Axes& axes) {
  IndexArena& index = b_.index();
  Axes same;
  for (AxisId axis : axes)
    if (b_.axis_extent(axis) == extent) same.push_back(axis);
  if (!same.empty() && dice_.percent(70)) {
    const IndexId axis = index.axis(dice_.pick(same));
    if (dice_.percent(60)) return axis;
    return index.make(IndexKind::Sub, index.make(IndexKind::Sub, extent, constant(1)), axis);
  }
  switch (dice_.below(3)) {
    case 0:
      return constant(0);
    case 1:
      return index.make(IndexKind::Mod, index_expr(axes, 2), extent);
    default:
      break;
  }
  const IndexId last = index.make(IndexKind::Sub, extent, constant(1));
  return index.make(IndexKind::Min, index.make(IndexKind::Max, index_expr(axes, 1), constant(0)), last);
}

AxisId Generator::axis_of(IndexId extent, const Axes& except) {
  for (AxisId axis : dice_.shuffled(axes_))
    if (b_.axis_extent(axis) == extent && !contains(except, axis) && dice_.percent(80)) return axis;
  axes_.push_back(b_.axis(name(), extent));
  return axes_.back();
}

AxisId Generator::other_axis(const Axes& except) {
  for (AxisId axis : dice_.shuffled(axes_))
    if (!contains(except, axis) && dice_.percent(80)) return axis;
  return axis_of(size(), axes_);
}

Axes Generator::some_axes(std::size_t most) {
  Axes axes;
  for (std::size_t count = dice_.below(most + 1); count > 0; --count) axes.push_back(other_axis(axes));
  return axes;
}

// ---- Types and numbers ---------------------------------------------------------------------------------------------

ElementType Generator::float_type() {
  if (!type_params_.empty() && dice_.percent(20)) return dice_.pick(type_params_);
  const std::size_t pick = dice_.below(10);
  return pick < 6 ? kF32 : ElementType{pick < 8 ? DataType::F16 : DataType::BF16, {}};
}

ElementType Generator::number_type() { return dice_.percent(25) ? kI32 : float_type(); }

ElementType Generator::any_type() {
  if (dice_.percent(75)) return number_type();
  return dice_.percent(50) ? kBool : kIndex;
}

bool Generator::is_integer(ElementType type) const { return type == kI32 || type == kIndex; }

Literal Generator::literal(ElementType type) {
  if (type == kBool) return Literal::of(dice_.percent(50) ? 1.0 : 0.0);
  if (is_integer(type)) return Literal::of(static_cast<double>(dice_.between(-9, 9)));
  if (!options_.interpretable && dice_.percent(20))
    return Literal::of(dice_.one_of({type == kF32 ? 1e30 : 1e4, -1e-30, 1e-5, 12345.678, type == kF32 ? 1e22 : 7.5,
                                     -0.0, double(INFINITY), -double(INFINITY), double(NAN), 0.1, 65504.0, 5e-324}));
  return Literal::of(dice_.one_of({0.0, 1.0, -1.0, 0.5, 2.0, -1.5, 0.25, 3.0, 0.1}));
}

// ---- Values --------------------------------------------------------------------------------------------------------

ValueId Generator::value(ElementType type, const Axes& axes, int depth) {
  const ValueId made = unnamed_value(type, axes, depth);
  if (dice_.percent(8)) b_.name_value(made, name());
  if (!options_.interpretable && dice_.percent(2))
    b_.place(made, dice_.one_of({MemorySpace::Private, MemorySpace::Shared, MemorySpace::Cluster, MemorySpace::Global,
                                 MemorySpace::Tensor}));
  return made;
}

ValueId Generator::exact(ElementType type, const Axes& axes, int depth) {
  const ValueId made = value(type, axes, depth);
  return b_.type_of(made).axes == axes ? made : b_.broadcast(made, axes);
}

ValueId Generator::unnamed_value(ElementType type, const Axes& axes, int depth) {
  if (depth <= 0) return leaf(type, axes);
  if (type == kBool) return truth(axes, depth);
  if (type == kIndex) return position(axes, depth);
  return number(type, axes, depth);
}

ValueId Generator::leaf(ElementType type, const Axes& axes) {
  std::vector<std::size_t> fitting;
  for (std::size_t v = 0; v < variables_.size(); ++v)
    if (variables_[v].type.element == type && may_read(variables_[v]) && subset_of(variables_[v].type.axes, axes))
      fitting.push_back(v);
  if (!fitting.empty() && dice_.percent(60)) return b_.read(variables_[dice_.pick(fitting)].id);
  if (type == kIndex) return b_.index_value(index_expr(axes, 2));
  if (dice_.percent(55)) return load(type, axes);
  const Literal number = literal(type);
  return b_.constant(number, type, dice_.percent(60) ? Axes{} : dice_.some_of(axes));
}

ValueId Generator::number(ElementType type, const Axes& axes, int depth) {
  switch (dice_.below(16)) {
    case 0:
    case 1:
      return unary(type, axes, depth);
    case 2:
    case 3:
    case 4:
    case 5:
      return binary(type, axes, depth);
    case 6: {
      const ValueId condition = value(kBool, axes, depth - 1);
      const ValueId if_true = value(type, axes, depth - 1);
      return b_.select(condition, if_true, value(type, axes, depth - 1));
    }
    case 7:
    case 8:
      return cast(type, axes, depth);
    case 9:
      return broadcast(type, axes, depth);
    case 10:
      return reindex(type, axes, depth);
    case 11:
      return gather(type, axes, depth);
    case 12:
      return fold(type, axes, depth);
    case 13:
    case 14:
      return mma(type, axes, depth);
    default:
      return leaf(type, axes);
  }
}

ValueId Generator::truth(const Axes& axes, int depth) {
  switch (dice_.below(9)) {
    case 0:
      return b_.unary(UnaryKind::Not, value(kBool, axes, depth - 1));
    case 1:
    case 2: {
      const BinaryKind kind = dice_.one_of({BinaryKind::And, BinaryKind::Or, BinaryKind::Eq, BinaryKind::Ne});
      const ValueId lhs = value(kBool, axes, depth - 1);
      return b_.binary(kind, lhs, value(kBool, axes, depth - 1));
    }
    case 3:
    case 4:
    case 5:
    case 6: {
      const BinaryKind kind = dice_.one_of(
          {BinaryKind::Lt, BinaryKind::Le, BinaryKind::Gt, BinaryKind::Ge, BinaryKind::Eq, BinaryKind::Ne});
      const ElementType type = dice_.percent(40) ? kIndex : number_type();
      const ValueId lhs = value(type, axes, depth - 1);
      return b_.binary(kind, lhs, value(type, axes, depth - 1));
    }
    case 7:
      return dice_.percent(50) ? reindex(kBool, axes, depth) : broadcast(kBool, axes, depth);
    default:
      return leaf(kBool, axes);
  }
}

ValueId Generator::position(const Axes& axes, int depth) {
  switch (dice_.below(6)) {
    case 0:
      return b_.cast(value(options_.interpretable ? kI32 : number_type(), axes, depth - 1), kIndex);
    case 1: {
      const BinaryKind kind = dice_.one_of(
          {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Max, BinaryKind::Min, BinaryKind::Mod, BinaryKind::Div});
      const ValueId lhs = value(kIndex, axes, depth - 1);
      return b_.binary(kind, lhs, value(kIndex, axes, depth - 1));
    }
    case 2:
      return dice_.percent(50) ? reindex(kIndex, axes, depth) : broadcast(kIndex, axes, depth);
    case 3: {
      const Literal number = literal(kIndex);
      return b_.constant(number, kIndex, dice_.some_of(axes));
    }
    default: {
      const IndexId expr = index_expr(axes, 3);
      return b_.index_value(expr, axis_order(b_.index().axes(expr), axes));
    }
  }
}

ValueId Generator::unary(ElementType type, const Axes& axes, int depth) {
  ValueId x = value(type, axes, depth - 1);
  if (type == kI32) return b_.unary(dice_.percent(50) ? UnaryKind::Neg : UnaryKind::Abs, x);
  const auto kind = static_cast<UnaryKind>(dice_.one_of({0, 2, 3, 4, 5, 6, 7, 8, 9}));
  if (options_.interpretable && kind == UnaryKind::Exp) x = b_.unary(UnaryKind::Tanh, x);
  if (options_.interpretable && (kind == UnaryKind::Log || kind == UnaryKind::Sqrt)) {
    x = b_.unary(UnaryKind::Abs, x);
    if (kind == UnaryKind::Log) x = b_.binary(BinaryKind::Add, x, b_.constant(Literal::of(1.0), type));
  }
  return b_.unary(kind, x);
}

ValueId Generator::binary(ElementType type, const Axes& axes, int depth) {
  const auto kind = dice_.one_of({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Add, BinaryKind::Mul,
                                  BinaryKind::Div, BinaryKind::Mod, BinaryKind::Max, BinaryKind::Min});
  // Either operand may come first in the order of operations.
  const bool swapped = dice_.percent(20);
  ValueId lhs = value(type, axes, depth - 1);
  ValueId rhs = value(type, axes, depth - 1);
  const bool divides = kind == BinaryKind::Div || kind == BinaryKind::Mod;
  if (options_.interpretable && divides && type != kI32) {
    rhs = b_.unary(UnaryKind::Abs, rhs);
    rhs = b_.binary(BinaryKind::Add, rhs, b_.constant(Literal::of(1.0), type));
    return b_.binary(kind, lhs, rhs);
  }
  return swapped ? b_.binary(kind, rhs, lhs) : b_.binary(kind, lhs, rhs);
}

ValueId Generator::cast(ElementType type, const Axes& axes, int depth) {
  // Conversions of a rounded number to an integer jump.
  ElementType from = any_type();
  if (options_.interpretable && is_integer(type)) from = dice_.percent(50) ? kBool : kIndex;
  return b_.cast(value(from, axes, depth - 1), type);
}

ValueId Generator::broadcast(ElementType type, const Axes& axes, int depth) {
  const ValueId x = value(type, axes, depth - 1);
  Axes wider = b_.type_of(x).axes;
  for (AxisId axis : dice_.some_of(axes))
    if (!contains(wider, axis)) wider.push_back(axis);
  return b_.broadcast(x, dice_.percent(15) ? wider : dice_.shuffled(wider));
}

ValueId Generator::reindex(ElementType type, const Axes& axes, int depth) {
  const ValueId x = value(type, some_axes(2), depth - 1);
  std::vector<IndexId> coords;
  for (AxisId axis : b_.type_of(x).axes) coords.push_back(in_bounds(b_.axis_extent(axis), axes));
  const auto order = axis_order(b_.axes_of(coords), axes);
  return b_.reindex(x, std::move(coords), order);
}

ValueId Generator::gather(ElementType type, const Axes& axes, int depth) {
  Axes from = axes;
  if (from.size() > 2) from.resize(2);
  const AxisId along = other_axis(axes);
  from.insert(from.begin() + static_cast<std::ptrdiff_t>(dice_.below(from.size() + 1)), along);
  const ValueId x = exact(type, from, depth - 1);
  const ValueId indices = value(dice_.percent(50) ? kI32 : kIndex, axes, depth - 1);
  return b_.gather(x, along, indices, value(type, {}, 0));
}

ValueId Generator::fold(ElementType type, const Axes& axes, int depth) {
  Axes from = axes;
  if (from.size() > 2) from.resize(2);
  const AxisId along = other_axis(axes);
  from.push_back(along);
  const ValueId x = exact(type, dice_.shuffled(from), depth - 1);
  const FoldOrder order = dice_.one_of({FoldOrder::UnorderedTree, FoldOrder::UnorderedTree, FoldOrder::OrderedTree,
                                        FoldOrder::FoldLeft, FoldOrder::FoldRight});
  return b_.reduce(dice_.one_of({FoldKind::Add, FoldKind::Max, FoldKind::Min}), x, along, order);
}

ValueId Generator::mma(ElementType type, const Axes& axes, int depth) {
  if (type != kF32 && type != kI32) return binary(type, axes, depth);
  Axes out = dice_.shuffled(axes);
  if (out.size() > 2 && dice_.percent(70)) out.resize(2);
  Axes a_axes, b_axes;
  for (AxisId axis : out) {
    const std::size_t role = dice_.below(5);
    if (role != 1 && role != 2) a_axes.push_back(axis);
    if (role == 1 || role == 2 || role == 4) b_axes.push_back(axis);
  }
  const AxisId contraction = other_axis(axes);
  a_axes.push_back(contraction);
  b_axes.push_back(contraction);
  const ElementType operand = type == kI32 ? kI32 : float_type();
  const ValueId a = exact(operand, dice_.shuffled(a_axes), depth - 1);
  const ValueId b = exact(operand, dice_.shuffled(b_axes), depth - 1);
  const ValueId c = exact(type, out, depth - 1);
  const bool reassociate = dice_.percent(75);
  return b_.mma(a, b, c, reassociate, type == kF32 && dice_.percent(25));
}

// ---- Loads ---------------------------------------------------------------------------------------------------------

std::optional<Generator::Buffer> Generator::readable(ElementType type) {
  std::vector<Buffer> found;
  for (const auto* buffers : {&inputs_, &temps_, &memories_})
    for (const Buffer& buffer : *buffers)
      if (buffer.element == type) found.push_back(buffer);
  if (!found.empty() && dice_.percent(80)) return dice_.pick(found);
  if (inputs_.size() >= 8) return found.empty() ? std::nullopt : std::optional(dice_.pick(found));
  std::vector<IndexId> extents;
  for (std::size_t rank = dice_.below(4); rank > 0; --rank) extents.push_back(size());
  return new_buffer(ObjectKind::In, type, std::move(extents));
}

ValueId Generator::load(ElementType type, const Axes& axes) {
  const auto buffer = readable(type);
  if (!buffer) return b_.constant(literal(type), type);
  std::vector<IndexId> coords;
  const bool inside = dice_.percent(40);
  for (IndexId extent : buffer->extents) coords.push_back(inside ? in_bounds(extent, axes) : index_expr(axes, 2));
  LoadOptions options;
  if ((inside || !options_.interpretable) && dice_.percent(30)) options.bounds = BoundsPolicy::Assume;
  if (dice_.percent(20)) options.fallback = dice_.percent(70) ? b_.constant(literal(type), type) : value(type, {}, 1);
  options.axes = axis_order(b_.axes_of(coords), axes);
  return b_.load(buffer->id, std::move(coords), options);
}

/// Sometimes an order for the axes named by coordinates, sometimes with further ones.
std::optional<Axes> Generator::axis_order(const Axes& named, const Axes& allowed) {
  if (dice_.percent(60)) return std::nullopt;
  Axes wanted = named;
  for (AxisId axis : allowed)
    if (!contains(wanted, axis) && dice_.percent(15)) wanted.push_back(axis);
  return dice_.shuffled(wanted);
}

}  // namespace tilewright::tile
