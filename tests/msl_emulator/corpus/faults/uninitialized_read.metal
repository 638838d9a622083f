//@ dialect opencl c++20
// Values that nobody wrote: threadgroup memory, registers of fragments, outputs.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel half_written_tile
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect uninitialized_read object=tile
kernel void half_written_tile(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  if (t < 32) tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t];  // <- uninitialized_read
}

//@ kernel host_sized_never_written
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 128
//@ expect uninitialized_read object=shared
kernel void host_sized_never_written(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                                     uint t [[thread_index_in_threadgroup]]) {
  out[t] = shared[t];  // <- uninitialized_read
}

//@ kernel accumulates_onto_output
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 32 uninitialized
//@ expect uninitialized_read object=out
kernel void accumulates_onto_output(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                    uint t [[thread_index_in_threadgroup]]) {
  out[t] += in[t];  // <- uninitialized_read
}

//@ kernel accumulator_not_filled
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 64 mixed
//@ buffer 2 f32 64 uninitialized
//@ expect uninitialized_read
//@ allow uninitialized_read at=store
kernel void accumulator_not_filled(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                                   device float* c [[buffer(2)]]) {
  simdgroup_float8x8 left, right, sum;
  simdgroup_load(left, a, 8);
  simdgroup_load(right, b, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);  // <- uninitialized_read
  simdgroup_store(sum, c, 8);  // <- store
}

//@ kernel stores_default_fragment
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 uninitialized
//@ expect uninitialized_read
kernel void stores_default_fragment(device float* c [[buffer(0)]]) {
  simdgroup_float8x8 nothing;
  simdgroup_store(nothing, c, 8);  // <- uninitialized_read
}

//@ kernel half_of_the_elements_set
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 64 uninitialized
//@ expect uninitialized_read
//@ allow uninitialized_read at=store
kernel void half_of_the_elements_set(device const float* a [[buffer(0)]], device float* c [[buffer(1)]]) {
  simdgroup_float8x8 left, right, product;
  simdgroup_load(left, a, 8);
  right.thread_elements()[0] = 1.0f;
  simdgroup_multiply(product, left, right);  // <- uninitialized_read
  simdgroup_store(product, c, 8);  // <- store
}

//@ kernel half_operand_never_loaded
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 64 mixed
//@ buffer 1 f32 64 uninitialized
//@ expect uninitialized_read
//@ allow uninitialized_read at=store
kernel void half_operand_never_loaded(device const half* b [[buffer(0)]], device float* c [[buffer(1)]]) {
  simdgroup_half8x8 left, right;
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_load(right, b, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);  // <- uninitialized_read
  simdgroup_store(sum, c, 8);  // <- store
}

//@ kernel counter_not_cleared
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 1 zero
//@ expect uninitialized_read object=count
kernel void counter_not_cleared(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint count;
  atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);  // <- uninitialized_read
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) out[0] = atomic_load_explicit(&count, memory_order_relaxed);
}

//@ kernel padding_column_read
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 31 iota
//@ buffer 1 f32 32 zero
//@ expect uninitialized_read object=row element=31
kernel void padding_column_read(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                uint t [[thread_index_in_threadgroup]]) {
  threadgroup float row[32];
  if (t < 31) row[t] = in[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = row[31 - t];  // <- uninitialized_read
}

//@ kernel left_by_another_group
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect uninitialized_read object=tile
kernel void left_by_another_group(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
  threadgroup float tile[32];
  if (g == 0) tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[g * 32 + t] = tile[t];  // <- uninitialized_read
}

//@ kernel fragment_of_unwritten_rows
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 uninitialized
//@ expect uninitialized_read object=tile
//@ allow uninitialized_read at=store
kernel void fragment_of_unwritten_rows(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m;
  simdgroup_load(m, tile, 8);  // <- uninitialized_read
  simdgroup_store(m, out, 8);  // <- store
}

//@ kernel poisoned_scratch
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 64 uninitialized
//@ buffer 1 f32 64 zero
//@ expect uninitialized_read object=scratch
kernel void poisoned_scratch(device half* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                             uint t [[thread_index_in_threadgroup]]) {
  if (t % 2 == 0) scratch[t] = half(t);
  out[t] = float(scratch[t]);  // <- uninitialized_read
}
