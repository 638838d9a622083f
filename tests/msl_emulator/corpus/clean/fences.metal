//@ dialect opencl c++20
// Twins of faults/wrong_fence.metal: the flags name the memory, or there is nothing to order.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel threadgroup_for_threadgroup_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ threadgroup 0 256
//@ expect none
kernel void threadgroup_for_threadgroup_memory(device float* out [[buffer(0)]],
                                               threadgroup float* shared [[threadgroup(0)]],
                                               uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = shared[63 - t];
}

//@ kernel device_for_device_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect none
kernel void device_for_device_memory(device float* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                                     uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = float(t);
  threadgroup_barrier(mem_flags::mem_device);
  out[t] = scratch[63 - t];
}

//@ kernel both_flags
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect none
kernel void both_flags(device float* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                       uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  scratch[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  out[t] = scratch[63 - t] + tile[63 - t];
}

//@ kernel two_barriers_one_flag_each
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect none
kernel void two_barriers_one_flag_each(device float* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                                       uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  scratch[t] = float(t);
  threadgroup_barrier(mem_flags::mem_device);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = scratch[63 - t] + tile[63 - t];
}

//@ kernel none_orders_nothing_that_is_shared
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void none_orders_nothing_that_is_shared(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_none);
  out[t] = tile[t];
}

//@ kernel subgroup_barriers_with_the_right_flags
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 64 zero
//@ buffer 1 f16 64 zero
//@ expect none
kernel void subgroup_barriers_with_the_right_flags(device half* scratch [[buffer(0)]], device half* out [[buffer(1)]],
                                                   uint t [[thread_index_in_threadgroup]]) {
  threadgroup half tile[64];
  scratch[t] = half(t);
  simdgroup_barrier(mem_flags::mem_device);
  tile[t] = scratch[t ^ 1];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t ^ 16];
}

//@ kernel fragment_store_then_threadgroup
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect none
//@ result 0 value 3
kernel void fragment_store_then_threadgroup(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(3.0f);
  simdgroup_store(m, tile, 8);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t];
  out[t + 32] = tile[t + 32];
}

//@ kernel hints_around_fragment_loads
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 value 8
kernel void hints_around_fragment_loads(device const float* in [[buffer(0)]], device float* out [[buffer(1)]]) {
  simdgroup_float8x8 m, product;
  simdgroup_barrier(mem_flags::mem_none);
  simdgroup_load(m, in, 8);
  simdgroup_barrier(mem_flags::mem_none);
  simdgroup_multiply(product, m, m);
  simdgroup_store(product, out, 8);
}

//@ kernel read_then_written_needs_no_flag
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 192 value 1
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 value 3
kernel void read_then_written_needs_no_flag(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                            uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[64];
  float sum = 0.0f;
  for (uint k = 0; k < 3; ++k) {
    stage[t] = in[k * 64 + t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += stage[63 - t];
    threadgroup_barrier(mem_flags::mem_none);
  }
  out[t] = sum;
}
