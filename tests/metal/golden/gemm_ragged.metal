// gemm for metal-simdgroup
// gemm M=65 N=33 K=17 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f32[1105], read
//   1 = B: f32[561], read
//   2 = C: f32[2145], write
// launches, in this order
//   gemm_0: grid 2 x 3 x 1, 128 threads a group, 8192 bytes of threadgroup memory
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text f161d7ee6454469088b1368973a054fd

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

[[kernel, max_total_threads_per_threadgroup(128)]]
void gemm_0(device const float* A [[buffer(0)]],
            device const float* B [[buffer(1)]],
            device float* C [[buffer(2)]],
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
    const int column = worker % 16;
    const int row = worker / 16;
    const int at_10 = task0 * 32;
    const int at_11 = i * 16;
    const int at_12 = task0 * 544 + at_11;
    const int at_13 = worker + 128;
    const int column_1 = at_13 % 16;
    const int row_1 = at_13 / 16;
    const float A_value = at_10 + row_1 < 65 && at_11 + column_1 < 17 ? A[at_12 + row_1 * 17 + column_1] : 0.0f;
    const int at_14 = worker + 256;
    const int column_2 = at_14 % 16;
    const int row_2 = at_14 / 16;
    const float A_value_1 = at_10 + row_2 < 65 && at_11 + column_2 < 17 ? A[at_12 + row_2 * 17 + column_2] : 0.0f;
    const int at_15 = worker + 384;
    const int column_3 = at_15 % 16;
    const int row_3 = at_15 / 16;
    const float A_value_2 = at_10 + row_3 < 65 && at_11 + column_3 < 17 ? A[at_12 + row_3 * 17 + column_3] : 0.0f;
    a[row * 16 + column] = at_10 + row < 65 && at_11 + column < 17 ? A[at_12 + row * 17 + column] : 0.0f;
    a[row_1 * 16 + column_1] = A_value;
    a[row_2 * 16 + column_2] = A_value_1;
    a[row_3 * 16 + column_3] = A_value_2;
    const int column_4 = worker % 32;
    const int row_4 = worker / 32;
    const int at_16 = task1 * 32;
    const int at_17 = i * 528 + at_16;
    const int column_5 = at_13 % 32;
    const int row_5 = at_13 / 32;
    const float B_value = at_11 + row_5 < 17 && at_16 + column_5 < 33 ? B[at_17 + row_5 * 33 + column_5] : 0.0f;
    const int column_6 = at_14 % 32;
    const int row_6 = at_14 / 32;
    const float B_value_1 = at_11 + row_6 < 17 && at_16 + column_6 < 33 ? B[at_17 + row_6 * 33 + column_6] : 0.0f;
    const int column_7 = at_15 % 32;
    const int row_7 = at_15 / 32;
    const float B_value_2 = at_11 + row_7 < 17 && at_16 + column_7 < 33 ? B[at_17 + row_7 * 33 + column_7] : 0.0f;
    b[row_4 * 32 + column_4] = at_11 + row_4 < 17 && at_16 + column_4 < 33 ? B[at_17 + row_4 * 33 + column_4] : 0.0f;
    b[row_5 * 32 + column_5] = B_value;
    b[row_6 * 32 + column_6] = B_value_1;
    b[row_7 * 32 + column_7] = B_value_2;
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + at * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + at_6 * 16 + j, 16);
      const int at_18 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + at_18 + at_1, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + at_18 + at_4, 32);
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
    const int row = at_10 / 32;
    const int at_11 = task1 * 32;
    if (task0 * 32 + row < 65 && at_11 + column < 33) C[task0 * 1056 + at_11 + row * 33 + column] = acc[row * 32 + column];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
