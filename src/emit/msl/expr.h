// Pieces of Metal expressions with their type and how tightly they bind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emit/msl/library.h"
#include "kernel/program.h"

namespace tilewright::emit_msl {

/// The type of an expression in the text. An I64 that fits 32 bits is an Int.
enum class TextType : std::uint8_t { Bool, Int, Long, Half, BFloat, Float };
std::string_view type_word(TextType type);  ///< "bool", "int", ..
/// Of one element in memory: a truth value takes a byte, an I64 eight.
std::string_view memory_word(kernel::ScalarType scalar);

enum class Binding : std::uint8_t { Choice, Or, And, BitOr, BitXor, BitAnd, Equality, Order, Sum, Product, Sign, Term };

struct Expr {
  std::string text;
  TextType type{};
  Binding binding = Binding::Term;
  bool loads = false;  ///< reads memory, so that it is made under its guards alone
  bool grows = false;  ///< a sum of parts that are all at least 0: where it fits, its partial sums do
};

/// In parentheses unless it binds at least as tightly as asked for.
std::string wrapped(const Expr& expr, Binding least);
/// name(a), name(a, b), ..
Expr call(TextType type, std::string_view name, std::initializer_list<const Expr*> arguments);
/// The same number as another type, by Metal's conversion.
Expr as_type(TextType type, const Expr& expr);

Expr truth_literal(bool value);
Expr integer_literal(std::int64_t value);
/// A value of the float type; constants.h says how ConstOp keeps it.
Expr float_literal(kernel::ScalarType scalar, double value);

/// What is known about the operands of an operation on integers.
struct IntegerFacts {
  bool wide = false;  ///< the result needs 64 bits
  bool may_wrap = false;
  bool plain_division = false;  ///< dividend not negative, divisor above 0
  bool at_least_zero = false;   ///< both operands
};

/// `scalar` is the type of the operands in the kernel.
Expr unary(Library& library, kernel::UnaryKind kind, kernel::ScalarType scalar, const Expr& operand,
           const IntegerFacts& facts);
Expr binary(Library& library, kernel::BinaryKind kind, kernel::ScalarType scalar, const Expr& a, const Expr& b,
            const IntegerFacts& facts);
Expr compare(kernel::CompareKind kind, const Expr& a, const Expr& b);
Expr choice(const Expr& condition, const Expr& a, const Expr& b);
Expr fused(Library& library, kernel::ScalarType scalar, const Expr& a, const Expr& b, const Expr& c,
           const IntegerFacts& facts);
/// exact_in_float: an integer of at most 24 bits.
Expr cast(Library& library, kernel::ScalarType from, kernel::ScalarType to, const Expr& operand, bool exact_in_float);
/// An index and an offset that is a number or a name.
Expr plus(const Expr& index, std::string_view offset);

}  // namespace tilewright::emit_msl
