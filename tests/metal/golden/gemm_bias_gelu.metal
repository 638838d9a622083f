// gemm_bias_gelu for metal-simdgroup
// gemm_bias_gelu M=64 N=64 K=32 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f32[2048], read
//   1 = B: f32[2048], read
//   2 = bias: f32[64], read
//   3 = C: f32[4096], write
// launches, in this order
//   gemm_bias_gelu_0: grid 2 x 2 x 1, 128 threads a group, 12288 bytes of threadgroup memory
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 79c98fda0f844b4919a78268b8857f4e

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// The maximum of IEEE 754-2019: a NaN wins, and -0 is below +0. Metal's max drops NaN.
inline float ieee_max(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}

[[kernel, max_total_threads_per_threadgroup(128)]]
void gemm_bias_gelu_0(device const float* A [[buffer(0)]],
                      device const float* B [[buffer(1)]],
                      device const float* bias [[buffer(2)]],
                      device float* C [[buffer(3)]],
                      uint2 task [[threadgroup_position_in_grid]],
                      ushort thread_index [[thread_index_in_threadgroup]],
                      ushort simd_group [[simdgroup_index_in_threadgroup]]) {
  const int task0 = int(task.y);
  const int task1 = int(task.x);
  const int worker = thread_index;
  const int subgroup = simd_group;
  threadgroup float acc[1024];
  threadgroup float a[512];
  threadgroup float b[512];
  threadgroup float c[1024];
  for (int i = 0; i < 8; ++i) {
    const int n = i * 128 + worker;
    acc[n / 32 * 32 + n % 32] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int n_1 = subgroup / 2 * 16;
  const int n_2 = subgroup % 2 * 16;
  const int n_3 = n_1 * 32;
  const int n_4 = n_3 + n_2;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + n_4, 32);
  const int n_5 = n_2 + 8;
  const int n_6 = n_3 + n_5;
  simdgroup_float8x8 acc_2;
  simdgroup_load(acc_2, acc + n_6, 32);
  const int n_7 = n_1 + 8;
  const int n_8 = n_7 * 32;
  const int n_9 = n_8 + n_2;
  simdgroup_float8x8 acc_3;
  simdgroup_load(acc_3, acc + n_9, 32);
  const int n_10 = n_8 + n_5;
  simdgroup_float8x8 acc_4;
  simdgroup_load(acc_4, acc + n_10, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int n_11 = j * 128 + worker;
      const int n_12 = n_11 % 16;
      const int n_13 = n_11 / 16;
      a[n_13 * 16 + n_12] = A[task0 * 1024 + i * 16 + n_13 * 32 + n_12];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 4; ++j) {
      const int n_14 = j * 128 + worker;
      const int n_15 = n_14 % 32;
      const int n_16 = n_14 / 32;
      b[n_16 * 32 + n_15] = B[i * 1024 + task1 * 32 + n_16 * 64 + n_15];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + n_1 * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + n_7 * 16 + j, 16);
      const int n_17 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + n_17 + n_2, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + n_17 + n_5, 32);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile, b_tile_1, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile, acc_3);
      simdgroup_multiply_accumulate(acc_4, a_tile_1, b_tile_1, acc_4);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  simdgroup_store(acc_1, acc + n_4, 32);
  simdgroup_store(acc_2, acc + n_6, 32);
  simdgroup_store(acc_3, acc + n_9, 32);
  simdgroup_store(acc_4, acc + n_10, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int n_18 = i * 128 + worker;
    const int n_19 = n_18 % 32;
    const int n_20 = n_18 / 32 * 32 + n_19;
    c[n_20] = ieee_max(acc[n_20] + bias[task1 * 32 + n_19], -30.0f);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int n_21 = i * 128 + worker;
    const int n_22 = n_21 % 32;
    const int n_23 = n_21 / 32;
    const float c_value = c[n_23 * 32 + n_22];
    const float x = -2.0f * (0.7978846f * (c_value + 0.044715f * c_value * c_value * c_value));
    C[task0 * 2048 + task1 * 32 + n_23 * 64 + n_22] = c_value / (1.0f + precise::exp(x));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
