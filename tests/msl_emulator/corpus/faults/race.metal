//@ dialect opencl c++20
// Conflicting accesses inside one group that no barrier separates.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel reversed_without_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect race object=tile
//@ allow uninitialized_read at=read object=tile
kernel void reversed_without_barrier(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);  // <- race
  out[t] = tile[63 - t];  // <- race, read
}

//@ kernel all_write_one_word
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect race object=last byte=0
kernel void all_write_one_word(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float last;
  last = float(t);  // <- race
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = last;
}

//@ kernel same_value_is_a_race_too
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 1 zero
//@ expect race object=found
kernel void same_value_is_a_race_too(device uint* found [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t % 16 == 3) found[0] = 1;  // <- race
}

//@ kernel loop_back_barrier_missing
//@ launch groups=1,1,1 threads=128,1,1
//@ buffer 0 f32 512 mixed
//@ buffer 1 f32 128 zero
//@ expect race object=stage
kernel void loop_back_barrier_missing(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                      uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[128];
  float sum = 0.0f;
  for (uint k = 0; k < 4; ++k) {
    stage[t] = in[k * 128 + t];  // <- race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += stage[(t + 64) % 128];  // <- race
  }
  out[t] = sum;
}

//@ kernel subgroup_barrier_between_subgroups
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect race object=tile
kernel void subgroup_barrier_between_subgroups(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[t] = float(t);  // <- race
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = tile[t ^ 32];  // <- race
}

//@ kernel lanes_are_not_in_lockstep
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect race object=tile
kernel void lanes_are_not_in_lockstep(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[t] = 0.0f;
  simdgroup_barrier(mem_flags::mem_threadgroup);
  tile[t] = float(t);  // <- race
  out[t] = tile[t ^ 1];  // <- race
}

//@ kernel fragment_footprints_overlap
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 128 uninitialized
//@ expect race object=tile
kernel void fragment_footprints_overlap(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                                        ushort s [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[8 * 40];
  for (uint i = t; i < 320; i += 64) tile[i] = float(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(2.0f);
  if (s == 0) {
    simdgroup_store(m, tile + 8, 40);  // <- race
  } else {
    simdgroup_load(m, tile + 12, 40);  // <- race
  }
  simdgroup_store(m, out + s * 64, 8);
}

//@ kernel device_scratch_without_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ buffer 1 f32 64 zero
//@ expect race object=scratch
kernel void device_scratch_without_barrier(device float* scratch [[buffer(0)]], device float* out [[buffer(1)]],
                                           uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = float(t);  // <- race
  out[t] = scratch[(t + 33) % 64];  // <- race
}

//@ kernel last_steps_without_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 1 zero
//@ expect race object=part
kernel void last_steps_without_barrier(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                       uint t [[thread_index_in_threadgroup]]) {
  threadgroup float part[64];
  part[t] = in[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint s = 32; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];  // <- race
    if (s > 8) threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) out[0] = part[0];
}

//@ kernel two_stages_three_apart
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 384 mixed
//@ buffer 1 f32 64 zero
//@ expect race object=stage
kernel void two_stages_three_apart(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                   uint t [[thread_index_in_threadgroup]]) {
  threadgroup float stage[2][64];
  stage[0][t] = in[t];
  stage[1][t] = in[64 + t];
  float sum = 0.0f;
  for (uint k = 0; k < 4; ++k) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += stage[k % 2][63 - t];  // <- race
    stage[k % 2][t] = in[(k + 2) * 64 + t];  // <- race
  }
  out[t] = sum;
}

//@ kernel counter_cleared_without_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 64 zero
//@ expect race object=count
//@ allow uninitialized_read at=add object=count
kernel void counter_cleared_without_barrier(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint count;
  if (t == 0) count = 0;  // <- race
  atomic_fetch_add_explicit((threadgroup atomic_uint*)&count, 1u, memory_order_relaxed);  // <- race, add
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = count;
}

//@ kernel reader_then_other_writer
//@ launch groups=1,1,1 threads=96,1,1
//@ buffer 0 f32 96 zero
//@ expect race object=value
kernel void reader_then_other_writer(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float value[1];
  if (t == 0) value[0] = 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 64) {
    value[0] = 2.0f;  // <- race
  } else {
    out[t] = value[0];  // <- race
  }
}

//@ kernel neighbouring_halves_overlap
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 66 zero
//@ expect race object=out
kernel void neighbouring_halves_overlap(device half* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[2 * t] = half(t);  // <- race
  out[2 * t + 1] = half(t);
  out[2 * t + 2] = half(t);  // <- race
}
