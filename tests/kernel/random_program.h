// Random well-formed kernel programs that run without faults.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace tilewright::kernel {

/// Equal seeds give equal programs. `size` bounds the operations of a block. All operations, types, nested control,
/// masks, temporaries and several kernels occur. Buffers are called after their element types: in_f32, out_f32,
/// temp_f32 hold kRandomCount elements, number_f32 is a scalar.
Program random_program(std::uint64_t seed, int size);

inline constexpr std::int64_t kRandomCount = 24;

}  // namespace tilewright::kernel
