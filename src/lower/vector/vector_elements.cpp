#include "lower/vector/vector_elements.h"

#include <algorithm>
#include <utility>

#include "lower/elements.h"
#include "lower/op_kinds.h"
#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using kernel::CompareKind;
using kernel::ScalarType;

// ---- What is known
// ---------------------------------------------------------------------------------------------------

void VectorElements::begin(const std::vector<OpId>& body) {
  numbers_.clear();
  known_.clear();
  for (OpId id : body) {
    const Op& op = program_.op(id);
    if (std::holds_alternative<RegionOp>(op.payload) || std::holds_alternative<IfOp>(op.payload)) continue;
    for (ValueId value : program_.list(op.results)) {
      if (!program_.value(value).axes.empty() || open_branch(value).valid()) continue;
      numbers_.emplace(value, emit(value, {}));
    }
  }
}

void VectorElements::forget() { known_.clear(); }

bool VectorElements::depends(ValueId value, AxisId axis) const {
  const auto axes = program_.list(program_.value(value).axes);
  return axis.valid() && std::ranges::find(axes, axis) != axes.end();
}

bool VectorElements::is_vector(ValueId value) const { return depends(value, column_.axis); }

VectorElements::Key VectorElements::key(ValueId value, const VectorPlace& at) const {
  return {value, depends(value, row_.axis) ? at.row_number : -1, is_vector(value) ? at.vector_number : -1};
}

void VectorElements::know(ValueId value, const VectorPlace& at, kernel::ValueId vector) {
  known_[key(value, at)] = vector;
}

// ---- Branches
// --------------------------------------------------------------------------------------------------------

/// A branch that the value stands on and that was not gone into yet.
OpId VectorElements::open_branch(ValueId value) const {
  const OpId def = program_.value(value).def;
  if (!def.valid() || std::holds_alternative<RegionOp>(program_.op(def).payload) ||
      std::holds_alternative<MmaOp>(program_.op(def).payload))
    return {};
  if (const auto* branch = std::get_if<IfOp>(&program_.op(def).payload)) {
    const auto taken = taken_.find(def);
    if (taken == taken_.end()) return def;
    const auto results = program_.list(program_.op(def).results);
    const auto at = static_cast<std::size_t>(std::ranges::find(results, value) - results.begin());
    return open_branch(
        program_.list(program_.block(taken->second ? branch->then_block : branch->else_block).yields)[at]);
  }
  OpId found;
  for_each_operand(program_, program_.op(def).payload, [&](ValueId operand) {
    if (!found.valid()) found = open_branch(operand);
  });
  return found;
}

std::vector<kernel::ValueId> VectorElements::under_branches(const std::vector<ValueId>& values,
                                                            const std::function<std::vector<kernel::ValueId>()>& body) {
  OpId branch;
  for (ValueId value : values)
    if (!branch.valid()) branch = open_branch(value);
  if (!branch.valid()) return body();
  const auto& op = std::get<IfOp>(program_.op(branch).payload);
  std::vector<kernel::ValueId> results;
  const auto known = known_;
  const auto numbers = numbers_;
  const auto go = [&](bool side) {
    taken_[branch] = side;
    std::vector<kernel::ValueId> made = under_branches(values, body);
    taken_.erase(branch);
    known_ = known;
    numbers_ = numbers;
    return made;
  };
  // The condition of a branch may stand on another branch.
  return under_branches({op.condition}, [&] {
    b_.begin_if(element(op.condition, {}));
    b_.begin_else(go(true));
    return b_.end_if(go(false));
  });
}

// ---- Values
// ----------------------------------------------------------------------------------------------------------

kernel::ValueId VectorElements::widened(kernel::ValueId value, bool wide) {
  return wide && b_.type(value).lanes == 1 ? b_.splat(value, lanes_) : value;
}

kernel::ValueId VectorElements::vector(ValueId value, const VectorPlace& at) {
  return widened(element(value, at), true);
}

kernel::ValueId VectorElements::element(ValueId value, const VectorPlace& at) {
  if (const auto number = numbers_.find(value); number != numbers_.end()) return number->second;
  if (const auto found = known_.find(key(value, at)); found != known_.end()) return found->second;
  const kernel::ValueId made = emit(value, at);
  known_.emplace(key(value, at), made);
  return made;
}

kernel::ValueId VectorElements::emit(ValueId value, const VectorPlace& at) {
  const bool wide = is_vector(value);
  const ScalarType type = scalar_type(program_.value(value).element.data);
  const OpId def = program_.value(value).def;
  const auto operand = [&](ValueId id) { return widened(element(id, at), wide); };
  return std::visit(Overloaded{
                        [&](const ConstantOp& op) { return widened(emit_literal(b_, type, op.literal.value()), wide); },
                        [&](const IndexValueOp& op) { return emit_index(op.expr, wide, at); },
                        [&](const UnaryOp& op) { return b_.unary(unary_kind(op.kind), operand(op.operand)); },
                        [&](const BinaryOp& op) {
                          const kernel::ValueId lhs = operand(op.lhs);
                          const kernel::ValueId rhs = operand(op.rhs);
                          if (const auto compare = compare_kind(op.kind)) return b_.compare(*compare, lhs, rhs);
                          const bool is_float = kernel::is_float_scalar(b_.type(lhs).scalar);
                          return b_.binary(binary_kind(op.kind, is_float), lhs, rhs);
                        },
                        [&](const SelectOp& op) {
                          const kernel::ValueId condition = operand(op.condition);
                          const kernel::ValueId if_true = operand(op.if_true);
                          return b_.select(condition, if_true, operand(op.if_false));
                        },
                        [&](const CastOp& op) { return b_.cast(type, operand(op.operand)); },
                        [&](const BroadcastOp& op) { return operand(op.operand); },
                        [&](const ReindexOp& op) { return operand(op.operand); },
                        [&](const LoadOp& op) { return emit_load(def, op, wide, at); },
                        [&](const IfOp& op) {
                          const auto results = program_.list(program_.op(def).results);
                          const auto position =
                              static_cast<std::size_t>(std::ranges::find(results, value) - results.begin());
                          const BlockId block = taken_.at(def) ? op.then_block : op.else_block;
                          return operand(program_.list(program_.block(block).yields)[position]);
                        },
                        [&](const auto&) {
                          TW_CHECK(!"a value that a contraction may stand among");
                          return kernel::ValueId{};
                        },
                    },
                    program_.op(def).payload);
}

void VectorElements::place(const realize::JointAxis& joint, kernel::ValueId value, Point& point) {
  const bool by_coord = joint.coord.valid() && joint.tile == 1;
  if (joint.coord.valid()) index_.set_coord(joint.coord, by_coord ? value : b_.const_i64(0));
  if (joint.axis.valid()) point.set(joint.axis, by_coord ? b_.const_i64(0) : value);
}

Point VectorElements::point_of(const VectorPlace& at) {
  Point point;
  if (!at.row.valid()) return point;
  place(row_, at.row, point);
  place(column_, at.column, point);
  return point;
}

std::int64_t VectorElements::coefficient(IndexId expr, const realize::JointAxis& joint) const {
  const auto form = linear_form(program_.index(), expr);
  TW_CHECK(form.has_value() || program_.index().axes(expr).empty());
  if (!form) return 0;
  if (joint.tile != 1 || !joint.coord.valid()) return form->factor_of(joint.axis);
  std::int64_t sum = 0;
  for (const auto& [factor, term] : form->terms) {
    const IndexNode& node = program_.index()[term];
    if (node.kind == IndexKind::Coord && node.coord() == joint.coord) sum += factor;
  }
  return sum;
}

std::int64_t VectorElements::step_of(const Access& access, const realize::JointAxis& joint) const {
  std::int64_t step = 0;
  for (std::size_t d = 0; d < access.dimensions.size(); ++d)
    step += coefficient(access.dimensions[d].coord, joint) * access.place->strides[d];
  return step;
}

kernel::ValueId VectorElements::emit_index(IndexId expr, bool wide, const VectorPlace& at) {
  const kernel::ValueId first = index_.emit(expr, point_of(at));
  const std::int64_t factor = wide ? coefficient(expr, column_) : 0;
  if (!wide || factor == 0) return widened(first, wide);
  const kernel::ValueId lane = b_.mul(b_.iota(ScalarType::I64, lanes_), b_.const_i64(factor, lanes_));
  return b_.add(b_.splat(first, lanes_), lane);
}

// ---- Memory
// ----------------------------------------------------------------------------------------------------------

Access VectorElements::access_of(ObjectId object, const std::vector<IndexId>& coords, BoundsPolicy bounds) const {
  return accesses_.analyze(objects_.at(object), coords, bounds);
}

/// Rows and columns of the product that exist are all that is ever asked for.
bool VectorElements::is_known_inside(const Dimension& dimension) const {
  const std::int64_t row = coefficient(dimension.coord, row_), column = coefficient(dimension.coord, column_);
  if (row + column != 1 || row * column != 0) return false;
  const realize::JointAxis& joint = row == 1 ? row_ : column_;
  const auto form = linear_form(program_.index(), dimension.coord);
  if (form->constant != 0) return false;
  for (const auto& [axis, factor] : form->factors)
    if (axis != joint.axis && factor != 0) return false;
  for (const auto& [factor, term] : form->terms)
    if (program_.index()[term].kind != IndexKind::Coord || program_.index()[term].coord() != joint.coord) return false;
  return dimension.extent >= joint.extent;
}

kernel::ValueId VectorElements::lanes_inside(const Access& access, bool wide, const VectorPlace& at) {
  kernel::ValueId inside;
  for (const Dimension& dimension : access.dimensions) {
    if (dimension.check == RangeCheck::None || is_known_inside(dimension)) continue;
    const bool by_lane = wide && coefficient(dimension.coord, column_) != 0;
    const kernel::ValueId coord = emit_index(dimension.coord, by_lane, at);
    const std::uint16_t lanes = b_.type(coord).lanes;
    const kernel::ValueId not_negative = b_.compare(CompareKind::Ge, coord, b_.const_i64(0, lanes));
    const kernel::ValueId not_beyond = b_.compare(CompareKind::Lt, coord, b_.const_i64(dimension.extent, lanes));
    const kernel::ValueId here = widened(b_.logical_and(not_negative, not_beyond), wide);
    inside = inside.valid() ? b_.logical_and(inside, here) : here;
  }
  return inside;
}

/// Lanes whose mask (none: all) is false give 0.
kernel::ValueId VectorElements::read(const Access& access, const VectorPlace& at, kernel::ValueId mask) {
  const kernel::ValueId first = accesses_.address(access, point_of(at));
  const std::int64_t step = step_of(access, column_);
  if (step == 1) return b_.load(access.place->memory, first, lanes_, mask);
  // Elements apart: one after the other.
  const ScalarType scalar = b_.scalar_of(access.place->memory);
  const kernel::AllocationId line = b_.allocation("lanes", kernel::AllocationSpace::Private, scalar, lanes_);
  for (std::uint16_t lane = 0; lane < lanes_; ++lane) {
    const kernel::ValueId guard = mask.valid() ? b_.extract(mask, lane) : kernel::ValueId{};
    const kernel::ValueId one = b_.load(access.place->memory, b_.add(first, lane * step), 1, guard);
    b_.store(line, b_.const_i64(lane), one);
  }
  return b_.load(line, b_.const_i64(0), lanes_);
}

kernel::ValueId VectorElements::emit_load(OpId, const LoadOp& op, bool wide, const VectorPlace& at) {
  const Access access = access_of(op.object, program_.list(op.coords), op.bounds);
  const ScalarType scalar = scalar_type(program_.object(op.object).element.data);
  const auto fallback = [&] { return op.fallback.valid() ? element(op.fallback, at) : emit_literal(b_, scalar, 0); };
  if (access.place->empty()) return widened(fallback(), wide);
  const kernel::ValueId inside = lanes_inside(access, wide, at);
  if (!wide) {
    const kernel::ValueId one = b_.load(access.place->memory, accesses_.address(access, point_of(at)), 1, inside);
    return inside.valid() && op.fallback.valid() ? b_.select(inside, one, fallback()) : one;
  }
  kernel::ValueId mask = at.mask;
  if (inside.valid()) mask = mask.valid() ? b_.logical_and(mask, inside) : inside;
  const kernel::ValueId loaded = read(access, at, mask);
  return inside.valid() && op.fallback.valid() ? b_.select(inside, loaded, widened(fallback(), true)) : loaded;
}

ValueId VectorElements::stored_value(OpId store) const { return std::get<StoreOp>(program_.op(store).payload).value; }

void VectorElements::store(OpId id, const VectorPlace& at) {
  const auto& op = std::get<StoreOp>(program_.op(id).payload);
  const Access access = access_of(op.object, program_.list(op.coords), op.bounds);
  if (access.place->empty()) return;
  const kernel::ValueId stored = vector(op.value, at);
  const kernel::ValueId inside = lanes_inside(access, true, at);
  kernel::ValueId mask = at.mask;
  if (inside.valid()) mask = mask.valid() ? b_.logical_and(mask, inside) : inside;
  const kernel::ValueId first = accesses_.address(access, point_of(at));
  const std::int64_t step = step_of(access, column_);
  if (step == 1) return b_.store(access.place->memory, first, stored, mask);
  for (std::uint16_t lane = 0; lane < lanes_; ++lane) {
    const kernel::ValueId guard = mask.valid() ? b_.extract(mask, lane) : kernel::ValueId{};
    b_.store(access.place->memory, b_.add(first, lane * step), b_.extract(stored, lane), guard);
  }
}

}  // namespace tilewright::lower
