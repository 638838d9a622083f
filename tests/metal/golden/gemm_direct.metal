// gemm for metal-simdgroup
// gemm M=64 N=64 K=64 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f32[4096], read
//   1 = B: f32[4096], read
//   2 = C: f32[4096], write
// launches, in this order
//   gemm_0: grid 2 x 2 x 1, 128 threads a group, 4096 bytes of threadgroup memory
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 2da9ab51ed2334f93fa1441745fac036

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
  threadgroup float a[512];
  threadgroup float b[512];
  const int at = subgroup / 2 * 16;
  const int at_1 = subgroup % 2 * 16;
  simdgroup_float8x8 acc = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_1 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_2 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_3 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int at_2 = j * 128 + worker;
      const int column = at_2 % 16;
      const int row = at_2 / 16;
      a[row * 16 + column] = A[task0 * 2048 + i * 16 + row * 64 + column];
    }
    for (int j = 0; j < 4; ++j) {
      const int at_2 = j * 128 + worker;
      const int column = at_2 % 32;
      const int row = at_2 / 32;
      b[row * 32 + column] = B[i * 1024 + task1 * 32 + row * 64 + column];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + at * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + (at + 8) * 16 + j, 16);
      const int at_2 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + at_2 + at_1, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + at_2 + at_1 + 8, 32);
      simdgroup_multiply_accumulate(acc, a_tile, b_tile, acc);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile_1, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile_1, b_tile, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile_1, acc_3);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  const int at_2 = task0 * 2048 + task1 * 32;
  const int at_3 = at_2 + at * 64;
  simdgroup_store(acc, C + at_3 + at_1, 64);
  const int at_4 = at_1 + 8;
  simdgroup_store(acc_1, C + at_3 + at_4, 64);
  const int at_5 = at_2 + (at + 8) * 64;
  simdgroup_store(acc_2, C + at_5 + at_1, 64);
  simdgroup_store(acc_3, C + at_5 + at_4, 64);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
