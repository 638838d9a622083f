// Kernels that never end.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

//@ kernel counts_for_ever
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 zero
//@ timeout 0.4
//@ expect timeout at=nowhere
kernel void counts_for_ever(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  for (uint i = 0; out[t] < 10 || i < 0xffffffffu; ++i) out[t] = i | 16u;
}

//@ kernel waits_for_a_flag
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 1 zero
//@ timeout 0.4
//@ expect timeout at=nowhere
kernel void waits_for_a_flag(device atomic_uint* flag [[buffer(0)]]) {
  while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {
  }
}

//@ kernel barriers_for_ever
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 64 zero
//@ timeout 0.4
//@ expect timeout at=nowhere
kernel void barriers_for_ever(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  for (uint i = 1; i != 0; i |= 1u) {
    out[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

//@ kernel counter_wraps
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 4 zero
//@ timeout 0.4
//@ expect timeout at=nowhere
kernel void counter_wraps(device uint* out [[buffer(0)]]) {
  for (uint i = 3; i >= 0; --i) out[i % 4] += i;
}

//@ kernel simd_sums_for_ever
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 zero
//@ timeout 0.4
//@ expect timeout at=nowhere
kernel void simd_sums_for_ever(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  uint sum = 1;
  while (simd_sum(sum) != 0) {
    sum |= 1u;
    out[t] = sum;
  }
}
