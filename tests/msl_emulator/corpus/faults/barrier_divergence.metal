//@ dialect opencl c++20
// Collectives that some of their lanes never reach, or reach elsewhere.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel early_exit
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect barrier_divergence
kernel void early_exit(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  tile[t] = float(t);
  if (t >= 48) return;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // <- barrier_divergence
  out[t] = tile[47 - t];
}

//@ kernel whole_subgroup_exits
//@ launch groups=1,1,1 threads=256,1,1
//@ buffer 0 f32 256 zero
//@ expect barrier_divergence
kernel void whole_subgroup_exits(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[256];
  if (t >= 128) return;
  tile[t] = float(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // <- barrier_divergence
  out[t] = tile[127 - t];
}

//@ kernel differing_sites
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 zero
//@ expect barrier_divergence
kernel void differing_sites(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t < 32) {
    out[t] = 1.0f;
    threadgroup_barrier(mem_flags::mem_device);  // <- barrier_divergence
  } else {
    out[t] = 2.0f;
    threadgroup_barrier(mem_flags::mem_device);  // <- barrier_divergence
  }
}

//@ kernel sites_on_one_line
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 64 zero
//@ expect barrier_divergence
kernel void sites_on_one_line(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  t < 32 ? threadgroup_barrier(mem_flags::mem_none) : threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  out[t] = t;
}

//@ kernel guarded_by_lane
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect barrier_divergence
kernel void guarded_by_lane(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  tile[t] = float(t);
  if (t % 4 == 0) {
    for (uint i = 0; i < 2; ++i) {
      threadgroup_barrier(mem_flags::mem_threadgroup);  // <- barrier_divergence
      out[t] += tile[(t + 4) % 32];
    }
  }
}

//@ kernel trip_counts_differ
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 64 zero
//@ expect barrier_divergence
kernel void trip_counts_differ(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  for (uint i = 0; i < 1 + t / 32; ++i) {
    out[t] += i;
    threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  }
}

//@ kernel one_more_barrier_behind
//@ launch groups=1,1,1 threads=96,1,1
//@ buffer 0 u32 96 zero
//@ expect barrier_divergence
kernel void one_more_barrier_behind(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t < 64) threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  out[t] = t;
  threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
}

//@ kernel partial_subgroup_barrier
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 zero
//@ expect barrier_divergence
kernel void partial_subgroup_barrier(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t < 16) simdgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  out[t] = t;
}

//@ kernel partial_subgroup_loads_fragment
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 64 zero
//@ expect barrier_divergence
kernel void partial_subgroup_loads_fragment(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                            uint t [[thread_index_in_threadgroup]]) {
  if (t != 7) {
    simdgroup_float8x8 m;
    simdgroup_load(m, in, 8);  // <- barrier_divergence
    out[t] = m.thread_elements()[0];
  }
}

//@ kernel partial_subgroup_multiplies
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 128 zero
//@ expect barrier_divergence
kernel void partial_subgroup_multiplies(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                        uint t [[thread_index_in_threadgroup]]) {
  simdgroup_float8x8 m, product = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_load(m, in, 8);
  if (t < 48) simdgroup_multiply_accumulate(product, m, m, product);  // <- barrier_divergence
  out[2 * t] = product.thread_elements()[0];
  out[2 * t + 1] = product.thread_elements()[1];
}

//@ kernel subgroup_and_group_barriers_mixed
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u32 32 zero
//@ expect barrier_divergence
kernel void subgroup_and_group_barriers_mixed(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t < 8) {
    simdgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  } else {
    threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  }
  out[t] = t;
}

//@ kernel continue_skips_it
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 u32 64 zero
//@ expect barrier_divergence
kernel void continue_skips_it(device uint* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  for (uint i = 0; i < 3; ++i) {
    if (t == 5 && i == 1) continue;
    out[t] += i;
    threadgroup_barrier(mem_flags::mem_none);  // <- barrier_divergence
  }
}

//@ kernel barrier_in_a_called_function
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 64 zero
//@ expect barrier_divergence
inline void wait_for_all() {
  threadgroup_barrier(mem_flags::mem_threadgroup);  // <- barrier_divergence
}
kernel void barrier_in_a_called_function(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i != 40) wait_for_all();
  out[i] = i;
}

//@ kernel last_subgroup_is_short
//@ launch groups=1,1,1 threads=48,1,1
//@ buffer 0 f32 64 mixed
//@ buffer 1 f32 48 zero
//@ expect barrier_divergence
kernel void last_subgroup_is_short(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                   uint t [[thread_index_in_threadgroup]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, in, 8);  // <- barrier_divergence
  out[t] = m.thread_elements()[0];
}
