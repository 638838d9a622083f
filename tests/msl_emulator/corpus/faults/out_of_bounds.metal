//@ dialect opencl c++20
// Accesses that leave their object: by one element, by one row, below its start, into a neighbour.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel read_one_past
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 iota
//@ buffer 1 f32 64 zero
//@ expect out_of_bounds object=in byte=256 element=64
kernel void read_one_past(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                          uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[t + 1];  // <- out_of_bounds
}

//@ kernel write_one_past
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 63 zero
//@ expect out_of_bounds object=out byte=252 element=63
kernel void write_one_past(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = float(i);  // <- out_of_bounds
}

//@ kernel read_below_start
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 32 zero
//@ expect out_of_bounds object=in byte=-4 element=-1
kernel void read_below_start(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                             uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[int(t) - 1];  // <- out_of_bounds
}

//@ kernel threadgroup_one_past
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect out_of_bounds object=tile byte=256 element=64
kernel void threadgroup_one_past(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[t + 1] = float(t);  // <- out_of_bounds
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t];
}

//@ kernel threadgroup_into_neighbour
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect out_of_bounds object=first
kernel void threadgroup_into_neighbour(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float first[32];
  threadgroup float second[32];
  first[t] = 1.0f;
  second[t] = 2.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = first[t + 32] + second[t];  // <- out_of_bounds
}

//@ kernel host_sized_too_short
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 112
//@ expect out_of_bounds object=shared byte=112 element=28
//@ allow out_of_bounds at=read object=shared
//@ allow uninitialized_read at=read object=shared
kernel void host_sized_too_short(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                                 uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);  // <- out_of_bounds
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = shared[t];  // <- read
}

//@ kernel vector_across_end
//@ launch groups=1,1,1 threads=16,1,1
//@ buffer 0 f32 62 iota
//@ buffer 1 f32 64 zero
//@ expect out_of_bounds object=in
kernel void vector_across_end(device const float4* in [[buffer(0)]], device float4* out [[buffer(1)]],
                              uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[t];  // <- out_of_bounds
}

//@ kernel tail_of_k
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 160 mixed
//@ buffer 1 f32 160 mixed
//@ buffer 2 f32 64 uninitialized
//@ expect out_of_bounds object=b
//@ expect out_of_bounds object=a at=a
kernel void tail_of_k(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                      device float* c [[buffer(2)]]) {
  const uint K = 20;  // a is 8 x 20, b is 20 x 8: the third step of 8 runs past both
  simdgroup_float8x8 left, right, sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k = 0; k < K; k += 8) {
    simdgroup_load(left, a + k, K);  // <- a
    simdgroup_load(right, b + k * 8, 8);  // <- out_of_bounds
    simdgroup_multiply_accumulate(sum, left, right, sum);
  }
  simdgroup_store(sum, c, 8);
}

//@ kernel fragment_store_past_edge
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 96 zero
//@ expect out_of_bounds object=c
kernel void fragment_store_past_edge(device float* c [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 one = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_store(one, c + g * 64, 8);  // <- out_of_bounds
}

//@ kernel parameters_too_short
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 4 zero
//@ buffer 1 u32 2 values 1 2
//@ expect out_of_bounds object=sizes byte=8
struct Sizes {
  uint m, n, k;
};
kernel void parameters_too_short(device uint* out [[buffer(0)]], constant Sizes& sizes [[buffer(1)]]) {
  out[0] = sizes.m;
  out[1] = sizes.n;
  out[2] = sizes.k;  // <- out_of_bounds
}

//@ kernel atomic_past_end
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 16 zero
//@ expect out_of_bounds object=bins
kernel void atomic_past_end(device atomic_uint* bins [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  atomic_fetch_add_explicit(&bins[t], 1u, memory_order_relaxed);  // <- out_of_bounds
}

//@ kernel last_group_unguarded
//@ launch groups=4,1,1 threads=32,1,1
//@ buffer 0 f16 100 mixed
//@ buffer 1 f16 100 zero
//@ expect out_of_bounds object=in at=access
//@ expect out_of_bounds object=out at=access
kernel void last_group_unguarded(device const half* in [[buffer(0)]], device half* out [[buffer(1)]],
                                 uint i [[thread_position_in_grid]]) {
  out[i] = in[i] * 2.0h;  // <- access
}

//@ kernel row_past_matrix
//@ launch groups=1,1,1 threads=8,5,1
//@ buffer 0 i32 32 iota
//@ buffer 1 i32 40 zero
//@ expect out_of_bounds object=in element=32
kernel void row_past_matrix(device const int* in [[buffer(0)]], device int* out [[buffer(1)]],
                            uint2 p [[thread_position_in_threadgroup]]) {
  out[p.y * 8 + p.x] = in[p.y * 8 + p.x];  // <- out_of_bounds
}
