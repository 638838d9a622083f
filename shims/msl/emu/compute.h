// <metal_compute>: barriers and fences.
#pragma once
#pragma clang system_header

#include "atomic.h"

namespace metal {

EMU_INLINE void threadgroup_barrier(mem_flags flags, EMU_PLACE) { emu_threadgroup_barrier(EMU_AT, uint(flags)); }
EMU_INLINE void threadgroup_barrier(mem_flags flags, thread_scope, EMU_PLACE) {
  emu_threadgroup_barrier(EMU_AT, uint(flags));
}
EMU_INLINE void simdgroup_barrier(mem_flags flags, EMU_PLACE) { emu_simdgroup_barrier(EMU_AT, uint(flags)); }
EMU_INLINE void simdgroup_barrier(mem_flags flags, thread_scope, EMU_PLACE) {
  emu_simdgroup_barrier(EMU_AT, uint(flags));
}
/// A scope past the device is the device here.
EMU_INLINE void atomic_thread_fence(mem_flags flags, memory_order, thread_scope scope = thread_scope_device,
                                    EMU_PLACE) {
  emu_fence(EMU_AT, uint(flags), scope < thread_scope_device ? uint(scope) : uint(thread_scope_device));
}

}  // namespace metal
