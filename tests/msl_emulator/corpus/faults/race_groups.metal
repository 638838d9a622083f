//@ dialect opencl c++20
// Conflicting accesses of two groups of one launch: no barrier orders groups.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel tiles_overlap_by_four
//@ launch groups=4,1,1 threads=64,1,1
//@ buffer 0 f32 256 zero
//@ expect race object=out
kernel void tiles_overlap_by_four(device float* out [[buffer(0)]], uint g [[threadgroup_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]]) {
  out[g * 60 + t] = float(t);  // <- race
}

//@ kernel reads_what_the_next_group_writes
//@ launch groups=4,1,1 threads=32,1,1
//@ buffer 0 f32 160 iota
//@ expect race object=data
kernel void reads_what_the_next_group_writes(device float* data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const float next = data[i + 32];  // <- race
  data[i] = next;  // <- race
}

//@ kernel two_readers_one_writer
//@ launch groups=3,1,1 threads=32,1,1
//@ buffer 0 u32 1 zero
//@ buffer 1 u32 96 zero
//@ expect race object=flag
kernel void two_readers_one_writer(device uint* flag [[buffer(0)]], device uint* out [[buffer(1)]],
                                   uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  if (g == 2) {
    if (t == 0) flag[0] = 1;  // <- race
  } else {
    out[g * 32 + t] = flag[0];  // <- race
  }
}

//@ kernel writer_reads_first
//@ launch groups=3,1,1 threads=1,1,1
//@ buffer 0 u32 1 zero
//@ buffer 1 u32 3 zero
//@ expect race object=flag
kernel void writer_reads_first(device uint* flag [[buffer(0)]], device uint* out [[buffer(1)]],
                               uint g [[threadgroup_position_in_grid]]) {
  out[g] = flag[0];  // <- race
  if (g == 1) flag[0] = 1;  // <- race
}

//@ kernel barrier_does_not_order_groups
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect race object=stage
kernel void barrier_does_not_order_groups(device float* stage [[buffer(0)]], device float* out [[buffer(1)]],
                                          uint g [[threadgroup_position_in_grid]],
                                          uint t [[thread_index_in_threadgroup]]) {
  stage[g * 32 + t] = float(t);  // <- race
  threadgroup_barrier(mem_flags::mem_device);
  out[g * 32 + t] = stage[(1 - g) * 32 + t];  // <- race
}

//@ kernel atomic_against_plain
//@ launch groups=4,1,1 threads=32,1,1
//@ buffer 0 u32 1 zero
//@ buffer 1 u32 4 zero
//@ expect race object=count
kernel void atomic_against_plain(device uint* count [[buffer(0)]], device uint* out [[buffer(1)]],
                                 uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  atomic_fetch_add_explicit((device atomic_uint*)count, 1u, memory_order_relaxed);  // <- race
  if (t == 0) out[g] = count[0];  // <- race
}

//@ kernel fragments_of_two_groups
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 128 uninitialized
//@ expect race object=c
kernel void fragments_of_two_groups(device float* c [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 one = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_store(one, c + g * 4, 16);  // <- race
}

//@ kernel bias_row_written_by_all
//@ launch groups=1,3,1 threads=32,1,1
//@ buffer 0 f16 32 zero
//@ buffer 1 f16 96 zero
//@ expect race object=bias
kernel void bias_row_written_by_all(device half* bias [[buffer(0)]], device half* out [[buffer(1)]],
                                    uint2 g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  bias[t] = half(t);  // <- race
  out[g.y * 32 + t] = 1.0h;
}
