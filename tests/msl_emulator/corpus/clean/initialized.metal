//@ dialect opencl c++20
// Twins of faults/uninitialized_read.metal: everything that is read was written.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel whole_tile_written
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 f32 128 zero
//@ expect none
kernel void whole_tile_written(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
  threadgroup float tile[64];
  if (t < 32) {
    tile[t] = float(t);
    tile[t + 32] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[g * 64 + t] = tile[t];
}

//@ kernel only_the_written_half_is_read
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void only_the_written_half_is_read(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  if (t < 32) tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = t < 32 ? tile[31 - t] : 0.0f;
}

//@ kernel output_written_then_updated
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 32 uninitialized
//@ expect none
//@ result 1 iota
kernel void output_written_then_updated(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                        uint t [[thread_index_in_threadgroup]]) {
  out[t] = 0.0f;
  out[t] += in[t];
}

//@ kernel accumulator_filled
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 64 value 2
//@ buffer 2 f32 64 uninitialized
//@ expect none
//@ result 2 value 16
kernel void accumulator_filled(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                               device float* c [[buffer(2)]]) {
  simdgroup_float8x8 left, right, sum(0.0f);
  simdgroup_load(left, a, 8);
  simdgroup_load(right, b, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, c, 8);
}

//@ kernel product_needs_no_filling
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 64 value 1
//@ buffer 1 f32 64 uninitialized
//@ expect none
//@ result 1 value 8
kernel void product_needs_no_filling(device const half* a [[buffer(0)]], device float* c [[buffer(1)]]) {
  simdgroup_half8x8 left;
  simdgroup_float8x8 product, zero = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_load(left, a, 8);
  simdgroup_multiply_accumulate(product, left, left, zero);
  simdgroup_store(product, c, 8);
}

//@ kernel both_elements_set
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 64 uninitialized
//@ expect none
//@ result 1 value 8
kernel void both_elements_set(device const float* a [[buffer(0)]], device float* c [[buffer(1)]]) {
  simdgroup_float8x8 left, right, product;
  simdgroup_load(left, a, 8);
  right.thread_elements()[0] = 1.0f;
  right.thread_elements()[1] = 1.0f;
  simdgroup_multiply(product, left, right);
  simdgroup_store(product, c, 8);
}

//@ kernel counter_cleared
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 1 zero
//@ expect none
//@ result 0 value 64
kernel void counter_cleared(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
  if (t == 0) atomic_store_explicit(&count, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) out[0] = atomic_load_explicit(&count, memory_order_relaxed);
}

//@ kernel padding_column_filled
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 31 iota
//@ buffer 1 f32 32 zero
//@ expect none
kernel void padding_column_filled(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                  uint t [[thread_index_in_threadgroup]]) {
  threadgroup float row[32];
  row[t] = t < 31 ? in[t] : 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = row[31 - t];
}

//@ kernel fragment_of_written_rows
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 uninitialized
//@ expect none
//@ result 0 iota
kernel void fragment_of_written_rows(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  tile[t + 32] = float(t + 32);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m;
  simdgroup_load(m, tile, 8);
  simdgroup_store(m, out, 8);
}

//@ kernel nan_in_the_data_is_a_value
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 value nan
//@ buffer 1 f32 64 zero
//@ expect none
kernel void nan_in_the_data_is_a_value(device const float* in [[buffer(0)]], device float* out [[buffer(1)]]) {
  simdgroup_float8x8 m, product = make_filled_simdgroup_matrix<float, 8, 8>(NAN);
  simdgroup_load(m, in, 8);
  simdgroup_multiply_accumulate(product, m, m, product);
  simdgroup_store(product, out, 8);
}

//@ kernel halves_written_one_by_one
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 64 uninitialized
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 iota
kernel void halves_written_one_by_one(device half* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                                      uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = half(t);
  out[t] = float(scratch[t]);
}
