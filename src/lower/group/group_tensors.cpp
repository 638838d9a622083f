// Matrix operations as tensor operations: one a subgroup and step, whose operands are read where they lie when it runs
// (seed 1, "Bounded M/N views compose with subgroup coordinates"). What lies outside of an object is +0, as the tile
// has it; of the contraction only the part that the objects have is asked for.
#include <algorithm>

#include "lower/group/group_lowering.h"
#include "proof/operands_congruent.h"
#include "realize/metal_units.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using realize::kAtomExtent;

/// How much of a tile's extent an object has along one axis of an access; none: all of it.
kernel::ValueId GroupLowering::valid_length(const Access& access, AxisId axis) {
  for (const Dimension& dimension : access.dimensions) {
    if (dimension.check == RangeCheck::None || dimension.form.unit_axis() != axis) continue;
    TW_CHECK(dimension.check == RangeCheck::Linear);
    const kernel::ValueId origin = index_.emit_invariant(dimension.form);
    return clamped(b_.sub(b_.const_i64(dimension.extent), origin), bound_extent(program_, axis));
  }
  return {};
}

/// value in [0, high].
kernel::ValueId GroupLowering::clamped(kernel::ValueId value, std::int64_t high) {
  const kernel::ValueId low = b_.binary(BinaryKind::Max, value, b_.const_i64(0));
  return b_.binary(BinaryKind::Min, low, b_.const_i64(high));
}

/// The part of it that falls to a subgroup whose rectangle begins at `origin` and is `local` long.
kernel::ValueId GroupLowering::own_length(kernel::ValueId length, kernel::ValueId origin, std::int64_t local) {
  if (!length.valid()) return b_.const_i64(local);
  return clamped(b_.sub(length, origin), local);
}

/// A, or B, as a view of the object behind its load.
GroupLowering::TensorOperand GroupLowering::object_operand(const Matrix& matrix, std::size_t side) {
  const realize::OperandLoads loads = realize::operand_loads(program_, *matrix.op);
  const Access& access = elements_.access(loads.load[side]);
  TW_CHECK(access.address.has_value());
  const auto behind = [&](AxisId axis) { return realize::axis_behind(program_, loads.chain[side], axis); };
  const AxisId outer = behind(side == 0 ? matrix.form.row : matrix.form.column);
  const AxisId depth = behind(matrix.form.contraction);
  if (side == 0)
    expect_matrix(loads.load[side], access, outer, depth);
  else
    expect_matrix(loads.load[side], access, depth, outer);
  TensorOperand operand;
  operand.memory = access.place->memory;
  operand.index = index_.emit_invariant(*access.address);
  operand.outer_step = access.address->factor_of(outer);
  operand.depth_step = access.address->factor_of(depth);
  operand.outer_length = valid_length(access, outer);
  operand.depth_length = valid_length(access, depth);
  if (access.place->matrix) name_origin(operand, access, outer, depth);
  return operand;
}

/// Where one axis runs along the rows of the matrix and the other one across them, both step by step.
void GroupLowering::name_origin(TensorOperand& operand, const Access& access, AxisId outer, AxisId depth) {
  const ObjectMatrix& matrix = *access.place->matrix;
  const std::size_t inner_dimension = matrix.inner_dimension;
  const auto form_of = [&](std::size_t dimension) {
    return linear_form(program_.index(), access.dimensions[dimension].coord);
  };
  const auto inner = form_of(inner_dimension), across = form_of(1 - inner_dimension);
  if (!inner || !across || !inner->unit_axis() || !across->unit_axis()) return;
  const bool depth_is_inner = inner->unit_axis() == depth && across->unit_axis() == outer;
  const bool outer_is_inner = inner->unit_axis() == outer && across->unit_axis() == depth;
  if (!depth_is_inner && !outer_is_inner) return;
  operand.depth_origin = index_.emit_invariant(depth_is_inner ? *inner : *across);
  operand.outer_origin = index_.emit_invariant(depth_is_inner ? *across : *inner);
  operand.depth_is_inner = depth_is_inner;
}

GroupLowering::TensorOperand GroupLowering::shared_operand(const Matrix& matrix, std::size_t side) {
  const ValueId value = side == 0 ? matrix.op->a : matrix.op->b;
  const StridedView& view = elements_.view(value);
  TensorOperand operand;
  operand.memory = kernel::Memory(slots_.allocation(view.slot));
  operand.index = view.offset.valid() ? view.offset : b_.const_i64(0);
  operand.outer_step = view.strides.at(side == 0 ? matrix.form.row : matrix.form.column);
  operand.depth_step = view.strides.at(matrix.form.contraction);
  return operand;
}

/// The rows of A, or the columns of B, that a subgroup multiplies. An atom has A as rows x depth and B as depth x
/// columns.
kernel::AtomView GroupLowering::atom_view(const TensorOperand& operand, std::size_t side, kernel::ValueId origin,
                                          std::int64_t local, kernel::ValueId depth) {
  kernel::AtomView view;
  view.memory = operand.memory;
  view.index = b_.add(operand.index, scaled(b_, origin, operand.outer_step));
  const kernel::ValueId outer = own_length(operand.outer_length, origin, local);
  view.rows = side == 0 ? outer : depth;
  view.columns = side == 0 ? depth : outer;
  const std::int64_t row_step = side == 0 ? operand.outer_step : operand.depth_step;
  const std::int64_t column_step = side == 0 ? operand.depth_step : operand.outer_step;
  view.transposed = column_step != 1 && column_step != 0;  // 0: an axis of one point
  view.row_stride = b_.const_i64(view.transposed ? column_step : row_step);
  return view;
}

/// The view begins in the matrix of its buffer, `origin` rows or columns of the operand further.
void GroupLowering::name_place(kernel::AtomView& view, const TensorOperand& operand, kernel::ValueId origin,
                               std::int64_t step) {
  const kernel::ValueId outer = b_.add(operand.outer_origin, origin);
  view.origin = {operand.depth_is_inner ? operand.depth_origin : outer,
                 operand.depth_is_inner ? outer : operand.depth_origin, step};
}

kernel::ValueId GroupLowering::tensor_product(const Matrix& matrix, const Rectangle& rectangle,
                                              const Fragments& start) {
  const auto operand = [&](std::size_t side) {
    return matrix.plan->from_view[side] ? object_operand(matrix, side) : shared_operand(matrix, side);
  };
  const TensorOperand a = operand(0), b = operand(1);
  const kernel::ValueId known = a.depth_length.valid() ? a.depth_length : b.depth_length;
  const kernel::ValueId depth = known.valid() ? known : b_.const_i64(matrix.form.depth);
  kernel::AtomOp op;
  op.atom = std::string(realize::atom_family_name(launch_.family));
  op.m = rectangle.extent_rows;
  op.n = rectangle.extent_columns;
  op.k = depth;
  op.k_is_static = false;
  op.participants = rectangle.participants;
  op.a.view = atom_view(a, 0, rectangle.row, op.m, depth);
  op.b.view = atom_view(b, 1, rectangle.column, op.n, depth);
  for (const bool left : {true, false}) {
    const TensorOperand& operand = left ? a : b;
    kernel::AtomView& view = left ? op.a.view : op.b.view;
    // The matrix, and not the other operand, has to say where k ends.
    const bool own_depth =
        operand.depth_length.valid() ? operand.depth_length == depth : b_.constant(depth) == matrix.form.depth;
    if (operand.outer_origin.valid() && own_depth && operand.depth_is_inner == (left != view.transposed))
      name_place(view, operand, left ? rectangle.row : rectangle.column, matrix.form.depth);
  }
  if (!matrix.plan->overwrites) op.c = start.front();
  op.relaxed = may_round(matrix);
  return b_.atom(op, elements_.type(matrix.result));
}

/// The direct output: the accumulator, or what the program makes of it, where the store puts it.
void GroupLowering::publish_output(OpId store, const Matrix& matrix) {
  const Rectangle rectangle = own_rectangle(matrix);
  const MatrixView view = sink_view(store, matrix);
  kernel::FragmentPart part;
  if (matrix.plan->stores_a_prefix) {
    const Access& access = elements_.access(store);
    part.rows = own_length(valid_length(access, matrix.form.row), rectangle.row, rectangle.extent_rows);
    part.columns = own_length(valid_length(access, matrix.form.column), rectangle.column, rectangle.extent_columns);
  }
  publish(view, rectangle, output_of(store, matrix, rectangle, part), part);
}

/// What the output takes of a tile beside the accumulator: with its bounds, since it ends no earlier
/// (operands.congruent). Along an axis that the tile has not, step 0 gives each row, or column, the same.
kernel::ValueId GroupLowering::epilogue_operand(OpId load, const Matrix& matrix, const Rectangle& rectangle,
                                                const kernel::FragmentPart& part) {
  const Access& access = elements_.access(load);
  TW_CHECK(access.address.has_value());
  const std::int64_t row_step = access.address->factor_of(matrix.form.row),
                     column_step = access.address->factor_of(matrix.form.column);
  kernel::ValueId index = index_.emit_invariant(*access.address);
  index = b_.add(index, scaled(b_, rectangle.row, row_step));
  index = b_.add(index, scaled(b_, rectangle.column, column_step));
  // As place_of has it; a tile of rows alone runs along them whatever its step.
  const std::vector<AxisId> axes = elements_.axes(program_.list(program_.op(load).results).front());
  const bool has_columns = std::ranges::find(axes, matrix.form.column) != axes.end();
  const bool transposed = column_step != 1 && (column_step != 0 || !has_columns);
  return b_.fragment_load(access.place->memory, index, b_.const_i64(transposed ? column_step : row_step),
                          rectangle.extent_rows, rectangle.extent_columns, transposed, part, rectangle.participants);
}

/// The accumulator, or what the element-wise operations up to the store make of it (epilogue.same_owner).
GroupLowering::Fragments GroupLowering::output_of(OpId store, const Matrix& matrix, const Rectangle& rectangle,
                                                  const kernel::FragmentPart& part) {
  if (!matrix.plan->fuses_epilogue) return matrix.resident;
  const ValueId accumulated = program_.list(program_.op(matrix.plan->region).results)[matrix.carry];
  Elements::Fragments fragments{rectangle.extent_rows, rectangle.extent_columns, {}};
  fragments.known.emplace(accumulated, matrix.resident.front());
  for (OpId load : proof::operands_of(subject_, store))
    fragments.known.emplace(program_.list(program_.op(load).results).front(),
                            epilogue_operand(load, matrix, rectangle, part));
  return {elements_.fragment(std::get<StoreOp>(program_.op(store).payload).value, fragments)};
}

}  // namespace tilewright::lower
