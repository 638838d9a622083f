#include "operation_sheet.h"

#include <bit>
#include <cfloat>
#include <limits>

#include "support/half.h"

namespace tilewright::kernel {

const std::vector<float>& special_floats() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> kAll{
      0.0f,      -0.0f,      1.0f,        -1.0f,        1.5f,
      -2.5f,     0.1f,       -0.3f,       3.0f,         7.0f,
      65504.0f,  65519.996f, 65520.0f,    -65536.0f,    1e30f,
      -3e38f,    FLT_MAX,    FLT_MIN,     1e-40f,       -1e-45f,
      0x1p-24f,  0x1p-25f,   0x1.8p-25f,  0x1p-14f,     0x1.ffcp-15f,
      2047.5f,   2049.0f,    2051.0f,     257.0f,       259.0f,
      0x1.01p0f, 0x1.03p0f,  kInfinity,   -kInfinity,   0x1p31f,
      -0x1p31f,  0x1p63f,    -0x1p63f,    2147483520.f, 16777217.0f,
      0.5f,      -0.5f,      0.99999994f, 0x1.00002p0f, std::numeric_limits<float>::quiet_NaN()};
  return kAll;
}

/// Values of a type at which something special happens.
std::vector<std::uint64_t> special_values(ScalarType scalar) {
  std::vector<std::uint64_t> bits;
  switch (scalar) {
    case ScalarType::I1:
      return {0, 1};
    case ScalarType::I32:
      for (std::int64_t v : {0,
                             1,
                             -1,
                             2,
                             -2,
                             3,
                             -3,
                             7,
                             -7,
                             31,
                             32,
                             33,
                             63,
                             64,
                             -32,
                             255,
                             16777217,
                             -33554433,
                             1 << 30,
                             INT32_MAX,
                             INT32_MAX - 64,
                             INT32_MIN,
                             INT32_MIN + 1})
        bits.push_back(static_cast<std::uint32_t>(v));
      return bits;
    case ScalarType::I64:
      for (std::int64_t v : {std::int64_t{0},
                             std::int64_t{1},
                             std::int64_t{-1},
                             std::int64_t{2},
                             std::int64_t{-3},
                             std::int64_t{10},
                             std::int64_t{63},
                             std::int64_t{64},
                             std::int64_t{65},
                             std::int64_t{-64},
                             std::int64_t{65519},
                             std::int64_t{65520},
                             std::int64_t{1} << 24,
                             (std::int64_t{1} << 24) + 1,
                             (std::int64_t{1} << 31) + (1 << 23),
                             (std::int64_t{1} << 31) + (1 << 23) + 1,
                             (std::int64_t{1} << 38) + (std::int64_t{1} << 30) + 1,
                             -(std::int64_t{1} << 52) - (std::int64_t{1} << 44) - 1,
                             (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1,
                             INT64_MAX,
                             INT64_MIN,
                             INT64_MIN + 1})
        bits.push_back(static_cast<std::uint64_t>(v));
      return bits;
    case ScalarType::F16:
      for (float v : special_floats()) bits.push_back(f32_to_f16(v));
      for (std::uint64_t v : {0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff}) bits.push_back(v);
      return bits;
    case ScalarType::BF16:
      for (float v : special_floats()) bits.push_back(f32_to_bf16(v));
      for (std::uint64_t v : {0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f}) bits.push_back(v);
      return bits;
    case ScalarType::F32:
      for (float v : special_floats()) bits.push_back(std::bit_cast<std::uint32_t>(v));
      return bits;
  }
  return bits;
}

bool accepts(ScalarType scalar, UnaryKind kind) {
  if (kind == UnaryKind::Not) return scalar == ScalarType::I1;
  if (kind == UnaryKind::Neg || kind == UnaryKind::Abs) return scalar != ScalarType::I1;
  return is_float_scalar(scalar) && (kind == UnaryKind::Sqrt || kind == UnaryKind::Floor);
}

bool accepts(ScalarType scalar, BinaryKind kind) {
  switch (kind) {
    case BinaryKind::Add:
    case BinaryKind::Sub:
    case BinaryKind::Mul:
      return scalar != ScalarType::I1;
    case BinaryKind::Max:
    case BinaryKind::Min:
      return true;
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      return is_float_scalar(scalar);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      return scalar == ScalarType::I32 || scalar == ScalarType::I64;
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
      return !is_float_scalar(scalar);
  }
  return false;
}

}  // namespace tilewright::kernel
