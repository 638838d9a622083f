#include "emit/msl/expressions.h"

#include <fmt/format.h>

#include "kernel/constants.h"
#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

/// Elements of an 8x8 matrix that each of 32 lanes holds.
constexpr int kElementsOfLane = 2;
constexpr IndexRange kExactInFloat{-(1 << 24), 1 << 24};

/// A cooperative tensor holds floats. f16, bf16 and truth values are among them.
Expr tensor_element(std::string text, TextType type) {
  const Expr number{std::move(text), TextType::Float};
  if (type == TextType::Bool) return compare(CompareKind::Ne, number, float_literal(ScalarType::F32, 0));
  return as_type(type, number);
}

}  // namespace

Form form_of(ValueType type) {
  if (is_tensor(type)) return Form::Tensor;
  if (type.is_fragment()) return is_float_scalar(type.scalar) ? Form::Matrix : Form::Lanes;
  return type.lanes == 1 ? Form::Number : Form::Lanes;
}

int lanes_of(ValueType type) { return type.is_fragment() ? kElementsOfLane : type.lanes; }

TextType Expressions::number_type(ValueId value) const {
  switch (program_.values[value].scalar) {
    case ScalarType::I1:
      return TextType::Bool;
    case ScalarType::I32:
      return TextType::Int;
    case ScalarType::I64: {
      const bool wide = facts_.placement.is_held(value) ? facts_.variables.is_wide(facts_.variables.of(value))
                                                        : !facts_.ranges.provably_fits_i32(value);
      return wide ? TextType::Long : TextType::Int;
    }
    case ScalarType::F16:
      return TextType::Half;
    case ScalarType::BF16:
      return TextType::BFloat;
    case ScalarType::F32:
      return TextType::Float;
  }
  TW_CHECK(false);
}

Expr Expressions::of(ValueId value, std::string_view lane) const {
  if (facts_.placement.is_literal(value)) return literal(value);
  if (facts_.placement.is_held(value)) return variable(value, lane);
  const Expr expr = definition(value, lane);
  return form_of(program_.values[value]) == Form::Number ? shorten_(expr) : expr;
}

Expr Expressions::definition(ValueId value, std::string_view lane) const {
  const Op& op = program_.ops[facts_.placement.definition(value)];
  return std::visit([&](const auto& payload) { return make(payload, value, lane); }, op.payload);
}

Expr Expressions::literal(ValueId value) const {
  const ScalarType scalar = program_.values[value].scalar;
  if (scalar == ScalarType::I1) return truth_literal(facts_.ranges.of(value).low != 0);
  if (!is_float_scalar(scalar)) return integer_literal(facts_.ranges.of(value).low);
  const Op& op = program_.ops[facts_.placement.definition(value)];
  return float_literal(scalar, float_of_constant(std::get<ConstOp>(op.payload).integer));
}

Expr Expressions::variable(ValueId value, std::string_view lane) const {
  const std::string& name = names_.variables[facts_.variables.of(value)];
  const TextType type = number_type(value);
  switch (form_of(program_.values[value])) {
    case Form::Number:
      return {name, type};
    case Form::Lanes:
      return {fmt::format("{}.at[{}]", name, lane), type};
    case Form::Matrix:
      return {fmt::format("{}.thread_elements()[{}]", name, lane), type};
    case Form::Tensor:
      return tensor_element(fmt::format("{}[{}]", name, lane), type);
  }
  TW_CHECK(false);
}

IntegerFacts Expressions::integers(ValueId result) const {
  return {.wide = number_type(result) == TextType::Long, .may_wrap = facts_.ranges.may_wrap(result)};
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

std::string_view Expressions::memory_name(const MemoryRef& memory) const {
  return memory.buffer.valid() ? names_.buffers[memory.buffer.index] : names_.allocations[memory.allocation.index];
}

std::string Expressions::padded_index(const AllocationLayout& layout, const Expr& index) const {
  // An allocation is far below 2^31 elements.
  return fmt::format("{}<{}, {}>({})", library_.use(Function::Padded), layout.row, layout.pad,
                     as_type(TextType::Int, index).text);
}

std::string Expressions::element(const MemoryRef& memory, ValueId index, std::string_view lane) const {
  const std::string_view name = memory_name(memory);
  if (memory.buffer.valid() && program_.buffers[memory.buffer].kind == BufferKind::Scalar) return std::string(name);
  Expr at = of(index);
  if (!lane.empty()) at = plus(at, lane);
  if (memory.allocation.valid()) {
    const AllocationLayout& layout = program_.allocations[memory.allocation].layout;
    if (layout.row != 0 && layout.pad != 0) return fmt::format("{}[{}]", name, padded_index(layout, at));
  }
  return fmt::format("{}[{}]", name, at.text);
}

std::string Expressions::address(const MemoryRef& memory, ValueId index) const {
  const std::string_view name = memory_name(memory);
  const Expr at = offset(memory, index);
  return at.text == "0" ? std::string(name) : fmt::format("{} + {}", name, wrapped(at, Binding::Sum));
}

Expr Expressions::offset(const MemoryRef& memory, ValueId index) const {
  const Expr at = of(index);
  if (!memory.allocation.valid() || at.text == "0") return at;
  const AllocationLayout& layout = program_.allocations[memory.allocation].layout;
  return layout.row != 0 && layout.pad != 0 ? Expr{padded_index(layout, at), TextType::Int} : at;
}

// ---- Operations -----------------------------------------------------------------------------------------------------

template <class Payload>
Expr Expressions::make(const Payload&, ValueId, std::string_view) const {
  TW_CHECK(!"an operation that is an expression");
  return {};
}

Expr Expressions::make(const UnaryOp& payload, ValueId result, std::string_view lane) const {
  return unary(library_, payload.kind, program_.values[result].scalar, of(payload.operand, lane), integers(result));
}

Expr Expressions::make(const BinaryOp& payload, ValueId result, std::string_view lane) const {
  IntegerFacts facts = integers(result);
  const IndexRange &left = facts_.ranges.of(payload.lhs), &right = facts_.ranges.of(payload.rhs);
  const ScalarType scalar = program_.values[result].scalar;
  if (scalar == ScalarType::I32 || scalar == ScalarType::I64) {
    const bool max = payload.kind == BinaryKind::Max, min = payload.kind == BinaryKind::Min;
    if ((max && left.low >= right.high) || (min && left.high <= right.low)) return of(payload.lhs, lane);
    if ((max && right.low >= left.high) || (min && right.high <= left.low)) return of(payload.rhs, lane);
  }
  facts.plain_division = left.low >= 0 && right.low > 0;
  facts.at_least_zero = left.low >= 0 && right.low >= 0;
  const Expr a = of(payload.lhs, lane);
  const Expr b = of(payload.rhs, lane);
  return binary(library_, payload.kind, scalar, a, b, facts);
}

Expr Expressions::make(const CompareOp& payload, ValueId, std::string_view lane) const {
  const Expr a = of(payload.lhs, lane);
  return compare(payload.kind, a, of(payload.rhs, lane));
}

Expr Expressions::make(const SelectOp& payload, ValueId, std::string_view lane) const {
  const bool single = program_.values[payload.condition].is_scalar();
  const Expr condition = of(payload.condition, single ? "" : lane);
  const Expr a = of(payload.if_true, lane);
  return choice(condition, a, of(payload.if_false, lane));
}

Expr Expressions::make(const CastOp& payload, ValueId result, std::string_view lane) const {
  const bool exact = facts_.ranges.of(payload.operand).within(kExactInFloat);
  return cast(library_, program_.values[payload.operand].scalar, program_.values[result].scalar,
              of(payload.operand, lane), exact);
}

Expr Expressions::make(const FmaOp& payload, ValueId result, std::string_view lane) const {
  const Expr a = of(payload.a, lane);
  const Expr b = of(payload.b, lane);
  const Expr c = of(payload.c, lane);
  return fused(library_, program_.values[result].scalar, a, b, c, integers(result));
}

Expr Expressions::make(const SplatOp& payload, ValueId, std::string_view) const { return of(payload.operand); }

Expr Expressions::make(const IotaOp&, ValueId, std::string_view lane) const {
  return {std::string(lane), TextType::Int};
}

Expr Expressions::make(const ExtractOp& payload, ValueId result, std::string_view lane) const {
  if (program_.values[result].lanes == 1) return of(payload.operand, fmt::format("{}", payload.lane));
  return of(payload.operand, fmt::format("{} + {}", payload.lane, lane));
}

Expr Expressions::make(const ZipOp& payload, ValueId result, std::string_view lane) const {
  const int first = payload.high ? program_.values[result].lanes / 2 : 0;
  const std::string from = fmt::format("{} + {} / 2", first, lane);
  const Expr even{fmt::format("{} % 2 == 0", lane), TextType::Bool, Binding::Choice};
  const Expr a = of(payload.lhs, from);
  return choice(even, a, of(payload.rhs, from));
}

Expr Expressions::make(const WorkerOp& payload, ValueId, std::string_view) const {
  switch (payload.query) {
    case WorkerQuery::Worker:
      return {names_.worker, TextType::Int};
    case WorkerQuery::Lane:
      return {names_.lane, TextType::Int};
    case WorkerQuery::Subgroup:
      return {names_.subgroup, TextType::Int};
  }
  TW_CHECK(false);
}

Expr Expressions::make(const FragmentFillOp& payload, ValueId, std::string_view) const { return of(payload.scalar); }

Expr Expressions::make(const FragmentCoordinateOp& payload, ValueId result, std::string_view lane) const {
  const bool row = payload.axis == FragmentAxis::Row;
  if (form_of(program_.values[result]) == Form::Tensor)
    return {fmt::format("{}[{}]", names_.place, row ? 1 : 0), TextType::Int};
  const Expr at{
      fmt::format("{}({})", library_.use(row ? Function::FragmentRow : Function::FragmentColumn), names_.lane),
      TextType::Int};
  return row ? at : plus(at, lane);
}

std::string Expressions::place_guard(ValueId bound, FragmentAxis axis, std::int64_t extent) const {
  if (!bound.valid() || facts_.ranges.of(bound).low >= extent) return {};
  return fmt::format("{}[{}] < {}", names_.place, axis == FragmentAxis::Row ? 1 : 0, wrapped(of(bound), Binding::Sum));
}

std::string Expressions::element_at_place(const MemoryRef& memory, ValueId index, ValueId row_stride,
                                          bool transposed) const {
  const Expr begin = offset(memory, index);
  const Expr step = of(row_stride);
  const char* const along = transposed ? "1" : "0";
  const char* const across = transposed ? "0" : "1";
  const std::string rows = step.text == "0" ? std::string()
                                            : fmt::format("{}({}[{}]) * {} + ", memory.buffer.valid() ? "long" : "int",
                                                          names_.place, across, wrapped(step, Binding::Term));
  const std::string first = begin.text == "0" ? std::string() : wrapped(begin, Binding::Sum) + " + ";
  return fmt::format("{}[{}{}{}[{}]]", memory_name(memory), first, rows, names_.place, along);
}

Expr Expressions::make(const FragmentLoadOp& payload, ValueId result, std::string_view) const {
  const ValueType type = program_.values[result];
  const std::string rows = place_guard(payload.part.rows, FragmentAxis::Row, type.rows);
  const std::string columns = place_guard(payload.part.columns, FragmentAxis::Column, type.columns);
  Expr loaded{element_at_place(payload.memory, payload.index, payload.row_stride, payload.transposed),
              number_type(result)};
  loaded.loads = true;
  if (rows.empty() && columns.empty()) return loaded;
  const Expr inside{rows + (rows.empty() || columns.empty() ? "" : " && ") + columns, TextType::Bool, Binding::And};
  return choice(inside, loaded, float_literal(type.scalar, 0));
}

Expr Expressions::make(const LoadOp& payload, ValueId result, std::string_view lane) const {
  const ScalarType scalar = program_.values[result].scalar;
  Expr loaded{element(payload.memory, payload.index, program_.values[result].lanes == 1 ? "" : lane),
              number_type(result)};
  loaded.loads = true;
  if (scalar == ScalarType::I1) {
    const Expr byte{loaded.text, TextType::Int, Binding::Term, true};
    loaded = compare(CompareKind::Ne, byte, integer_literal(0));
  }
  if (!payload.mask.valid()) return loaded;
  const Expr nothing = scalar == ScalarType::I1  ? truth_literal(false)
                       : is_float_scalar(scalar) ? float_literal(scalar, 0)
                                                 : integer_literal(0);
  return choice(of(payload.mask, lane), loaded, nothing);
}

}  // namespace tilewright::emit_msl
