//@ dialect opencl c++20
// Twins of faults/race.metal and faults/barrier_divergence.metal: the barrier is there and all reach it.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel reversed_with_barrier
//@ launch groups=3,1,1 threads=64,1,1
//@ buffer 0 f32 192 zero
//@ expect none
kernel void reversed_with_barrier(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                                  uint i [[thread_position_in_grid]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = tile[63 - t];
}

//@ kernel one_thread_writes
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
//@ result 0 value 5
kernel void one_thread_writes(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float last;
  if (t == 63) last = 5.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = last;
}

//@ kernel own_word_needs_no_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void own_word_needs_no_barrier(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  for (uint i = 0; i < 4; ++i) {
    tile[t] = float(t + i);
    out[t] += tile[t];
  }
}

//@ kernel staged_loop
//@ launch groups=1,1,1 threads=128,1,1
//@ buffer 0 f32 512 value 2
//@ buffer 1 f32 128 zero
//@ expect none
//@ result 1 value 8
kernel void staged_loop(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                        uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[128];
  float sum = 0.0f;
  for (uint k = 0; k < 4; ++k) {
    stage[t] = in[k * 128 + t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += stage[(t + 64) % 128];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[t] = sum;
}

//@ kernel double_buffer_with_one_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 320 value 1
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 value 4
kernel void double_buffer_with_one_barrier(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                           uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[2][64];
  stage[0][t] = in[t];
  float sum = 0.0f;
  for (uint k = 0; k < 4; ++k) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += stage[k % 2][63 - t];
    stage[(k + 1) % 2][t] = in[(k + 1) * 64 + t];
  }
  out[t] = sum;
}

//@ kernel subgroup_barrier_inside_a_subgroup
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void subgroup_barrier_inside_a_subgroup(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t ^ 31];
}

//@ kernel fragment_footprints_touch
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 128 uninitialized
//@ expect none
kernel void fragment_footprints_touch(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                                      ushort s [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[8 * 40];
  for (uint i = t; i < 320; i += 64) tile[i] = float(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
  if (s == 0) {
    simdgroup_store(m, tile + 8, 40);
  } else {
    simdgroup_load(m, tile + 16, 40);
  }
  simdgroup_store(m, out + s * 64, 8);
}

//@ kernel halves_side_by_side
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 f16 128 zero
//@ buffer 1 u8 128 zero
//@ expect none
kernel void halves_side_by_side(device half* halves [[buffer(0)]], device uchar* bytes [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup half tile[64];
  threadgroup uchar marks[64];
  tile[t] = half(t);
  marks[t] = uchar(t);
  halves[i] = tile[t];
  bytes[i] = marks[t];
}

//@ kernel reduction_tree
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 value 3
//@ buffer 1 f32 1 zero
//@ expect none
//@ result 1 value 192
kernel void reduction_tree(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                           uint t [[thread_index_in_threadgroup]]) {
  threadgroup float part[64];
  part[t] = in[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint s = 32; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) out[0] = part[0];
}

//@ kernel atomics_need_no_barrier
//@ launch groups=1,1,1 threads=96,1,1
//@ buffer 0 u32 1 zero
//@ expect none
//@ result 0 value 96
kernel void atomics_need_no_barrier(device atomic_uint* count [[buffer(0)]]) {
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
}

//@ kernel readers_then_the_writer
//@ launch groups=1,1,1 threads=96,1,1
//@ buffer 0 f32 96 zero
//@ expect none
kernel void readers_then_the_writer(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float value[1];
  if (t == 0) value[0] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float seen = value[0];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 64) value[0] = 2.0f;
  out[t] = seen;
}

//@ kernel exit_behind_the_last_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void exit_behind_the_last_barrier(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t >= 48) return;
  out[t] = tile[47 - t];
}

//@ kernel whole_group_exits
//@ launch groups=4,1,1 threads=64,1,1
//@ buffer 0 f32 256 zero
//@ expect none
kernel void whole_group_exits(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
  threadgroup float tile[64];
  if (g % 2 == 1) return;
  tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[g * 64 + t] = tile[63 - t];
}

//@ kernel groups_take_different_barriers
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 u32 128 zero
//@ expect none
kernel void groups_take_different_barriers(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                           uint g [[threadgroup_position_in_grid]]) {
  if (g == 0) {
    threadgroup_barrier(mem_flags::mem_none);
  } else {
    for (uint k = 0; k < 3; ++k) threadgroup_barrier(mem_flags::mem_none);
  }
  out[i] = i;
}

//@ kernel guard_around_the_work_only
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 48 zero
//@ expect none
kernel void guard_around_the_work_only(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[48];
  if (t < 48) tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < 48) out[t] = tile[47 - t];
}

//@ kernel subgroups_take_different_subgroup_barriers
//@ launch groups=1,1,1 threads=96,1,1
//@ buffer 0 u32 96 zero
//@ expect none
kernel void subgroups_take_different_subgroup_barriers(device uint* out [[buffer(0)]],
                                                       uint t [[thread_index_in_threadgroup]],
                                                       ushort s [[simdgroup_index_in_threadgroup]]) {
  for (ushort i = 0; i < s; ++i) simdgroup_barrier(mem_flags::mem_none);
  if (s == 1) simdgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup_barrier(mem_flags::mem_none);
  out[t] = t;
}

//@ kernel part_of_a_subgroup_sums
//@ launch groups=1,1,1 threads=48,1,1
//@ buffer 0 u32 48 zero
//@ expect none
kernel void part_of_a_subgroup_sums(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  uint sum = 1;
  if (t % 2 == 0) sum = simd_sum(1u);
  out[t] = sum;
}

//@ kernel one_subgroup_multiplies
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 64 zero
//@ expect none
//@ result 1 value 8
kernel void one_subgroup_multiplies(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                    ushort s [[simdgroup_index_in_threadgroup]]) {
  if (s == 1) {
    simdgroup_float8x8 m, product;
    simdgroup_load(m, in, 8);
    simdgroup_multiply(product, m, m);
    simdgroup_store(product, out, 8);
  }
  threadgroup_barrier(mem_flags::mem_none);
}

//@ kernel barrier_in_a_function_for_all
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 64 zero
//@ expect none
//@ result 0 iota
inline void wait_for_all() { threadgroup_barrier(mem_flags::mem_threadgroup); }
kernel void barrier_in_a_function_for_all(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  wait_for_all();
  out[i] = i;
  wait_for_all();
}
