//@ dialect opencl c++20
// A barrier stands between the accesses, but does not order the memory they use.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel none_for_threadgroup_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect wrong_fence object=tile
kernel void none_for_threadgroup_memory(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_none);
  out[t] = tile[63 - t];  // <- wrong_fence
}

//@ kernel device_for_threadgroup_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect wrong_fence object=tile
kernel void device_for_threadgroup_memory(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_device);
  out[t] = tile[63 - t];  // <- wrong_fence
}

//@ kernel threadgroup_for_device_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect wrong_fence object=scratch
kernel void threadgroup_for_device_memory(device float* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                                          uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = float(t);  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = scratch[63 - t];  // <- wrong_fence
}

//@ kernel texture_for_threadgroup_memory
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ threadgroup 0 256
//@ expect wrong_fence object=shared
kernel void texture_for_threadgroup_memory(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                                           uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_texture);
  out[t] = shared[63 - t];  // <- wrong_fence
}

//@ kernel subgroup_barrier_with_none
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect wrong_fence object=tile
kernel void subgroup_barrier_with_none(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[t] = float(t);  // <- wrong_fence
  simdgroup_barrier(mem_flags::mem_none);
  out[t] = tile[t ^ 1];  // <- wrong_fence
}

//@ kernel subgroup_barrier_with_device
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect wrong_fence object=tile
kernel void subgroup_barrier_with_device(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[t] = float(t);  // <- wrong_fence
  simdgroup_barrier(mem_flags::mem_device);
  out[t] = tile[31 - t];  // <- wrong_fence
}

//@ kernel subgroup_barrier_for_device_memory
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 32 zero
//@ buffer 1 f16 32 zero
//@ expect wrong_fence object=scratch
kernel void subgroup_barrier_for_device_memory(device half* scratch [[buffer(0)]], device half* out [[buffer(1)]],
                                               uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = half(t);  // <- wrong_fence
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = scratch[31 - t];  // <- wrong_fence
}

//@ kernel fragment_store_then_none
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect wrong_fence object=tile
kernel void fragment_store_then_none(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(3.0f);
  simdgroup_store(m, tile, 8);  // <- wrong_fence
  simdgroup_barrier(mem_flags::mem_none);
  out[t] = tile[t];  // <- wrong_fence
  out[t + 32] = tile[t + 32];  // <- wrong_fence
}

//@ kernel stage_published_with_none
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 192 mixed
//@ buffer 1 f32 64 zero
//@ expect wrong_fence object=stage
kernel void stage_published_with_none(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                      uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[64];
  float sum = 0.0f;
  for (uint k = 0; k < 3; ++k) {
    stage[t] = in[k * 64 + t];  // <- wrong_fence
    threadgroup_barrier(mem_flags::mem_none);
    sum += stage[63 - t];  // <- wrong_fence
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[t] = sum;
}

//@ kernel two_writes_with_none_between
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect wrong_fence object=out
kernel void two_writes_with_none_between(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[t] = 1.0f;  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_none);
  if (t < 32) out[t + 32] = 2.0f;  // <- wrong_fence
}

//@ kernel two_wrong_ones_make_no_right
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect wrong_fence object=tile
kernel void two_wrong_ones_make_no_right(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);  // <- wrong_fence
  threadgroup_barrier(mem_flags::mem_none);
  threadgroup_barrier(mem_flags::mem_device);
  out[t] = tile[(t + 40) % 64];  // <- wrong_fence
}
