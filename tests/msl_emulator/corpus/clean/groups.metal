//@ dialect opencl c++20
// Twins of faults/race_groups.metal: groups keep to their own words, only read, or use atomics.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel tiles_touch
//@ launch groups=4,1,1 threads=64,1,1
//@ buffer 0 f32 256 zero
//@ expect none
//@ result 0 iota
kernel void tiles_touch(device float* out [[buffer(0)]], uint g [[threadgroup_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
  out[g * 64 + t] = float(g * 64 + t);
}

//@ kernel halves_of_two_groups_touch
//@ launch groups=5,1,1 threads=3,1,1
//@ buffer 0 f16 15 zero
//@ buffer 1 u8 15 zero
//@ expect none
//@ result 0 iota
//@ result 1 iota
kernel void halves_of_two_groups_touch(device half* out [[buffer(0)]], device uchar* bytes [[buffer(1)]],
                                       uint i [[thread_position_in_grid]]) {
  out[i] = half(i);
  bytes[i] = uchar(i);
}

//@ kernel next_group_is_read_from_a_copy
//@ launch groups=4,1,1 threads=32,1,1
//@ buffer 0 f32 160 iota
//@ buffer 1 f32 128 uninitialized
//@ expect none
kernel void next_group_is_read_from_a_copy(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                           uint i [[thread_position_in_grid]]) {
  out[i] = in[i + 32];
}

//@ kernel all_read_one_flag
//@ launch groups=3,1,1 threads=32,1,1
//@ buffer 0 u32 1 value 7
//@ buffer 1 u32 96 zero
//@ expect none
//@ result 1 value 7
kernel void all_read_one_flag(device uint* flag [[buffer(0)]], device uint* out [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
  out[i] = flag[0];
}

//@ kernel scratch_per_group
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 uninitialized
//@ buffer 1 f32 64 zero
//@ expect none
kernel void scratch_per_group(device float* stage [[buffer(0)]], device float* out [[buffer(1)]],
                              uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  stage[g * 32 + t] = float(t);
  threadgroup_barrier(mem_flags::mem_device);
  out[g * 32 + t] = stage[g * 32 + 31 - t];
}

//@ kernel atomics_of_many_groups
//@ launch groups=8,1,1 threads=32,1,1
//@ buffer 0 u32 2 zero
//@ buffer 1 f32 1 zero
//@ expect none
//@ result 0 values 256 31
//@ result 1 value 128
kernel void atomics_of_many_groups(device atomic_uint* count [[buffer(0)]], device atomic_float* sum [[buffer(1)]],
                                   uint t [[thread_index_in_threadgroup]]) {
  atomic_fetch_add_explicit(&count[0], 1u, memory_order_relaxed);
  atomic_fetch_max_explicit(&count[1], t, memory_order_relaxed);
  atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed);
}

//@ kernel fragments_of_two_groups_touch
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 128 uninitialized
//@ expect none
//@ result 0 value 1
kernel void fragments_of_two_groups_touch(device float* c [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 one = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_store(one, c + g * 8, 16);
}

//@ kernel one_group_writes_the_bias
//@ launch groups=1,3,1 threads=32,1,1
//@ buffer 0 f16 32 zero
//@ buffer 1 f16 96 zero
//@ expect none
//@ result 1 value 1
kernel void one_group_writes_the_bias(device half* bias [[buffer(0)]], device half* out [[buffer(1)]],
                                      uint2 g [[threadgroup_position_in_grid]],
                                      uint t [[thread_index_in_threadgroup]]) {
  if (g.y == 0) bias[t] = half(t);
  out[g.y * 32 + t] = 1.0h;
}

//@ kernel threadgroup_memory_is_per_group
//@ launch groups=6,1,1 threads=32,1,1
//@ buffer 0 u32 192 zero
//@ expect none
kernel void threadgroup_memory_is_per_group(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                            uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[32];
  tile[t] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = tile[31 - t];
}
