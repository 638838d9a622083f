#include "emit/msl/expr.h"

#include <cmath>

#include <fmt/format.h>

#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

std::string_view type_word(TextType type) {
  switch (type) {
    case TextType::Bool:
      return "bool";
    case TextType::Int:
      return "int";
    case TextType::Long:
      return "long";
    case TextType::Half:
      return "half";
    case TextType::BFloat:
      return "bfloat";
    case TextType::Float:
      return "float";
  }
  TW_CHECK(false);
}

std::string_view memory_word(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::I1:
      return "uchar";
    case ScalarType::I32:
      return "int";
    case ScalarType::I64:
      return "long";
    case ScalarType::F16:
      return "half";
    case ScalarType::BF16:
      return "bfloat";
    case ScalarType::F32:
      return "float";
  }
  TW_CHECK(false);
}

std::string wrapped(const Expr& expr, Binding least) {
  return expr.binding >= least ? expr.text : "(" + expr.text + ")";
}

Expr call(TextType type, std::string_view name, std::initializer_list<const Expr*> arguments) {
  Expr result{std::string(name) + "(", type};
  for (const Expr* argument : arguments) {
    if (argument != *arguments.begin()) result.text += ", ";
    result.text += argument->text;
    result.loads = result.loads || argument->loads;
  }
  result.text += ")";
  return result;
}

Expr as_type(TextType type, const Expr& expr) {
  if (expr.type == type) return expr;
  // Metal converts between its 16-bit floats by way of float.
  if (type == TextType::BFloat && expr.type == TextType::Half) return as_type(type, as_type(TextType::Float, expr));
  if (type == TextType::Half && expr.type == TextType::BFloat) return as_type(type, as_type(TextType::Float, expr));
  return call(type, type_word(type), {&expr});
}

Expr truth_literal(bool value) { return {value ? "true" : "false", TextType::Bool}; }

Expr integer_literal(std::int64_t value) {
  const bool small = value >= INT32_MIN && value <= INT32_MAX;
  const TextType type = small ? TextType::Int : TextType::Long;
  if (value == INT32_MIN) return {"-2147483647 - 1", type, Binding::Sum};
  if (value == INT64_MIN) return {"-9223372036854775807L - 1", type, Binding::Sum};
  return {fmt::format("{}{}", value, small ? "" : "L"), type, value < 0 ? Binding::Sign : Binding::Term};
}

Expr float_literal(ScalarType scalar, double value) {
  const TextType type = scalar == ScalarType::F16    ? TextType::Half
                        : scalar == ScalarType::BF16 ? TextType::BFloat
                                                     : TextType::Float;
  std::string text = std::isnan(value) ? "NAN" : std::signbit(value) ? "-INFINITY" : "INFINITY";
  if (std::isfinite(value)) {
    text = fmt::format("{}", static_cast<float>(value));
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    text += "f";
  }
  const Expr number{text, TextType::Float, text[0] == '-' ? Binding::Sign : Binding::Term};
  return as_type(type, number);
}

Expr compare(CompareKind kind, const Expr& a, const Expr& b) {
  const auto sign = [&] {
    switch (kind) {
      case CompareKind::Lt:
        return "<";
      case CompareKind::Le:
        return "<=";
      case CompareKind::Gt:
        return ">";
      case CompareKind::Ge:
        return ">=";
      case CompareKind::Eq:
        return "==";
      case CompareKind::Ne:
        return "!=";
    }
    TW_CHECK(false);
  }();
  if (a.type == TextType::BFloat) return compare(kind, as_type(TextType::Float, a), as_type(TextType::Float, b));
  const bool equality = kind == CompareKind::Eq || kind == CompareKind::Ne;
  return {fmt::format("{} {} {}", wrapped(a, Binding::Sum), sign, wrapped(b, Binding::Sum)), TextType::Bool,
          equality ? Binding::Equality : Binding::Order, a.loads || b.loads};
}

Expr choice(const Expr& condition, const Expr& a, const Expr& b) {
  if (condition.text == "true") return a;
  if (condition.text == "false") return b;
  // Metal takes the wider of int and long; floats are of one type here.
  const TextType type = a.type == TextType::Long || b.type == TextType::Long ? TextType::Long : a.type;
  return {
      fmt::format("{} ? {} : {}", wrapped(condition, Binding::Or), wrapped(a, Binding::Or), wrapped(b, Binding::Or)),
      type, Binding::Choice, condition.loads || a.loads || b.loads};
}

Expr cast(Library& library, ScalarType from, ScalarType to, const Expr& operand, bool exact_in_float) {
  if (from == to) return operand;
  const Expr wide = is_float_scalar(from) ? as_type(TextType::Float, operand) : operand;
  switch (to) {
    case ScalarType::I1:
      return compare(CompareKind::Ne, wide,
                     is_float_scalar(from) ? float_literal(ScalarType::F32, 0) : integer_literal(0));
    case ScalarType::I32:
      return is_float_scalar(from) ? call(TextType::Int, library.use(Function::ToInt), {&wide})
                                   : as_type(TextType::Int, operand);
    case ScalarType::I64:
      if (is_float_scalar(from)) return call(TextType::Long, library.use(Function::ToLong), {&wide});
      return from == ScalarType::I1 ? as_type(TextType::Int, operand) : operand;
    case ScalarType::F32:
      return as_type(TextType::Float, wide);
    case ScalarType::F16:
      return as_type(TextType::Half, as_type(TextType::Float, wide));
    case ScalarType::BF16:
      break;
  }
  if (is_float_scalar(from) || from == ScalarType::I1 || exact_in_float)
    return as_type(TextType::BFloat, as_type(TextType::Float, wide));
  const Expr number = as_type(TextType::Long, operand);
  return as_type(TextType::BFloat, call(TextType::Float, library.use(Function::OddFloat), {&number}));
}

Expr plus(const Expr& index, std::string_view offset) {
  if (index.text == "0") return {std::string(offset), TextType::Int};
  if (offset == "0") return index;
  return {fmt::format("{} + {}", wrapped(index, Binding::Sum), offset), index.type, Binding::Sum, index.loads};
}

}  // namespace tilewright::emit_msl
