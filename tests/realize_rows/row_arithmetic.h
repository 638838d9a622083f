// The arithmetic of one element, for the row machine.
#pragma once

#include <cstdint>

#include "tile/program.h"

namespace tilewright::realize {

enum class RowArithmetic : std::uint8_t {
  F64,  ///< that of the exact interpreter: results differ by rounding errors of FP64 alone
  F32,  ///< every float operation rounds to f32: results are within the oracle's bounds
};

/// A float result: rounded to f32, or as it is; numbers that f32 does not hold are infinite, as in the oracle.
double settled(double a, RowArithmetic arithmetic);
double fold_two(RowArithmetic arithmetic, tile::FoldKind kind, double a, double b);

/// The number of its type that a literal stands for.
double row_literal(DataType type, tile::Literal literal);
double row_unary(tile::UnaryKind kind, double a);
/// type: of the operands. i32 does not wrap here.
double row_binary(tile::BinaryKind kind, DataType type, double a, double b);
double row_cast(DataType type, double a);

}  // namespace tilewright::realize
