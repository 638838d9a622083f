// Folds along rows: softmax, sums, scans, histograms. Each barrier is deleted in turn.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel softmax
//@ launch groups=3,1,1 threads=128,1,1
//@ buffer 0 f32 768 value 2
//@ buffer 1 f32 768 uninitialized
//@ expect none
//@ result 1 value 0.00390625
kernel void softmax(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                    uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint s [[simdgroup_index_in_threadgroup]]) {
  threadgroup float part[4];
  const float x0 = in[g * 256 + t], x1 = in[g * 256 + 128 + t];
  const float most_here = simd_max(max(x0, x1));
  if (lane == 0) part[s] = most_here;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float most = part[0];
  for (uint i = 1; i < 4; ++i) most = max(most, part[i]);
  const float e0 = exp(x0 - most), e1 = exp(x1 - most);
  const float sum_here = simd_sum(e0 + e1);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 0) part[s] = sum_here;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0.0f;
  for (uint i = 0; i < 4; ++i) sum += part[i];
  out[g * 256 + t] = e0 / sum;
  out[g * 256 + 128 + t] = e1 / sum;
}

//@ kernel tree_sum
//@ launch groups=2,1,1 threads=128,1,1
//@ buffer 0 f32 256 value 1
//@ buffer 1 f32 2 uninitialized
//@ expect none
//@ result 1 value 128
kernel void tree_sum(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                     uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float part[128];
  part[t] = in[g * 128 + t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint s = 64; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) out[g] = part[0];
  threadgroup_barrier(mem_flags::mem_threadgroup);  // redundant: nothing follows
}

//@ kernel inclusive_scan
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 64 uninitialized
//@ expect none
kernel void inclusive_scan(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                           uint t [[thread_index_in_threadgroup]]) {
  threadgroup float sums[64];
  sums[t] = in[t];
  for (uint step = 1; step < 64; step *= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float below = t >= step ? sums[t - step] : 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sums[t] += below;
  }
  out[t] = sums[t];
}

//@ kernel histogram
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 u32 128 iota
//@ buffer 1 u32 16 zero
//@ expect none
//@ result 1 value 8
kernel void histogram(device const uint* in [[buffer(0)]], device atomic_uint* out [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint bins[16];
  if (t < 16) atomic_store_explicit(&bins[t], 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&bins[15 - in[i] % 16], 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < 16) {
    const uint mine = ((threadgroup uint*)bins)[t];
    atomic_fetch_add_explicit(&out[t], mine, memory_order_relaxed);
  }
}

//@ kernel transpose
//@ launch groups=2,1,1 threads=32,8,1
//@ buffer 0 f16 2048 iota
//@ buffer 1 f16 2048 uninitialized
//@ expect none
kernel void transpose(device const half* in [[buffer(0)]], device half* out [[buffer(1)]],
                      uint g [[threadgroup_position_in_grid]], uint2 p [[thread_position_in_threadgroup]]) {
  threadgroup half tile[32][33];
  for (uint r = p.y; r < 32; r += 8) tile[r][p.x] = in[g * 1024 + r * 32 + p.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint r = p.y; r < 32; r += 8) out[g * 1024 + r * 32 + p.x] = tile[p.x][r];
}

//@ kernel scores_of_one_subgroup
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 f32 64 value 1
//@ buffer 1 f32 256 uninitialized
//@ expect none
//@ result 1 value 1
kernel void scores_of_one_subgroup(device const float* q [[buffer(0)]], device float* out [[buffer(1)]],
                                   uint g [[threadgroup_position_in_grid]],
                                   ushort lane [[thread_index_in_simdgroup]],
                                   ushort s [[simdgroup_index_in_threadgroup]]) {
  threadgroup float scores[2][64];
  threadgroup float* mine = scores[s];
  simdgroup_float8x8 m, product, values;
  simdgroup_load(m, q, 8);
  simdgroup_multiply(product, m, m);
  simdgroup_store(product, mine, 8);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  float row_sum = 0.0f;
  for (uint i = 0; i < 8; ++i) row_sum += mine[lane / 4 * 8 + i];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  mine[lane * 2] /= row_sum;
  mine[lane * 2 + 1] /= row_sum;
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(values, mine, 8);
  simdgroup_multiply(product, values, m);
  simdgroup_store(product, out + (g * 2 + s) * 64, 8);
}

//@ kernel rows_through_device_memory
//@ launch groups=2,1,1 threads=64,1,1
//@ buffer 0 f32 128 value 3
//@ buffer 1 f32 128 uninitialized
//@ buffer 2 f32 128 uninitialized
//@ expect none
//@ result 2 value 9
kernel void rows_through_device_memory(device const float* in [[buffer(0)]], device float* scratch [[buffer(1)]],
                                       device float* out [[buffer(2)]], uint g [[threadgroup_position_in_grid]],
                                       uint t [[thread_index_in_threadgroup]]) {
  device float* mine = scratch + g * 64;
  mine[t] = in[g * 64 + t];
  threadgroup_barrier(mem_flags::mem_device);
  const float next = mine[(t + 1) % 64], last = mine[(t + 63) % 64];
  threadgroup_barrier(mem_flags::mem_device);
  mine[t] += next + last;
  threadgroup_barrier(mem_flags::mem_device);
  out[g * 64 + t] = mine[63 - t];
}
