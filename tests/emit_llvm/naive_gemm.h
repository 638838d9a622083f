// C = A * B as the simplest lowering would write it: tiles staged under guards, one scalar fma in three loops.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace tilewright::emit_llvm {

struct GemmShape {
  std::int64_t m, n, k;
};

/// Buffers A, B and C, f32, row-major; tiles of 64 x 64 x 32, a task for each tile of C.
kernel::Program naive_gemm(const GemmShape& shape);

}  // namespace tilewright::emit_llvm
