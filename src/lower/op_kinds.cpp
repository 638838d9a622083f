#include "lower/op_kinds.h"

namespace tilewright::lower {

using namespace tile;
using kernel::CompareKind;

kernel::UnaryKind unary_kind(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::Neg:
      return kernel::UnaryKind::Neg;
    case UnaryKind::Not:
      return kernel::UnaryKind::Not;
    case UnaryKind::Abs:
      return kernel::UnaryKind::Abs;
    case UnaryKind::Exp:
      return kernel::UnaryKind::Exp;
    case UnaryKind::Log:
      return kernel::UnaryKind::Log;
    case UnaryKind::Sqrt:
      return kernel::UnaryKind::Sqrt;
    case UnaryKind::Tanh:
      return kernel::UnaryKind::Tanh;
    case UnaryKind::Sin:
      return kernel::UnaryKind::Sin;
    case UnaryKind::Cos:
      return kernel::UnaryKind::Cos;
    case UnaryKind::Floor:
      return kernel::UnaryKind::Floor;
  }
  return {};
}

std::optional<CompareKind> compare_kind(BinaryKind kind) {
  if (!is_comparison(kind)) return std::nullopt;
  switch (kind) {
    case BinaryKind::Lt:
      return CompareKind::Lt;
    case BinaryKind::Le:
      return CompareKind::Le;
    case BinaryKind::Gt:
      return CompareKind::Gt;
    case BinaryKind::Ge:
      return CompareKind::Ge;
    case BinaryKind::Eq:
      return CompareKind::Eq;
    case BinaryKind::Ne:
      return CompareKind::Ne;
    case BinaryKind::Add:
    case BinaryKind::Sub:
    case BinaryKind::Mul:
    case BinaryKind::Div:
    case BinaryKind::Mod:
    case BinaryKind::Max:
    case BinaryKind::Min:
    case BinaryKind::And:
    case BinaryKind::Or:
      break;
  }
  return std::nullopt;
}

kernel::BinaryKind binary_kind(BinaryKind kind, bool is_float) {
  switch (kind) {
    case BinaryKind::Add:
      return kernel::BinaryKind::Add;
    case BinaryKind::Sub:
      return kernel::BinaryKind::Sub;
    case BinaryKind::Mul:
      return kernel::BinaryKind::Mul;
    case BinaryKind::Div:
      return is_float ? kernel::BinaryKind::Div : kernel::BinaryKind::FloorDiv;
    case BinaryKind::Mod:
      return is_float ? kernel::BinaryKind::Fmod : kernel::BinaryKind::FloorMod;
    case BinaryKind::Max:
      return kernel::BinaryKind::Max;
    case BinaryKind::Min:
      return kernel::BinaryKind::Min;
    case BinaryKind::And:
      return kernel::BinaryKind::And;
    case BinaryKind::Or:
      return kernel::BinaryKind::Or;
    case BinaryKind::Lt:
    case BinaryKind::Le:
    case BinaryKind::Gt:
    case BinaryKind::Ge:
    case BinaryKind::Eq:
    case BinaryKind::Ne:
      break;
  }
  return {};
}

}  // namespace tilewright::lower
