// Products of matrices through threadgroup memory. Each barrier is deleted in turn.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

struct Sizes {
  uint m, n, k;
};

//@ kernel staged
//@ launch groups=2,2,1 threads=128,1,1
//@ buffer 0 f32 1600 value 1
//@ buffer 1 f32 1600 value 2
//@ buffer 2 f32 1600 uninitialized
//@ buffer 3 u32 3 values 40 40 40
//@ expect none
//@ result 2 value 80
kernel void staged(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                   device float* c [[buffer(2)]], constant Sizes& sizes [[buffer(3)]],
                   uint2 g [[threadgroup_position_in_grid]], ushort t [[thread_index_in_threadgroup]],
                   ushort s [[simdgroup_index_in_threadgroup]]) {
  constexpr uint B = 32, BK = 16;
  threadgroup float left[B * BK];
  threadgroup float right[BK * B];
  threadgroup float result[B * B];
  const uint row0 = g.y * B, column0 = g.x * B;
  const uint row = (s / 2) * 16, column = (s % 2) * 16;
  simdgroup_float8x8 sum[2][2];
  for (uint i = 0; i < 2; ++i) {
    for (uint j = 0; j < 2; ++j) sum[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  for (uint k0 = 0; k0 < sizes.k; k0 += BK) {
    for (uint e = t; e < B * BK; e += 128) {
      const uint r = e / BK, q = e % BK;
      left[e] = row0 + r < sizes.m && k0 + q < sizes.k ? a[(row0 + r) * sizes.k + k0 + q] : 0.0f;
    }
    for (uint e = t; e < BK * B; e += 128) {
      const uint r = e / B, q = e % B;
      right[e] = k0 + r < sizes.k && column0 + q < sizes.n ? b[(k0 + r) * sizes.n + column0 + q] : 0.0f;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < BK; k += 8) {
      simdgroup_float8x8 l[2], r[2];
      for (uint i = 0; i < 2; ++i) simdgroup_load(l[i], left + (row + i * 8) * BK + k, BK);
      for (uint j = 0; j < 2; ++j) simdgroup_load(r[j], right + k * B + column + j * 8, B);
      for (uint i = 0; i < 2; ++i) {
        for (uint j = 0; j < 2; ++j) simdgroup_multiply_accumulate(sum[i][j], l[i], r[j], sum[i][j]);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint i = 0; i < 2; ++i) {
    for (uint j = 0; j < 2; ++j) simdgroup_store(sum[i][j], result + (row + i * 8) * B + column + j * 8, B);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint e = t; e < B * B; e += 128) {
    const uint r = e / B, q = e % B;
    if (row0 + r < sizes.m && column0 + q < sizes.n) c[(row0 + r) * sizes.n + column0 + q] = result[e];
  }
}

//@ kernel result_reuses_the_stage
//@ launch groups=1,2,1 threads=64,1,1
//@ buffer 0 f16 768 value 1
//@ buffer 1 f16 768 value 2
//@ buffer 2 f32 512 uninitialized
//@ threadgroup 0 1024
//@ expect none
//@ result 2 value 96
kernel void result_reuses_the_stage(device const half* a [[buffer(0)]], device const half* b [[buffer(1)]],
                                    device float* c [[buffer(2)]], threadgroup char* shared [[threadgroup(0)]],
                                    uint2 g [[threadgroup_position_in_grid]],
                                    ushort t [[thread_index_in_threadgroup]],
                                    ushort s [[simdgroup_index_in_threadgroup]]) {
  constexpr uint K = 48;  // a group makes 16 x 16 of 32 x 16
  threadgroup half* left = (threadgroup half*)shared;
  threadgroup half* right = left + 256;
  threadgroup float* result = (threadgroup float*)shared;
  simdgroup_float8x8 sum[2];
  for (uint j = 0; j < 2; ++j) sum[j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k0 = 0; k0 < K; k0 += 16) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint e = t; e < 256; e += 64) {
      left[e] = a[(g.y * 16 + e / 16) % 16 * K + k0 + e % 16];
      right[e] = b[(k0 + e / 16) * 16 + e % 16];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 16; k += 8) {
      simdgroup_half8x8 l, r;
      simdgroup_load(l, left + s * 8 * 16 + k, 16);
      for (uint j = 0; j < 2; ++j) {
        simdgroup_barrier(mem_flags::mem_none);  // redundant: steers the compiler, orders nothing
        simdgroup_load(r, right + k * 16 + j * 8, 16);
        simdgroup_multiply_accumulate(sum[j], l, r, sum[j]);
      }
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint j = 0; j < 2; ++j) simdgroup_store(sum[j], result + s * 8 * 16 + j * 8, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint e = t; e < 256; e += 64) c[g.y * 256 + e] = result[(e + 128) % 256];
}

//@ kernel double_buffered
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f32 512 value 1
//@ buffer 1 f32 512 value 1
//@ buffer 2 f32 256 uninitialized
//@ expect none
//@ result 2 value 32
kernel void double_buffered(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                            device float* c [[buffer(2)]], ushort t [[thread_index_in_threadgroup]],
                            ushort s [[simdgroup_index_in_threadgroup]]) {
  constexpr uint K = 32;  // a is 16 x 32, b is 32 x 16
  threadgroup float left[2][128];
  threadgroup float right[2][128];
  simdgroup_float8x8 sum[2];
  for (uint j = 0; j < 2; ++j) sum[j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint e = t; e < 128; e += 64) {
    left[0][e] = a[e / 8 * K + e % 8];
    right[0][e] = b[e];
  }
  for (uint k0 = 0; k0 < K; k0 += 8) {
    const uint now = k0 / 8 % 2;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 l, r;
    simdgroup_load(l, left[now] + s * 64, 8);
    for (uint j = 0; j < 2; ++j) {
      simdgroup_load(r, right[now] + j * 8, 16);
      simdgroup_multiply_accumulate(sum[j], l, r, sum[j]);
    }
    if (k0 + 8 < K) {
      for (uint e = t; e < 128; e += 64) {
        left[1 - now][e] = a[e / 8 * K + k0 + 8 + e % 8];
        right[1 - now][e] = b[(k0 + 8) * 16 + e];
      }
    }
  }
  for (uint j = 0; j < 2; ++j) simdgroup_store(sum[j], c + s * 8 * 16 + j * 8, 16);
}
