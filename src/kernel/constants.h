// Numbers of a scalar type: rounding of literals and the bits in memory.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace tilewright::kernel {

/// The only NaN of a ConstOp.
inline constexpr std::int64_t kNanBits = 0x7ff8000000000000;

/// ConstOp::integer of the value of float type `type` nearest to `value` (ties to even; one rounding).
std::int64_t float_constant(ScalarType type, double value);
/// The double whose bits ConstOp::integer holds.
double float_of_constant(std::int64_t integer);
/// Whether `integer` is a legal ConstOp::integer of the type.
bool constant_fits(ScalarType type, std::int64_t integer);
/// The bits of one element in memory, in the low bytes.
std::uint64_t constant_bits(ScalarType type, std::int64_t integer);

}  // namespace tilewright::kernel
