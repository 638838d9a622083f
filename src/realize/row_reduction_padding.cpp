// Elements that change nothing: beyond the edge of an object, where loads give their fallback and stores write nothing.
//
// What a contribution is there is computed over the few numbers for which every operation is exact in any execution:
// zeros, infinities and truth values. Anything else is not known, and then every element counts.
#include <algorithm>
#include <limits>
#include <map>

#include "realize/row_reduction_internal.h"
#include "support/checked_math.h"

namespace tilewright::realize {

using analysis::AffineForm;
using tile::BinaryKind;
using tile::OpId;
using tile::ValueId;

namespace {

enum class DeadValue : std::uint8_t { Unknown, PlusZero, MinusZero, PlusInf, MinusInf, True, False };

bool is_zero(DeadValue value) { return value == DeadValue::PlusZero || value == DeadValue::MinusZero; }
bool is_infinite(DeadValue value) { return value == DeadValue::PlusInf || value == DeadValue::MinusInf; }
bool is_negative(DeadValue value) { return value == DeadValue::MinusZero || value == DeadValue::MinusInf; }
bool is_real(DeadValue value) { return is_zero(value) || is_infinite(value); }

DeadValue truth(bool value) { return value ? DeadValue::True : DeadValue::False; }
DeadValue zero(bool negative) { return negative ? DeadValue::MinusZero : DeadValue::PlusZero; }
DeadValue infinite(bool negative) { return negative ? DeadValue::MinusInf : DeadValue::PlusInf; }

DeadValue negated(DeadValue value) {
  if (is_zero(value)) return zero(!is_negative(value));
  if (is_infinite(value)) return infinite(!is_negative(value));
  if (value == DeadValue::True || value == DeadValue::False) return truth(value == DeadValue::False);
  return DeadValue::Unknown;
}

DeadValue sum(DeadValue a, DeadValue b) {
  if (!is_real(a) || !is_real(b)) return DeadValue::Unknown;
  if (is_zero(a) && is_zero(b)) return zero(is_negative(a) && is_negative(b));
  if (is_infinite(a) && is_infinite(b)) return a == b ? a : DeadValue::Unknown;
  return is_infinite(a) ? a : b;
}

DeadValue product(DeadValue a, DeadValue b) {
  if (!is_real(a) || !is_real(b) || is_zero(a) != is_zero(b)) return DeadValue::Unknown;
  const bool negative = is_negative(a) != is_negative(b);
  return is_zero(a) ? zero(negative) : infinite(negative);
}

/// -Inf, -0, +0, +Inf in this order: maximum and minimum of IEEE 754-2019.
int rank(DeadValue value) {
  if (is_infinite(value)) return is_negative(value) ? 0 : 3;
  return is_negative(value) ? 1 : 2;
}

DeadValue extreme(DeadValue a, DeadValue b, bool largest) {
  if (!is_real(a) || !is_real(b)) return DeadValue::Unknown;
  return (rank(a) > rank(b)) == largest ? a : b;
}

DeadValue literal_value(tile::Literal literal, DataType type) {
  const double value = literal.value();
  if (type == DataType::Bool) return truth(value != 0);
  if (!is_float(type)) return DeadValue::Unknown;
  if (literal == tile::Literal::of(0.0)) return DeadValue::PlusZero;
  if (literal == tile::Literal::of(-0.0)) return DeadValue::MinusZero;
  if (value == std::numeric_limits<double>::infinity()) return DeadValue::PlusInf;
  if (value == -std::numeric_limits<double>::infinity()) return DeadValue::MinusInf;
  return DeadValue::Unknown;
}

/// Values at all elements from `first` to the last of the span.
class DeadEvaluation {
 public:
  DeadEvaluation(const RowPosition& position, std::int64_t first)
      : position_(position), program_(position.structure->program()), first_(first) {}

  DeadValue of(ValueId value) {
    const auto known = values_.find(value);
    if (known != values_.end()) return known->second;
    const OpId def = program_.value(value).def;
    const DeadValue found = def.valid() ? result_of(def, value) : DeadValue::Unknown;
    return values_.emplace(value, found).first->second;
  }

 private:
  DeadValue result_of(OpId op, ValueId result) {
    const DataType type = program_.value(result).element.data;
    return std::visit(tile::Overloaded{
                          [&](const tile::ConstantOp& p) { return literal_value(p.literal, type); },
                          [&](const tile::LoadOp&) { return load(op, type); },
                          [&](const tile::UnaryOp& p) { return unary(p.kind, of(p.operand)); },
                          [&](const tile::BinaryOp& p) { return binary(p, type); },
                          [&](const tile::SelectOp& p) { return select(p); },
                          [&](const tile::CastOp& p) { return cast(of(p.operand), type); },
                          [&](const tile::BroadcastOp& p) { return of(p.operand); },
                          [](const auto&) { return DeadValue::Unknown; },
                      },
                      program_.op(op).payload);
  }

  DeadValue load(OpId op, DataType type) const {
    const analysis::Access& access = *position_.structure->subject->accesses.of(op);
    const RowPosition here{position_.structure, op, position_.element_axis};
    if (here.span() != position_.span()) return DeadValue::Unknown;
    if (dead_from(here, access, position_.span().elements()) > first_) return DeadValue::Unknown;
    if (access.fallback == analysis::FallbackKind::PositiveZero) return literal_value(tile::Literal::of(0.0), type);
    return access.fallback_literal ? literal_value(*access.fallback_literal, type) : DeadValue::Unknown;
  }

  static DeadValue unary(tile::UnaryKind kind, DeadValue a) {
    if (a == DeadValue::Unknown) return a;
    switch (kind) {
      case tile::UnaryKind::Neg:
      case tile::UnaryKind::Not:
        return negated(a);
      case tile::UnaryKind::Abs:
        return is_negative(a) ? negated(a) : a;
      case tile::UnaryKind::Exp:
        if (is_infinite(a)) return is_negative(a) ? DeadValue::PlusZero : a;
        return DeadValue::Unknown;
      case tile::UnaryKind::Sqrt:
        return is_zero(a) || a == DeadValue::PlusInf ? a : DeadValue::Unknown;
      case tile::UnaryKind::Log:
      case tile::UnaryKind::Tanh:
      case tile::UnaryKind::Sin:
      case tile::UnaryKind::Cos:
      case tile::UnaryKind::Floor:
        return DeadValue::Unknown;
    }
    return DeadValue::Unknown;
  }

  DeadValue binary(const tile::BinaryOp& op, DataType type) {
    if (tile::is_comparison(op.kind)) return compare(op);
    const DeadValue a = of(op.lhs), b = of(op.rhs);
    if (op.kind == BinaryKind::And || op.kind == BinaryKind::Or) {
      const DeadValue settles = truth(op.kind == BinaryKind::Or);
      if (a == settles || b == settles) return settles;
      return a == b ? a : DeadValue::Unknown;
    }
    if (!is_float(type)) return DeadValue::Unknown;
    switch (op.kind) {
      case BinaryKind::Add:
        return sum(a, b);
      case BinaryKind::Sub:
        return sum(a, negated(b));
      case BinaryKind::Mul:
        return product(a, b);
      case BinaryKind::Max:
      case BinaryKind::Min:
        return extreme(a, b, op.kind == BinaryKind::Max);
      case BinaryKind::Div:
      case BinaryKind::Mod:
      case BinaryKind::Lt:
      case BinaryKind::Le:
      case BinaryKind::Gt:
      case BinaryKind::Ge:
      case BinaryKind::Eq:
      case BinaryKind::Ne:
      case BinaryKind::And:
      case BinaryKind::Or:
        return DeadValue::Unknown;
    }
    return DeadValue::Unknown;
  }

  DeadValue select(const tile::SelectOp& op) {
    const DeadValue condition = of(op.condition), a = of(op.if_true), b = of(op.if_false);
    if (condition == DeadValue::True) return a;
    if (condition == DeadValue::False) return b;
    return a == b ? a : DeadValue::Unknown;
  }

  static DeadValue cast(DeadValue a, DataType type) {
    if (type == DataType::Bool) return is_real(a) ? truth(!is_zero(a)) : a;
    if (!is_float(type)) return DeadValue::Unknown;
    if (a == DeadValue::False) return DeadValue::PlusZero;
    return is_real(a) ? a : DeadValue::Unknown;
  }

  /// The affine form of an integer operand: an index expression or a number.
  std::optional<AffineForm> form_of(ValueId value) const {
    const OpId def = program_.value(value).def;
    if (!def.valid() || program_.value(value).element.data != DataType::Index) return std::nullopt;
    const tile::OpPayload& payload = program_.op(def).payload;
    if (const auto* constant = std::get_if<tile::ConstantOp>(&payload))
      return AffineForm{static_cast<std::int64_t>(constant->literal.value()), {}};
    const auto* index = std::get_if<tile::IndexValueOp>(&payload);
    if (index == nullptr) return std::nullopt;
    auto form = analysis::affine_form(program_, index->expr, position_.structure->subject->ranges);
    return form ? std::optional(*std::move(form)) : std::nullopt;
  }

  /// lhs - rhs is e + k over the elements, or its negative: a comparison that one side settles for all of them.
  DeadValue compare(const tile::BinaryOp& op) const {
    const auto lhs = form_of(op.lhs), rhs = form_of(op.rhs);
    if (!lhs || !rhs) return DeadValue::Unknown;
    std::optional<tile::IndexRange> range;
    for (const bool swapped : {false, true}) {
      const auto difference = swapped ? analysis::add_scaled(*rhs, *lhs, -1) : analysis::add_scaled(*lhs, *rhs, -1);
      const auto offset = difference ? position_.offset_from_element(*difference) : std::nullopt;
      if (!offset) continue;
      const auto low = checked_add(*offset, first_);
      const auto high = checked_add(*offset, position_.span().elements() - 1);
      if (!low || !high || *low == INT64_MIN || *high == INT64_MIN) return DeadValue::Unknown;
      range = swapped ? tile::IndexRange{-*high, -*low} : tile::IndexRange{*low, *high};
    }
    return range ? compare_with_zero(op.kind, *range) : DeadValue::Unknown;
  }

  /// A comparison of numbers whose difference lies in the range.
  static DeadValue compare_with_zero(BinaryKind kind, tile::IndexRange range) {
    const bool below = range.high < 0, above = range.low > 0;
    if (kind == BinaryKind::Lt || kind == BinaryKind::Ge)
      return below || range.low >= 0 ? truth(below == (kind == BinaryKind::Lt)) : DeadValue::Unknown;
    if (kind == BinaryKind::Gt || kind == BinaryKind::Le)
      return above || range.high <= 0 ? truth(above == (kind == BinaryKind::Gt)) : DeadValue::Unknown;
    return below || above ? truth(kind == BinaryKind::Ne) : DeadValue::Unknown;
  }

  const RowPosition& position_;
  const tile::Program& program_;
  std::int64_t first_;
  std::map<ValueId, DeadValue> values_;
};

/// Elements from which on some load below `value` lies outside of its object.
class DeadEdges {
 public:
  explicit DeadEdges(const RowPosition& position) : position_(position), program_(position.structure->program()) {}

  std::set<std::int64_t> run(ValueId value) {
    visit(value);
    return std::move(edges_);
  }

 private:
  void visit(ValueId value) {
    const OpId def = program_.value(value).def;
    if (!def.valid() || !seen_.insert(value).second) return;
    const tile::OpPayload& payload = program_.op(def).payload;
    if (std::holds_alternative<tile::LoadOp>(payload)) {
      const std::int64_t elements = position_.span().elements();
      const analysis::Access& access = *position_.structure->subject->accesses.of(def);
      const std::int64_t edge = dead_from({position_.structure, def, position_.element_axis}, access, elements);
      if (edge < elements) edges_.insert(edge);
    }
    if (std::holds_alternative<tile::RegionOp>(payload)) return;
    tile::for_each_operand(program_, payload, [&](ValueId operand) { visit(operand); });
  }

  const RowPosition& position_;
  const tile::Program& program_;
  std::set<ValueId> seen_;
  std::set<std::int64_t> edges_;
};

bool is_neutral(DeadValue value, tile::FoldKind fold, bool plus_zero_is_neutral) {
  switch (fold) {
    case tile::FoldKind::Add:
      return value == DeadValue::MinusZero || (plus_zero_is_neutral && value == DeadValue::PlusZero);
    case tile::FoldKind::Max:
      return value == DeadValue::MinusInf;
    case tile::FoldKind::Min:
      return value == DeadValue::PlusInf;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> RowPosition::offset_from_element(const AffineForm& form) const {
  // Coefficients that the leaves of e have: the element axis moves by 1, iterations of a joint loop by what they span.
  std::map<analysis::Leaf, std::int64_t> expected;
  if (element_axis.valid()) expected[analysis::Leaf::of(element_axis)] = 1;
  if (const OpId joint = structure->joint_loop_of(op); joint.valid()) {
    const RowLoop& loop = structure->loops.at(joint);
    std::int64_t stride = element_axis.valid() ? structure->extent(element_axis) : 1;
    for (std::size_t d = loop.coords.size(); d-- > 0;) {
      expected[analysis::Leaf::of(loop.coords[d])] = stride;
      const auto next = checked_mul(stride, loop.extents[d]);
      if (!next) return std::nullopt;
      stride = *next;
    }
  }
  const auto stays_zero = [&](const analysis::Leaf& leaf) {
    const analysis::LeafRanges& ranges = structure->subject->ranges;
    const auto range = leaf.kind == tile::IndexKind::Axis ? ranges.axes[tile::AxisId{leaf.index}]
                                                          : ranges.coords[tile::CoordId{leaf.index}];
    return range && range->low == 0 && range->high == 0;
  };
  if (!form.is_linear()) return std::nullopt;
  for (const auto& [leaf, coefficient] : expected)
    if (!stays_zero(leaf) && form.coefficient(leaf) != coefficient) return std::nullopt;
  for (const analysis::Term& term : form.terms)
    if (!expected.contains(term.factors[0]) && !stays_zero(term.factors[0])) return std::nullopt;
  return form.constant;
}

std::int64_t dead_from(const RowPosition& position, const analysis::Access& access, std::int64_t elements) {
  if (access.bounds != tile::BoundsPolicy::Zero) return elements;
  std::int64_t edge = elements;
  for (const analysis::AccessDimension& dimension : access.dimensions) {
    if (!dimension.form || !dimension.constant_extent) continue;
    const auto offset = position.offset_from_element(*dimension.form);
    const auto first_outside = offset ? checked_sub(*dimension.constant_extent, *offset) : std::nullopt;
    if (first_outside) edge = std::min(edge, std::max<std::int64_t>(*first_outside, 0));
  }
  return edge;
}

std::int64_t dead_from(const RowPosition& position, ValueId contribution, tile::FoldKind fold,
                       bool plus_zero_is_neutral) {
  const std::int64_t elements = position.span().elements();
  for (const std::int64_t edge : DeadEdges(position).run(contribution))
    if (is_neutral(DeadEvaluation(position, edge).of(contribution), fold, plus_zero_is_neutral)) return edge;
  return elements;
}

}  // namespace tilewright::realize
