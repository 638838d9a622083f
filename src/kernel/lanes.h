// One lane of a value, and what each operation does to it.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace tilewright::kernel {

/// The bits of one element, zero-extended: floats keep the bits of their format, so that moving a value never changes
/// it.
using Lane = std::uint64_t;

Lane lane_unary(UnaryKind kind, ScalarType type, Lane a);
Lane lane_binary(BinaryKind kind, ScalarType type, Lane a, Lane b);
bool lane_compare(CompareKind kind, ScalarType type, Lane a, Lane b);
Lane lane_cast(ScalarType from, ScalarType to, Lane a);
/// F32, I32, I64.
Lane lane_fma(ScalarType type, Lane a, Lane b, Lane c);

}  // namespace tilewright::kernel
