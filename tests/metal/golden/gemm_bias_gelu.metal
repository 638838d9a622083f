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
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 6d5ec73768d27c7464629e127b471463

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
    const int at = i * 128 + worker;
    acc[at / 32 * 32 + at % 32] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int at = subgroup / 2 * 16;
  const int at_1 = subgroup % 2 * 16;
  const int at_2 = at * 32;
  const int at_3 = at_2 + at_1;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + at_3, 32);
  const int at_4 = at_1 + 8;
  const int at_5 = at_2 + at_4;
  simdgroup_float8x8 acc_2;
  simdgroup_load(acc_2, acc + at_5, 32);
  const int at_6 = at + 8;
  const int at_7 = at_6 * 32;
  const int at_8 = at_7 + at_1;
  simdgroup_float8x8 acc_3;
  simdgroup_load(acc_3, acc + at_8, 32);
  const int at_9 = at_7 + at_4;
  simdgroup_float8x8 acc_4;
  simdgroup_load(acc_4, acc + at_9, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int at_10 = j * 128 + worker;
      const int column = at_10 % 16;
      const int row = at_10 / 16;
      a[row * 16 + column] = A[task0 * 1024 + i * 16 + row * 32 + column];
    }
    for (int j = 0; j < 4; ++j) {
      const int at_10 = j * 128 + worker;
      const int column = at_10 % 32;
      const int row = at_10 / 32;
      b[row * 32 + column] = B[i * 1024 + task1 * 32 + row * 64 + column];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + at * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + at_6 * 16 + j, 16);
      const int at_10 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + at_10 + at_1, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + at_10 + at_4, 32);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile, b_tile_1, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile, acc_3);
      simdgroup_multiply_accumulate(acc_4, a_tile_1, b_tile_1, acc_4);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  simdgroup_store(acc_1, acc + at_3, 32);
  simdgroup_store(acc_2, acc + at_5, 32);
  simdgroup_store(acc_3, acc + at_8, 32);
  simdgroup_store(acc_4, acc + at_9, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int at_10 = i * 128 + worker;
    const int column = at_10 % 32;
    const int at_11 = at_10 / 32 * 32 + column;
    c[at_11] = ieee_max(acc[at_11] + bias[task1 * 32 + column], -30.0f);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int at_10 = i * 128 + worker;
    const int column = at_10 % 32;
    const int row = at_10 / 32;
    const float c_value = c[row * 32 + column];
    const float x = -2.0f * (0.7978846f * (c_value + 0.044715f * c_value * c_value * c_value));
    C[task0 * 2048 + task1 * 32 + row * 64 + column] = c_value / (1.0f + precise::exp(x));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
