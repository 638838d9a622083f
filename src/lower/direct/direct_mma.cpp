// Matrix operations: one tensor operation over the whole tile, one after the other along batch axes.
#include "lower/direct/direct_lowering.h"

namespace tilewright::lower {

using namespace tile;

DirectLowering::Axes DirectLowering::joined(Axes batch, const Axes& outer, const Axes& inner) {
  batch.insert(batch.end(), outer.begin(), outer.end());
  batch.insert(batch.end(), inner.begin(), inner.end());
  return batch;
}

/// The first mma that takes a value decides how it lies.
void DirectLowering::prefer_matrix_orders() {
  for (OpId id : program_.ops().ids()) {
    const MmaOp* op = analysis::as_mma(program_, id);
    if (op == nullptr) continue;
    const analysis::MmaRoles roles = analysis::mma_roles(program_, id);
    orders_.emplace(op->a, joined(roles.batch, roles.rows, roles.contraction));
    orders_.emplace(op->b, joined(roles.batch, roles.contraction, roles.columns));
    for (ValueId value : {op->c, program_.list(program_.op(id).results).front()})
      orders_.emplace(value, joined(roles.batch, roles.rows, roles.columns));
  }
}

void DirectLowering::lower_mma(OpId id, ValueId value, const MmaOp& op) {
  if (values_.form(value) == ValueForm::Dead) return;
  const analysis::MmaRoles roles = analysis::mma_roles(program_, id);
  const StridedView sum = accumulator(value, op, joined(roles.batch, roles.rows, roles.columns));
  if (values_.volume(elements_.axes(value)) > 0 && values_.volume(roles.contraction) > 0) {
    const Matrix a = matrix(op.a, joined(roles.batch, roles.rows, roles.contraction));
    const Matrix b = matrix(op.b, joined(roles.batch, roles.contraction, roles.columns));
    multiply(roles, a, b, sum, op.relaxed && elements_.type(op.a) == kernel::ScalarType::F32);
    for (const Matrix& operand : {a, b})
      if (operand.is_packed) slots_.release(operand.slot);
  }
  if (values_.form(value) != ValueForm::Scalar) return define(value, sum);
  elements_.set_scalar(value, b_.load(slots_.allocation(sum.slot), b_.const_i64(0)));
  slots_.release(sum.slot);
  fence();
}

/// Storage with c in it, for the sum: that of c where nobody needs c any more.
StridedView DirectLowering::accumulator(ValueId value, const MmaOp& op, const Axes& order) {
  if (values_.form(op.c) == ValueForm::Stored) {
    const StridedView own = elements_.view(op.c);
    const bool is_last =
        slots_.values(own.slot) == std::vector<ValueId>{op.c} && values_.dead_after(op.c, values_.home(value));
    if (is_last && own.strides == elements_.dense_strides(order) && slots_.scalar(own.slot) == elements_.type(value)) {
      slots_.hold(own.slot);
      return own;
    }
  }
  const std::string& name = program_.value(value).name;
  const StridedView made = take(order, elements_.type(value), name.empty() ? "sum" : name);
  evaluate(made, op.c);
  return made;
}

DirectLowering::Matrix DirectLowering::matrix(ValueId value, const Axes& order) {
  if (values_.form(value) == ValueForm::Stored)
    if (const StridedView& own = elements_.view(value); own.strides == elements_.dense_strides(order))
      return {own.slot, false};
  const StridedView packed = take(order, elements_.type(value), "matrix");
  evaluate(packed, value);
  return {packed.slot, true};
}

/// sum += a b, for each point of the batch axes.
void DirectLowering::multiply(const analysis::MmaRoles& roles, const Matrix& a, const Matrix& b, const StridedView& sum,
                              bool relaxed) {
  const std::int64_t m = values_.volume(roles.rows), n = values_.volume(roles.columns);
  const std::int64_t k = values_.volume(roles.contraction), batches = values_.volume(roles.batch);
  const kernel::ValueId rows = b_.const_i64(m), columns = b_.const_i64(n), depth = b_.const_i64(k);
  const auto one = [&](kernel::ValueId batch) {
    kernel::AtomOp op;
    op.atom = tensor_operation_;
    op.m = m;
    op.n = n;
    op.k = depth;
    op.k_is_static = false;
    op.participants = kernel::Participants::Subgroup;
    op.relaxed = relaxed;
    op.a.view = {kernel::Memory(slots_.allocation(a.slot)), b_.mul(batch, m * k), depth, rows, depth};
    op.b.view = {kernel::Memory(slots_.allocation(b.slot)), b_.mul(batch, k * n), columns, depth, columns};
    const kernel::ValueId place = b_.mul(batch, m * n);
    const kernel::Memory sums = slots_.allocation(sum.slot);
    op.c = b_.fragment_load(sums, place, columns, static_cast<std::uint16_t>(m), static_cast<std::uint16_t>(n));
    const kernel::ValueId product = b_.atom(op, slots_.scalar(sum.slot));
    b_.fragment_store(sums, place, columns, product);
  };
  const kernel::ValueId zero = b_.const_i64(0);
  if (batches == 1) {
    one(zero);
  } else {
    const kernel::ValueId end = b_.const_i64(batches);
    b_.loop(zero, end, 1, one);
  }
  fence();
}

}  // namespace tilewright::lower
