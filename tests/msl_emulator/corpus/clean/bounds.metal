//@ dialect opencl c++20
// Twins of faults/out_of_bounds.metal: the last access is the last element.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel reads_to_the_last
//@ launch groups=1,1,1 threads=63,1,1
//@ buffer 0 f32 64 iota
//@ buffer 1 f32 64 zero
//@ expect none
kernel void reads_to_the_last(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                              uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[t + 1];
}

//@ kernel writes_to_the_last
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect none
//@ result 0 iota
//@ case with_a_partial_last_group
//@ launch grid=63,1,1 threads=32,1,1
//@ buffer 0 f32 63 zero
//@ expect none
//@ result 0 iota
kernel void writes_to_the_last(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = float(i);
}

//@ kernel reads_the_first
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 32 zero
//@ expect none
kernel void reads_the_first(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                            uint t [[thread_index_in_threadgroup]]) {
  out[t] = t > 0 ? in[int(t) - 1] : in[0];
}

//@ kernel threadgroup_to_the_last
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void threadgroup_to_the_last(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[65];
  tile[t] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[t + 1] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t];
}

//@ kernel two_tiles_side_by_side
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect none
//@ result 0 value 3
kernel void two_tiles_side_by_side(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float first[32];
  threadgroup float second[32];
  first[t] = 1.0f;
  second[t] = 2.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = first[31 - t] + second[31 - t];
}

//@ kernel host_sized_exactly
//@ launch groups=1,1,1 threads=28,1,1
//@ buffer 0 f32 28 zero
//@ threadgroup 0 112
//@ expect none
//@ result 0 iota
kernel void host_sized_exactly(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                               uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = shared[t];
}

//@ kernel vectors_to_the_end
//@ launch groups=1,1,1 threads=16,1,1
//@ buffer 0 f32 64 iota
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 iota
kernel void vectors_to_the_end(device const float4* in [[buffer(0)]], device float4* out [[buffer(1)]],
                               uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[t];
}

//@ kernel tail_of_k_is_guarded
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 160 value 1
//@ buffer 1 f32 160 value 2
//@ buffer 2 f32 64 uninitialized
//@ expect none
//@ result 2 value 40
kernel void tail_of_k_is_guarded(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                                 device float* c [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {
  const uint K = 20;
  threadgroup float left_tail[64];
  threadgroup float right_tail[64];
  simdgroup_float8x8 left, right, sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k = 0; k + 8 <= K; k += 8) {
    simdgroup_load(left, a + k, K);
    simdgroup_load(right, b + k * 8, 8);
    simdgroup_multiply_accumulate(sum, left, right, sum);
  }
  for (uint i = t; i < 64; i += 32) {
    left_tail[i] = i % 8 < 4 ? a[i / 8 * K + 16 + i % 8] : 0.0f;
    right_tail[i] = i / 8 < 4 ? b[(16 + i / 8) * 8 + i % 8] : 0.0f;
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(left, left_tail, 8);
  simdgroup_load(right, right_tail, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, c, 8);
}

//@ kernel fragment_stores_to_the_edge
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 156 zero
//@ expect none
kernel void fragment_stores_to_the_edge(device float* c [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 one = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_store(one, c + g * 8, 20);
}

//@ kernel parameters_fit
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 3 zero
//@ buffer 1 u32 3 values 1 2 3
//@ expect none
//@ result 0 values 1 2 3
struct Sizes {
  uint m, n, k;
};
kernel void parameters_fit(device uint* out [[buffer(0)]], constant Sizes& sizes [[buffer(1)]]) {
  out[0] = sizes.m;
  out[1] = sizes.n;
  out[2] = sizes.k;
}

//@ kernel atomics_to_the_end
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 16 zero
//@ expect none
//@ result 0 value 4
kernel void atomics_to_the_end(device atomic_uint* bins [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  atomic_fetch_add_explicit(&bins[t % 16], 1u, memory_order_relaxed);
}

//@ kernel last_group_guarded
//@ launch groups=4,1,1 threads=32,1,1
//@ buffer 0 f16 100 value 3
//@ buffer 1 f16 100 zero
//@ expect none
//@ result 1 value 6
kernel void last_group_guarded(device const half* in [[buffer(0)]], device half* out [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
  if (i < 100) out[i] = in[i] * 2.0h;
}

//@ kernel byte_rows
//@ launch groups=1,1,1 threads=5,3,1
//@ buffer 0 u8 15 iota
//@ buffer 1 u8 15 zero
//@ expect none
//@ result 1 iota
kernel void byte_rows(device const uchar* in [[buffer(0)]], device uchar* out [[buffer(1)]],
                      uint2 p [[thread_position_in_threadgroup]]) {
  out[p.y * 5 + p.x] = in[p.y * 5 + p.x];
}
