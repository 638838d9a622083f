// Arithmetic of emit/msl/expr.h. Floats of 16 bits compute in float and round; integers compute as wide as their result
// and operands need.
#include <fmt/format.h>

#include "emit/msl/expr.h"
#include "support/check.h"

namespace tilewright::emit_msl {

using namespace kernel;

namespace {

Expr infix(TextType type, const Expr& a, std::string_view sign, const Expr& b, Binding binding) {
  // The operand on the right binds tighter: operations of one kind group to the left.
  const auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {fmt::format("{} {} {}", wrapped(a, binding), sign, wrapped(b, tighter)), type, binding, a.loads || b.loads};
}
/// Bits: in parentheses whatever binds less than a name, since few know these precedences.
Expr infix_of_terms(TextType type, const Expr& a, std::string_view sign, const Expr& b, Binding binding) {
  const Expr left = b.type == type ? a : as_type(type, a);
  return {fmt::format("{} {} {}", wrapped(left, Binding::Sign), sign, wrapped(b, Binding::Sign)), type, binding,
          a.loads || b.loads};
}

TextType float_type(ScalarType scalar) {
  return scalar == ScalarType::F16 ? TextType::Half : scalar == ScalarType::BF16 ? TextType::BFloat : TextType::Float;
}

// ---- Integers -------------------------------------------------------------------------------------------------------

/// As wide as the result and both operands need.
TextType width_of(const Expr& a, const Expr& b, const IntegerFacts& facts) {
  const bool wide = facts.wide || a.type == TextType::Long || b.type == TextType::Long;
  return wide ? TextType::Long : TextType::Int;
}
Expr fitted(const Expr& result, const IntegerFacts& facts) {
  return facts.wide ? result : as_type(TextType::Int, result);
}

bool is_number(const Expr& expr, std::string_view number) { return expr.text == number; }

/// a sign b where no result leaves the type.
Expr exact(std::string_view sign, Binding binding, const Expr& a, const Expr& b, const IntegerFacts& facts) {
  const TextType type = width_of(a, b, facts);
  // One wide operand makes the operation wide.
  const bool widen = type == TextType::Long && a.type != TextType::Long && b.type != TextType::Long;
  return fitted(infix(type, widen ? as_type(type, a) : a, sign, b, binding), facts);
}

Expr called(Library& library, Function function, TextType type, const Expr& a, const Expr& b,
            const IntegerFacts& facts) {
  const Expr left = as_type(type, a), right = as_type(type, b);
  return fitted(call(type, library.use(function), {&left, &right}), facts);
}

Expr integer_sum(Library& library, BinaryKind kind, const Expr& a, const Expr& b, const IntegerFacts& facts) {
  const bool add = kind == BinaryKind::Add;
  if (facts.may_wrap)
    return called(library, add ? Function::WrappingAdd : Function::WrappingSub, width_of(a, b, facts), a, b, facts);
  const bool same_width = !facts.wide || (a.type == TextType::Long && b.type == TextType::Long);
  if (is_number(b, "0") && (!facts.wide || a.type == TextType::Long)) return fitted(a, facts);
  if (add && is_number(a, "0") && (!facts.wide || b.type == TextType::Long)) return fitted(b, facts);
  if (add && same_width && b.binding == Binding::Sign && b.text[0] == '-') {
    const Expr positive{b.text.substr(1), b.type};
    return exact("-", Binding::Sum, a, positive, facts);
  }
  if (!add || !facts.at_least_zero) return exact(add ? "+" : "-", Binding::Sum, a, b, facts);
  // Sums of what is not negative can be added up in any order.
  Expr right = b;
  if (b.grows) right.binding = Binding::Product;
  Expr sum = exact("+", Binding::Sum, a, right, facts);
  const auto part = [](const Expr& expr) { return expr.grows || expr.binding > Binding::Sum; };
  sum.grows = sum.binding == Binding::Sum && part(a) && part(b);
  return sum;
}

Expr integer_product(Library& library, const Expr& a, const Expr& b, const IntegerFacts& facts) {
  if (facts.may_wrap) return called(library, Function::WrappingMul, width_of(a, b, facts), a, b, facts);
  if (is_number(b, "1") && (!facts.wide || a.type == TextType::Long)) return fitted(a, facts);
  if (is_number(a, "1") && (!facts.wide || b.type == TextType::Long)) return fitted(b, facts);
  return exact("*", Binding::Product, a, b, facts);
}

Expr integer_division(Library& library, BinaryKind kind, const Expr& a, const Expr& b, const IntegerFacts& facts) {
  const bool quotient = kind == BinaryKind::FloorDiv;
  if (quotient && is_number(b, "1")) return fitted(a, facts);
  if (facts.plain_division) return exact(quotient ? "/" : "%", Binding::Product, a, b, facts);
  return called(library, quotient ? Function::FloorDiv : Function::FloorMod, width_of(a, b, facts), a, b, facts);
}

Expr integer_extreme(Library& library, BinaryKind kind, const Expr& a, const Expr& b, const IntegerFacts& facts) {
  const bool max = kind == BinaryKind::Max;
  if (width_of(a, b, facts) == TextType::Int) return call(TextType::Int, max ? "max" : "min", {&a, &b});
  return called(library, max ? Function::Larger : Function::Smaller, TextType::Long, a, b, facts);
}

/// The type that the kernel says, whatever the operands fit: zeros and bits come from its width.
Expr integer_shift(Library& library, BinaryKind kind, ScalarType scalar, const Expr& a, const Expr& b,
                   const IntegerFacts& facts) {
  const TextType type = scalar == ScalarType::I64 ? TextType::Long : TextType::Int;
  return called(library, kind == BinaryKind::Shl ? Function::ShiftLeft : Function::ShiftRight, type, a, b, facts);
}

Expr integer_binary(Library& library, BinaryKind kind, ScalarType scalar, const Expr& a, const Expr& b,
                    const IntegerFacts& facts) {
  const TextType type = width_of(a, b, facts);
  switch (kind) {
    case BinaryKind::Add:
    case BinaryKind::Sub:
      return integer_sum(library, kind, a, b, facts);
    case BinaryKind::Mul:
      return integer_product(library, a, b, facts);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
      return integer_division(library, kind, a, b, facts);
    case BinaryKind::Max:
    case BinaryKind::Min:
      return integer_extreme(library, kind, a, b, facts);
    case BinaryKind::And:
      return fitted(infix_of_terms(type, a, "&", b, Binding::BitAnd), facts);
    case BinaryKind::Or:
      return fitted(infix_of_terms(type, a, "|", b, Binding::BitOr), facts);
    case BinaryKind::Xor:
      return fitted(infix_of_terms(type, a, "^", b, Binding::BitXor), facts);
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      return integer_shift(library, kind, scalar, a, b, facts);
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      break;
  }
  TW_CHECK(!"an integer operation");
  return {};
}

Expr truth_binary(BinaryKind kind, const Expr& a, const Expr& b) {
  if (kind == BinaryKind::Xor) return compare(CompareKind::Ne, a, b);
  const bool both = kind == BinaryKind::And || kind == BinaryKind::Min;
  // What decides nothing is left out; what decides all is a literal, for which nobody asks.
  if (a.text == (both ? "true" : "false")) return b;
  if (b.text == (both ? "true" : "false")) return a;
  const Binding binding = both ? Binding::And : Binding::Or;
  // An `and` inside of an `or` stands in parentheses.
  const auto operand = [&](const Expr& expr) {
    return wrapped(expr, expr.binding == binding ? binding : Binding::Equality);
  };
  return {fmt::format("{} {} {}", operand(a), both ? "&&" : "||", operand(b)), TextType::Bool, binding,
          a.loads || b.loads};
}

// ---- Floats ---------------------------------------------------------------------------------------------------------

Expr float_binary(Library& library, BinaryKind kind, const Expr& a, const Expr& b) {
  switch (kind) {
    case BinaryKind::Add:
      return infix(TextType::Float, a, "+", b, Binding::Sum);
    case BinaryKind::Sub:
      return infix(TextType::Float, a, "-", b, Binding::Sum);
    case BinaryKind::Mul:
      return infix(TextType::Float, a, "*", b, Binding::Product);
    case BinaryKind::Div:
      return infix(TextType::Float, a, "/", b, Binding::Product);
    case BinaryKind::Fmod:
      return call(TextType::Float, "precise::fmod", {&a, &b});
    case BinaryKind::Max:
      return call(TextType::Float, library.use(Function::IeeeMax), {&a, &b});
    case BinaryKind::Min:
      return call(TextType::Float, library.use(Function::IeeeMin), {&a, &b});
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      break;
  }
  TW_CHECK(!"a float operation");
  return {};
}

std::string_view float_function(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::Exp:
      return "precise::exp";
    case UnaryKind::Log:
      return "precise::log";
    case UnaryKind::Sqrt:
      return "precise::sqrt";
    case UnaryKind::Tanh:
      return "precise::tanh";
    case UnaryKind::Sin:
      return "precise::sin";
    case UnaryKind::Cos:
      return "precise::cos";
    case UnaryKind::Floor:
      return "floor";
    case UnaryKind::Abs:
      return "fabs";
    case UnaryKind::Neg:
    case UnaryKind::Not:
      break;
  }
  TW_CHECK(!"a float function");
  return {};
}

}  // namespace

Expr unary(Library& library, UnaryKind kind, ScalarType scalar, const Expr& operand, const IntegerFacts& facts) {
  // A second sign in front would read as a decrement.
  const auto prefixed = [](std::string_view sign, const Expr& expr) {
    const bool again = expr.text.starts_with(sign);
    return Expr{std::string(sign) + wrapped(expr, again ? Binding::Term : Binding::Sign), expr.type, Binding::Sign,
                expr.loads};
  };
  if (kind == UnaryKind::Not) return prefixed("!", operand);
  if (is_float_scalar(scalar)) {
    const Expr wide = as_type(TextType::Float, operand);
    const Expr result =
        kind == UnaryKind::Neg ? prefixed("-", wide) : call(TextType::Float, float_function(kind), {&wide});
    return as_type(float_type(scalar), result);
  }
  const TextType type = width_of(operand, operand, facts);
  const Expr number = as_type(type, operand);
  if (kind == UnaryKind::Abs) return fitted(call(type, library.use(Function::Magnitude), {&number}), facts);
  if (facts.may_wrap) return fitted(call(type, library.use(Function::WrappingNeg), {&number}), facts);
  return fitted(prefixed("-", number), facts);
}

Expr binary(Library& library, BinaryKind kind, ScalarType scalar, const Expr& a, const Expr& b,
            const IntegerFacts& facts) {
  if (scalar == ScalarType::I1) return truth_binary(kind, a, b);
  if (!is_float_scalar(scalar)) return integer_binary(library, kind, scalar, a, b, facts);
  const Expr left = as_type(TextType::Float, a), right = as_type(TextType::Float, b);
  return as_type(float_type(scalar), float_binary(library, kind, left, right));
}

Expr fused(Library& library, ScalarType scalar, const Expr& a, const Expr& b, const Expr& c,
           const IntegerFacts& facts) {
  if (scalar == ScalarType::F32) return call(TextType::Float, "fma", {&a, &b, &c});
  // The product may be wider than the result; what wraps, wraps in the type of the kernel.
  const IntegerFacts whole{.wide = scalar == ScalarType::I64, .may_wrap = facts.may_wrap};
  const Expr product = integer_binary(library, BinaryKind::Mul, scalar, a, b, whole);
  return fitted(integer_binary(library, BinaryKind::Add, scalar, product, c, whole), facts);
}

}  // namespace tilewright::emit_msl
