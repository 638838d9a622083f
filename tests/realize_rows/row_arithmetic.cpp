#include "realize_rows/row_arithmetic.h"

#include <cmath>
#include <limits>

#include "support/half.h"

namespace tilewright::realize {

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kNotANumber;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

}  // namespace

double settled(double a, RowArithmetic arithmetic) {
  // Half an ulp beyond the largest number of f32: from there on it rounds to infinity.
  constexpr double kBeyond = 0x1.ffffffp127;
  if (std::fabs(a) >= kBeyond) return std::copysign(std::numeric_limits<double>::infinity(), a);
  return arithmetic == RowArithmetic::F32 ? static_cast<double>(static_cast<float>(a)) : a;
}

double fold_two(RowArithmetic arithmetic, tile::FoldKind kind, double a, double b) {
  if (kind == tile::FoldKind::Add) return settled(a + b, arithmetic);
  return kind == tile::FoldKind::Max ? maximum(a, b) : -maximum(-a, -b);
}

double row_literal(DataType type, tile::Literal literal) {
  const auto value = static_cast<float>(literal.value());
  if (type == DataType::F16) return f16_to_f32(f32_to_f16(value));
  if (type == DataType::BF16) return bf16_to_f32(f32_to_bf16(value));
  return type == DataType::F32 ? value : literal.value();
}

double row_unary(tile::UnaryKind kind, double a) {
  switch (kind) {
    case tile::UnaryKind::Neg:
      return -a;
    case tile::UnaryKind::Not:
      return a == 0;
    case tile::UnaryKind::Abs:
      return std::fabs(a);
    case tile::UnaryKind::Exp:
      return std::exp(a);
    case tile::UnaryKind::Log:
      return std::log(a);
    case tile::UnaryKind::Sqrt:
      return std::sqrt(a);
    case tile::UnaryKind::Tanh:
      return std::tanh(a);
    case tile::UnaryKind::Sin:
      return std::sin(a);
    case tile::UnaryKind::Cos:
      return std::cos(a);
    case tile::UnaryKind::Floor:
      return std::floor(a);
  }
  return kNotANumber;
}

double row_binary(tile::BinaryKind kind, DataType type, double a, double b) {
  const bool whole = !is_float(type);
  switch (kind) {
    case tile::BinaryKind::Add:
      return a + b;
    case tile::BinaryKind::Sub:
      return a - b;
    case tile::BinaryKind::Mul:
      return a * b;
    case tile::BinaryKind::Div:
      return whole ? (b == 0 ? 0 : std::floor(a / b)) : a / b;
    case tile::BinaryKind::Mod:
      return whole ? (b == 0 ? 0 : a - b * std::floor(a / b)) : std::fmod(a, b);
    case tile::BinaryKind::Max:
      return maximum(a, b);
    case tile::BinaryKind::Min:
      return -maximum(-a, -b);
    case tile::BinaryKind::Lt:
      return a < b;
    case tile::BinaryKind::Le:
      return a <= b;
    case tile::BinaryKind::Gt:
      return a > b;
    case tile::BinaryKind::Ge:
      return a >= b;
    case tile::BinaryKind::Eq:
      return a == b;
    case tile::BinaryKind::Ne:
      return a != b;
    case tile::BinaryKind::And:
      return a != 0 && b != 0;
    case tile::BinaryKind::Or:
      return a != 0 || b != 0;
  }
  return kNotANumber;
}

double row_cast(DataType type, double a) {
  if (is_float(type)) return a;
  if (type == DataType::Bool) return a != 0;
  return std::isnan(a) ? 0 : std::trunc(a);
}

}  // namespace tilewright::realize
