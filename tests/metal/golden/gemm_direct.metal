// gemm for metal-simdgroup
// gemm M=64 N=64 K=64 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f32[4096], read
//   1 = B: f32[4096], read
//   2 = C: f32[4096], write
// launches, in this order
//   gemm_0: grid 2 x 2 x 1, 128 threads a group, 4096 bytes of threadgroup memory
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 6ffb54be78b002ca0b497e54226d84f2

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
  const int n = subgroup / 2 * 16;
  const int n_1 = subgroup % 2 * 16;
  simdgroup_float8x8 acc = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_1 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_2 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_float8x8 acc_3 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int n_2 = j * 128 + worker;
      const int n_3 = n_2 % 16;
      const int n_4 = n_2 / 16;
      a[n_4 * 16 + n_3] = A[task0 * 2048 + i * 16 + n_4 * 64 + n_3];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 4; ++j) {
      const int n_5 = j * 128 + worker;
      const int n_6 = n_5 % 32;
      const int n_7 = n_5 / 32;
      b[n_7 * 32 + n_6] = B[i * 1024 + task1 * 32 + n_7 * 64 + n_6];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + n * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + (n + 8) * 16 + j, 16);
      const int n_8 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + n_8 + n_1, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + n_8 + (n_1 + 8), 32);
      simdgroup_multiply_accumulate(acc, a_tile, b_tile, acc);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile_1, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile_1, b_tile, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile_1, acc_3);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  const int n_9 = task0 * 2048 + task1 * 32;
  const int n_10 = n_9 + n * 64;
  simdgroup_store(acc, C + n_10 + n_1, 64);
  const int n_11 = n_1 + 8;
  simdgroup_store(acc_1, C + n_10 + n_11, 64);
  const int n_12 = n_9 + (n + 8) * 64;
  simdgroup_store(acc_2, C + n_12 + n_1, 64);
  simdgroup_store(acc_3, C + n_12 + n_11, 64);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
