//@ dialect opencl c++20
// Twins of faults/timeout.metal and faults/wild_access.metal: long, deep and indirect, but with an end.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

//@ kernel counts_a_while
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 zero
//@ expect none
//@ result 0 value 999
kernel void counts_a_while(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  for (uint i = 0; i < 1000; ++i) out[t] = i;
}

//@ kernel flag_is_already_set
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 1 value 1
//@ expect none
kernel void flag_is_already_set(device atomic_uint* flag [[buffer(0)]]) {
  while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {
  }
}

//@ kernel many_barriers
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 u32 128 zero
//@ expect none
//@ result 0 value 200
kernel void many_barriers(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (uint k = 0; k < 200; ++k) {
    out[i] += 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

//@ kernel pointer_from_an_offset
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 60
//@ buffer 1 f32 16 iota
//@ buffer 2 f32 1 zero
//@ expect none
//@ result 2 value 15
kernel void pointer_from_an_offset(device const ulong* offset [[buffer(0)]], device const float* in [[buffer(1)]],
                                   device float* out [[buffer(2)]]) {
  device const float* p = (device const float*)((ulong)in + offset[0]);
  out[0] = *p;
}

//@ kernel shallow_recursion
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 1 values 100
//@ buffer 1 u32 32 zero
//@ expect none
inline uint depth(uint n, thread uint* above) {
  uint mine[16];
  for (uint i = 0; i < 16; ++i) mine[i] = n + i + above[i];
  if (n == 0) return mine[3];
  return depth(n - 1, mine) + mine[n % 16];
}
kernel void shallow_recursion(device const uint* n [[buffer(0)]], device uint* out [[buffer(1)]],
                              uint t [[thread_index_in_threadgroup]]) {
  uint zero[16] = {};
  out[t] = depth(n[0], zero);
}

//@ kernel local_array_indexed_at_run_time
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 iota
//@ expect none
kernel void local_array_indexed_at_run_time(device uint* data [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  uint table[32];
  for (uint i = 0; i < 32; ++i) table[i] = i * i;
  data[t] = table[data[t] % 32];
}

//@ kernel table_of_the_program
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 4 zero
//@ expect none
//@ result 0 values 1 2 4 8
constant float kTable[4] = {1.0f, 2.0f, 4.0f, 8.0f};
kernel void table_of_the_program(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[t] = kTable[t];
}
