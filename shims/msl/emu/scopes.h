// Whom and what an operation on memory concerns. Kernels name these before they include anything.
// There is no system scope: MLX defines that one itself, as a number past the device.
#pragma once
#pragma clang system_header

#include "abi.h"
#include "scalars.h"

namespace metal {

enum memory_order : int {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
enum thread_scope : int { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };

enum class mem_flags : uint {
  mem_none = EMU_MEM_NONE,
  mem_device = EMU_MEM_DEVICE,
  mem_threadgroup = EMU_MEM_THREADGROUP,
  mem_texture = EMU_MEM_TEXTURE,
  mem_threadgroup_imageblock = 8,
  mem_object_data = 16
};
inline __attribute__((always_inline)) constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return mem_flags(uint(a) | uint(b));
}
inline __attribute__((always_inline)) constexpr mem_flags operator&(mem_flags a, mem_flags b) {
  return mem_flags(uint(a) & uint(b));
}

}  // namespace metal
