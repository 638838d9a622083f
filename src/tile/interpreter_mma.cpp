// mma: operands are gathered into dense panels by role, multiplied in the reference order, and scattered back.
#include <algorithm>

#include "tile/interpreter_machine.h"
#include "tile/interpreter_mma_kernel.h"

namespace tilewright::tile {

namespace {

/// Sides shorter than this do not fill the columns of the inner loops.
constexpr std::int64_t kShortSide = 8;

bool has(const std::vector<AxisId>& axes, AxisId axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

template <class A>
std::int64_t extent_of(const Machine<A>& machine, const std::vector<AxisId>& axes) {
  std::int64_t size = 1;
  for (AxisId axis : axes) size *= machine.axis_extents[axis.index];
  return size;
}

std::vector<AxisId> join(std::initializer_list<std::vector<AxisId>> parts) {
  std::vector<AxisId> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Operand 0 is dense over the space, the others are the tiles of the given values.
template <class A>
Walk gather(const Machine<A>& machine, const std::vector<AxisId>& space, std::initializer_list<ValueId> values) {
  const std::vector<std::int64_t> extents = machine.extents_of(space);
  std::vector<std::vector<std::int64_t>> strides{row_major(extents)};
  for (ValueId value : values) strides.push_back(machine.strides_over(value, space));
  return Walk(extents, strides);
}

template <class A>
MmaShape make_shape(const Machine<A>& machine, const MmaOp& op, ValueId result) {
  const std::vector<AxisId> of_a = machine.axes_of(op.a);
  const std::vector<AxisId> of_b = machine.axes_of(op.b);
  const std::vector<AxisId> of_c = machine.axes_of(op.c);
  std::vector<AxisId> batches, rows, columns, depth;
  for (AxisId axis : of_c) {
    std::vector<AxisId>& role = !has(of_b, axis) ? rows : !has(of_a, axis) ? columns : batches;
    role.push_back(axis);
  }
  for (AxisId axis : of_a)
    if (!has(of_c, axis)) depth.push_back(axis);
  MmaShape shape;
  shape.swapped = extent_of(machine, columns) < kShortSide && extent_of(machine, rows) > extent_of(machine, columns);
  if (shape.swapped) std::swap(rows, columns);
  shape.batches = extent_of(machine, batches);
  shape.rows = extent_of(machine, rows);
  shape.columns = extent_of(machine, columns);
  shape.depth = extent_of(machine, depth);
  shape.left = gather(machine, join({batches, rows, depth}), {shape.swapped ? op.b : op.a});
  shape.right = gather(machine, join({batches, depth, columns}), {shape.swapped ? op.a : op.b});
  shape.result = gather(machine, join({batches, rows, columns}), {op.c, result});
  return shape;
}

template <class T>
void pack(const Walk& walk, const std::vector<T>& from, std::vector<T>& panel) {
  panel.resize(static_cast<std::size_t>(walk.size()));
  walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    const T* source = from.data() + at[1];
    const std::int64_t step = walk.inner(1);
    for (std::int64_t j = 0; j < count; ++j) panel[static_cast<std::size_t>(at[0] + j)] = source[j * step];
  });
}

/// Bounds that are all 0 become a panel of zeros.
void pack_bounds(const Walk& walk, const std::vector<double>& from, std::vector<double>& panel) {
  if (from.empty())
    panel.assign(static_cast<std::size_t>(walk.size()), 0);
  else
    pack(walk, from, panel);
}

TileRef<Typed> multiply_reals(Machine<Typed>& machine, const MmaOp& op, const MmaShape& shape) {
  auto& panels = machine.panels;
  panels.resize(3);
  pack(shape.left, machine.tile(shape.swapped ? op.b : op.a).real, panels[0]);
  pack(shape.right, machine.tile(shape.swapped ? op.a : op.b).real, panels[1]);
  pack(shape.result, machine.tile(op.c).real, panels[2]);
  const PanelSize size{shape.rows, shape.columns, shape.depth};
  for (std::int64_t batch = 0; batch < shape.batches; ++batch)
    accumulate_fused(size, panels[0].data() + batch * size.rows * size.depth,
                     panels[1].data() + batch * size.depth * size.columns,
                     panels[2].data() + batch * size.rows * size.columns);
  TileRef<Typed> tile = machine.pool.take();
  RealWriter<Typed> to(*tile, shape.result.size());
  shape.result.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.set(at[2] + j * shape.result.inner(2), panels[2][static_cast<std::size_t>(at[0] + j)]);
  });
  return tile;
}

/// The dense panels of one exact mma.
struct ExactPanels {
  PanelSize size;
  bool bounded = false;  ///< a or b has bounds
  std::vector<double>&left, &right, &sum, &magnitude, &error, &left_bound, &right_bound;

  void relax();
  void multiply(std::int64_t batch);
  Bounded finish(std::int64_t element, Bounded c) const;

 private:
  Bounded finish_special(std::int64_t element, Bounded c) const;
};

/// Widens the bounds of the operands by the rounding that is permitted. Premise: the panels of bounds are there.
void ExactPanels::relax() {
  const auto widen = [this](const std::vector<double>& values, std::vector<double>& bounds) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bounds[i] = relaxed_operand({values[i], bounds[i]}).bound;
      bounded = bounded || bounds[i] != 0;
    }
  };
  widen(left, left_bound);
  widen(right, right_bound);
}

void ExactPanels::multiply(std::int64_t batch) {
  const std::int64_t l = batch * size.rows * size.depth;
  const std::int64_t r = batch * size.depth * size.columns;
  const std::int64_t s = batch * size.rows * size.columns;
  if (bounded)
    accumulate_bounded_products(size, left.data() + l, left_bound.data() + l, right.data() + r, right_bound.data() + r,
                                sum.data() + s, magnitude.data() + s, error.data() + s);
  else
    accumulate_products(size, left.data() + l, right.data() + r, sum.data() + s, magnitude.data() + s);
}

Bounded ExactPanels::finish(std::int64_t element, Bounded c) const {
  const auto i = static_cast<std::size_t>(element);
  if (size.depth == 0) return c;
  const double reach = magnitude[i] + error[i];
  if (reach == 0 && !bounded) return {sum[i], 0};
  // Everything that is NaN, infinite or near overflow fails the comparison.
  if (!(reach < 0x1p120)) return finish_special(element, c);
  const auto depth = static_cast<double>(size.depth);
  return settle_sum(sum[i], magnitude[i], error[i], depth + 1, depth);
}

Bounded ExactPanels::finish_special(std::int64_t element, Bounded c) const {
  const std::int64_t row = element / size.columns;  // over all batches
  const std::int64_t batch = row / size.rows;
  AnyOrderSum total(c);
  for (std::int64_t k = 0; k < size.depth; ++k) {
    const auto l = static_cast<std::size_t>(row * size.depth + k);
    const auto r = static_cast<std::size_t>((batch * size.depth + k) * size.columns + element % size.columns);
    if (bounded)
      total.add_product({left[l], left_bound[l]}, {right[r], right_bound[r]});
    else
      total.add_product({left[l], 0}, {right[r], 0});
  }
  return total.finish(kFormatF32);
}

TileRef<Exact> multiply_reals(Machine<Exact>& machine, const MmaOp& op, const MmaShape& shape) {
  auto& panels = machine.panels;
  panels.resize(7);
  const Elements<Exact>& left = machine.tile(shape.swapped ? op.b : op.a);
  const Elements<Exact>& right = machine.tile(shape.swapped ? op.a : op.b);
  const Elements<Exact>& c = machine.tile(op.c);
  ExactPanels exact{{shape.rows, shape.columns, shape.depth},
                    !left.bound.empty() || !right.bound.empty(),
                    panels[0],
                    panels[1],
                    panels[2],
                    panels[3],
                    panels[4],
                    panels[5],
                    panels[6]};
  pack(shape.left, left.real, exact.left);
  pack(shape.right, right.real, exact.right);
  pack(shape.result, c.real, exact.sum);
  pack_bounds(shape.result, c.bound, exact.error);
  exact.magnitude.resize(exact.sum.size());
  for (std::size_t i = 0; i < exact.sum.size(); ++i) exact.magnitude[i] = std::abs(exact.sum[i]);
  const bool relaxed = op.relaxed && machine.type_of(op.a) == DataType::F32;
  if (exact.bounded || relaxed) {
    pack_bounds(shape.left, left.bound, exact.left_bound);
    pack_bounds(shape.right, right.bound, exact.right_bound);
  }
  if (relaxed) exact.relax();
  for (std::int64_t batch = 0; batch < shape.batches; ++batch) exact.multiply(batch);

  TileRef<Exact> tile = machine.pool.take();
  RealWriter<Exact> to(*tile, shape.result.size());
  const RealReader<Exact> incoming(c);
  shape.result.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.set(at[2] + j * shape.result.inner(2), exact.finish(at[0] + j, incoming[at[1] + j * shape.result.inner(1)]));
  });
  to.finish();
  return tile;
}

/// i32: sums wrap, so that every order gives the same.
template <class A>
TileRef<A> multiply_wholes(Machine<A>& machine, const MmaOp& op, const MmaShape& shape) {
  using W = typename A::WholeNumber;
  auto gathered = [](const Walk& walk, const Elements<A>& from) {
    std::vector<W> panel(static_cast<std::size_t>(walk.size()));
    const WholeReader<A> reader(from);
    walk.for_each_row([&](const std::int64_t* at, std::int64_t count) {
      for (std::int64_t j = 0; j < count; ++j)
        panel[static_cast<std::size_t>(at[0] + j)] = reader[at[1] + j * walk.inner(1)];
    });
    return panel;
  };
  const std::vector<W> left = gathered(shape.left, machine.tile(shape.swapped ? op.b : op.a));
  const std::vector<W> right = gathered(shape.right, machine.tile(shape.swapped ? op.a : op.b));
  const WholeReader<A> c(machine.tile(op.c));
  TileRef<A> tile = machine.pool.take();
  WholeWriter<A> to(*tile, shape.result.size());
  auto element = [&](std::int64_t index, W total) {
    const std::int64_t row = index / shape.columns;
    const std::int64_t batch = row / shape.rows;
    for (std::int64_t k = 0; k < shape.depth; ++k) {
      const W a = left[static_cast<std::size_t>(row * shape.depth + k)];
      const W b = right[static_cast<std::size_t>((batch * shape.depth + k) * shape.columns + index % shape.columns)];
      const W product = A::lift([](std::int64_t x, std::int64_t y) { return wrapping_multiply(x, y); }, a, b);
      total = A::lift([](std::int64_t x, std::int64_t y) { return wrap(DataType::I32, wrapping_add(x, y)); }, total,
                      product);
    }
    return total;
  };
  shape.result.for_each_row([&](const std::int64_t* at, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.set(at[2] + j * shape.result.inner(2), element(at[0] + j, c[at[1] + j * shape.result.inner(1)]));
  });
  to.finish();
  return tile;
}

}  // namespace

template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const MmaOp& op) {
  std::optional<MmaShape>& shape = machine.prepared[id.index].mma;
  if (!shape) shape = make_shape(machine, op, machine.result_of(id));
  if (is_float(machine.type_of(op.c))) return multiply_reals(machine, op, *shape);
  return multiply_wholes(machine, op, *shape);
}

template TileRef<Exact> evaluate(Machine<Exact>&, OpId, const MmaOp&);
template TileRef<Typed> evaluate(Machine<Typed>&, OpId, const MmaOp&);

}  // namespace tilewright::tile
