#include "tile/typing.h"

#include <algorithm>
#include <cmath>

#include "support/number_text.h"

namespace tilewright::tile {

namespace {

std::unexpected<TypeFault> fault(DiagCode code, std::string message, std::string hint = {}) {
  return std::unexpected(TypeFault{code, std::move(message), std::move(hint)});
}

const char* unary_name(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::Neg:
      return "negation";
    case UnaryKind::Not:
      return "'!'";
    case UnaryKind::Abs:
      return "abs";
    case UnaryKind::Exp:
      return "exp";
    case UnaryKind::Log:
      return "log";
    case UnaryKind::Sqrt:
      return "sqrt";
    case UnaryKind::Tanh:
      return "tanh";
    case UnaryKind::Sin:
      return "sin";
    case UnaryKind::Cos:
      return "cos";
    case UnaryKind::Floor:
      return "floor";
  }
  return "?";
}

const char* binary_name(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::Add:
      return "'+'";
    case BinaryKind::Sub:
      return "'-'";
    case BinaryKind::Mul:
      return "'*'";
    case BinaryKind::Div:
      return "'/'";
    case BinaryKind::Mod:
      return "'%'";
    case BinaryKind::Max:
      return "max";
    case BinaryKind::Min:
      return "min";
    case BinaryKind::Lt:
      return "'<'";
    case BinaryKind::Le:
      return "'<='";
    case BinaryKind::Gt:
      return "'>'";
    case BinaryKind::Ge:
      return "'>='";
    case BinaryKind::Eq:
      return "'=='";
    case BinaryKind::Ne:
      return "'!='";
    case BinaryKind::And:
      return "'&&'";
    case BinaryKind::Or:
      return "'||'";
  }
  return "?";
}

std::string axis_list(const std::vector<AxisId>& axes, const TypeNames& names) {
  std::string out = "[";
  for (std::size_t i = 0; i < axes.size(); ++i) out += (i ? ", " : "") + names.axis(axes[i]);
  return out + "]";
}

}  // namespace

std::string TypeNames::element(ElementType type) const {
  if (type.symbolic()) return type_param(type.param);
  return std::string(data_type_name(type.data));
}

std::string TypeNames::tile(const TileType& type) const { return element(type.element) + axis_list(type.axes, *this); }

bool ElementFacts::surely_float(ElementType type) const {
  const auto types = possible(type);
  return std::all_of(types.begin(), types.end(), [](DataType t) { return is_float(t); });
}

bool ElementFacts::surely_number(ElementType type) const {
  const auto types = possible(type);
  return std::all_of(types.begin(), types.end(), [](DataType t) { return t != DataType::Bool && !is_reserved(t); });
}

bool contains(const std::vector<AxisId>& axes, AxisId axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool subset_of(const std::vector<AxisId>& part, const std::vector<AxisId>& whole) {
  return std::all_of(part.begin(), part.end(), [&](AxisId axis) { return contains(whole, axis); });
}

std::vector<AxisId> join_axes(const std::vector<AxisId>& a, const std::vector<AxisId>& b) {
  std::vector<AxisId> joined = a;
  for (AxisId axis : b)
    if (!contains(joined, axis)) joined.push_back(axis);
  return joined;
}

TypeResult<TileType> type_unary(UnaryKind kind, const TileType& x, const ElementFacts& facts, const TypeNames& names) {
  const std::string found = std::string(unary_name(kind)) + " of " + names.tile(x);
  switch (kind) {
    case UnaryKind::Not:
      if (x.element != kBool) return fault(DiagCode::TypeMismatch, "expected bool, found " + found);
      return x;
    case UnaryKind::Neg:
    case UnaryKind::Abs:
      if (!facts.surely_number(x.element)) return fault(DiagCode::TypeMismatch, "expected a number, found " + found);
      return x;
    case UnaryKind::Exp:
    case UnaryKind::Log:
    case UnaryKind::Sqrt:
    case UnaryKind::Tanh:
    case UnaryKind::Sin:
    case UnaryKind::Cos:
    case UnaryKind::Floor:
      if (!facts.surely_float(x.element))
        return fault(DiagCode::TypeMismatch, "expected a float tile, found " + found, "cast it first: f32(x)");
      return x;
  }
  return x;
}

TypeResult<TileType> type_binary(BinaryKind kind, const TileType& a, const TileType& b, const ElementFacts& facts,
                                 const TypeNames& names) {
  if (a.element != b.element)
    return fault(DiagCode::TypeMismatch,
                 std::string("operands of ") + binary_name(kind) + " have different element types: " + names.tile(a) +
                     " and " + names.tile(b),
                 "cast one of them, for example " + names.element(a.element) + "(x)");
  TileType joined{a.element, join_axes(a.axes, b.axes)};
  if (kind == BinaryKind::And || kind == BinaryKind::Or) {
    if (a.element != kBool)
      return fault(DiagCode::TypeMismatch,
                   std::string("expected bool operands of ") + binary_name(kind) + ", found " + names.tile(a));
    return joined;
  }
  if (kind == BinaryKind::Eq || kind == BinaryKind::Ne) {
    joined.element = kBool;
    return joined;
  }
  if (!facts.surely_number(a.element))
    return fault(DiagCode::TypeMismatch,
                 std::string("expected number operands of ") + binary_name(kind) + ", found " + names.tile(a));
  if (is_comparison(kind)) joined.element = kBool;
  return joined;
}

TypeResult<TileType> type_select(const TileType& condition, const TileType& a, const TileType& b,
                                 const TypeNames& names) {
  if (condition.element != kBool)
    return fault(DiagCode::TypeMismatch, "expected a bool condition of select, found " + names.tile(condition),
                 "compare it, for example x != 0");
  if (a.element != b.element)
    return fault(DiagCode::TypeMismatch,
                 "the two values of select differ in element type: " + names.tile(a) + " and " + names.tile(b),
                 "cast one of them");
  return TileType{a.element, join_axes(join_axes(condition.axes, a.axes), b.axes)};
}

TypeResult<TileType> type_cast(const TileType& x, ElementType to, const TypeNames& names) {
  if (!to.symbolic() && is_reserved(to.data))
    return fault(DiagCode::ReservedType,
                 "the element type " + names.element(to) + " is reserved and has no operations yet");
  return TileType{to, x.axes};
}

TypeResult<TileType> type_broadcast(const TileType& x, const std::vector<AxisId>& axes, const TypeNames& names) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(i))
      return fault(DiagCode::AxisMismatch, "the axis " + names.axis(axes[i]) + " is listed twice");
  for (AxisId axis : x.axes)
    if (!contains(axes, axis))
      return fault(DiagCode::AxisMismatch,
                   "the value has the axis " + names.axis(axis) + ", which is not among " + axis_list(axes, names),
                   "list it, or fold it away with sum, max or min");
  return TileType{x.element, axes};
}

TypeResult<TileType> type_gather(const TileType& x, AxisId axis, const TileType& indices, const TileType& fallback,
                                 const TypeNames& names) {
  if (!contains(x.axes, axis))
    return fault(DiagCode::AxisMismatch, "gather along " + names.axis(axis) + ", which is no axis of " + names.tile(x));
  if (indices.element != kIndex && indices.element != kI32)
    return fault(DiagCode::TypeMismatch, "expected index or i32 indices of gather, found " + names.tile(indices));
  if (contains(indices.axes, axis))
    return fault(DiagCode::AxisMismatch, "the indices of gather run along " + names.axis(axis) + " themselves");
  if (fallback.element != x.element || !fallback.axes.empty())
    return fault(DiagCode::TypeMismatch, "expected a fallback of type " + names.element(x.element) +
                                             " without axes, found " + names.tile(fallback));
  TileType result{x.element, {}};
  for (AxisId a : x.axes)
    if (a != axis) result.axes.push_back(a);
  result.axes = join_axes(result.axes, indices.axes);
  return result;
}

TypeResult<TileType> type_reduce(FoldKind, const TileType& x, AxisId axis, const ElementFacts& facts,
                                 const TypeNames& names) {
  if (!contains(x.axes, axis))
    return fault(DiagCode::AxisMismatch, "a fold over " + names.axis(axis) + ", which is no axis of " + names.tile(x));
  if (!facts.surely_number(x.element))
    return fault(DiagCode::TypeMismatch, "expected numbers to fold, found " + names.tile(x));
  TileType result{x.element, {}};
  for (AxisId a : x.axes)
    if (a != axis) result.axes.push_back(a);
  return result;
}

TypeResult<TileType> type_mma(const TileType& a, const TileType& b, const TileType& c, bool relaxed,
                              const ElementFacts& facts, const TypeNames& names) {
  const std::string found = "mma(" + names.tile(a) + ", " + names.tile(b) + ", " + names.tile(c) + ")";
  if (a.element != b.element)
    return fault(DiagCode::TypeMismatch, "the operands of mma differ in element type: " + found);
  const bool floats = facts.surely_float(a.element) && c.element == kF32;
  const bool integers = a.element == kI32 && c.element == kI32;
  if (!floats && !integers)
    return fault(DiagCode::TypeMismatch, "expected float operands with an f32 accumulator, or all i32, found " + found,
                 "accumulate in f32 and cast at the store");
  if (relaxed && integers)
    return fault(DiagCode::TypeMismatch, "expected float operands of a relaxed mma, found " + found,
                 "leave 'relaxed' out: sums of integers are exact");
  bool contraction = false;
  for (AxisId axis : join_axes(a.axes, b.axes)) {
    if (contains(c.axes, axis)) continue;
    if (!contains(a.axes, axis) || !contains(b.axes, axis))
      return fault(DiagCode::MmaRoles,
                   "the axis " + names.axis(axis) + " is in one operand only and not in the accumulator: " + found);
    contraction = true;
  }
  if (!contraction)
    return fault(DiagCode::MmaRoles, "no axis is shared by both operands and absent from the accumulator: " + found);
  for (AxisId axis : c.axes)
    if (!contains(a.axes, axis) && !contains(b.axes, axis))
      return fault(DiagCode::MmaRoles,
                   "the accumulator's axis " + names.axis(axis) + " is in neither operand: " + found);
  return c;
}

namespace {

/// Magnitude from which rounding to the float type gives infinity: half a step above its largest number.
double overflow_bound(DataType type) {
  if (type == DataType::F16) return 65520.0;
  return type == DataType::BF16 ? 0x1.ffp127 : 0x1.ffffffp127;
}

std::string shown_number(double value, bool written_whole) {
  return written_whole && std::fabs(value) < 0x1p63 ? std::to_string(static_cast<std::int64_t>(value))
                                                    : format_double(value);
}

}  // namespace

std::optional<TypeFault> number_fault(double value, bool written_whole, DataType type) {
  const std::string found = ", found the number " + shown_number(value, written_whole);
  const std::string name(data_type_name(type));
  if (is_float(type)) {
    if (!std::isfinite(value) || std::fabs(value) < overflow_bound(type)) return std::nullopt;
    return TypeFault{DiagCode::LiteralOutOfRange, "expected a number within the range of " + name + found, "write inf"};
  }
  if (type == DataType::Bool) return TypeFault{DiagCode::TypeMismatch, "expected bool" + found, "write true or false"};
  if (!written_whole)
    return TypeFault{DiagCode::TypeMismatch, "expected an integer of type " + name + found,
                     "write the integer, or cast the other side: f32(x)"};
  if (type == DataType::Index || (value >= -0x1p31 && value < 0x1p31)) return std::nullopt;
  return TypeFault{DiagCode::LiteralOutOfRange, "expected a number within the range of " + name + found, {}};
}

std::optional<TypeFault> number_fault(double value, bool written_whole, ElementType element,
                                      const ElementFacts& facts) {
  if (!element.symbolic()) return number_fault(value, written_whole, element.data);
  for (DataType type : facts.possible(element))
    if (!is_float(type))
      if (auto fault = number_fault(value, written_whole, type)) return fault;
  return std::nullopt;
}

TypeResult<void> type_store(const TileType& x, const std::vector<AxisId>& coordinate_axes, ElementType element,
                            const std::string& object, const TypeNames& names) {
  if (x.element != element)
    return fault(DiagCode::TypeMismatch,
                 "'" + object + "' holds " + names.element(element) + ", the stored value is " + names.tile(x),
                 "write the conversion: " + names.element(element) + "(value)");
  for (AxisId axis : x.axes)
    if (!contains(coordinate_axes, axis))
      return fault(DiagCode::AxisMismatch, "the stored value has the axis " + names.axis(axis) +
                                               ", which the coordinates of '" + object +
                                               "' do not use: several elements would go to one place");
  return {};
}

}  // namespace tilewright::tile
