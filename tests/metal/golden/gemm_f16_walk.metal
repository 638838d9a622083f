// gemm for metal-simdgroup
// gemm M=160 N=128 K=32 BM=32 BN=32 BK=16 T=f16
//
// buffers
//   0 = A: f16[5120], read
//   1 = B: f16[4096], read
//   2 = C: f16[20480], write
// launches, in this order
//   gemm_0: grid 20 x 1 x 1, 128 threads a group, 6144 bytes of threadgroup memory
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 2c4ef9c91142f4b7a8106ef0c3161db6

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

[[kernel, max_total_threads_per_threadgroup(128)]]
void gemm_0(device const half* A [[buffer(0)]],
            device const half* B [[buffer(1)]],
            device half* C [[buffer(2)]],
            uint task [[threadgroup_position_in_grid]],
            ushort thread_index [[thread_index_in_threadgroup]],
            ushort simd_group [[simdgroup_index_in_threadgroup]]) {
  const int task0 = int(task);
  const int worker = thread_index;
  const int subgroup = simd_group;
  threadgroup float acc[1024];
  threadgroup half a[512];
  threadgroup half b[512];
  const int n = task0 / 8 * 2;
  const int n_1 = task0 % 8;
  const int n_2 = min(5 - n, 2) * 2;
  const int n_3 = n_1 % n_2;
  const int n_4 = n + n_3 / 2;
  const int n_5 = n_1 / n_2 * 2 + n_3 % 2;
  for (int i = 0; i < 8; ++i) {
    const int n_6 = i * 128 + worker;
    acc[n_6 / 32 * 32 + n_6 % 32] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int n_7 = subgroup / 2 * 16;
  const int n_8 = subgroup % 2 * 16;
  const int n_9 = n_7 * 32;
  const int n_10 = n_9 + n_8;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + n_10, 32);
  const int n_11 = n_8 + 8;
  const int n_12 = n_9 + n_11;
  simdgroup_float8x8 acc_2;
  simdgroup_load(acc_2, acc + n_12, 32);
  const int n_13 = n_7 + 8;
  const int n_14 = n_13 * 32;
  const int n_15 = n_14 + n_8;
  simdgroup_float8x8 acc_3;
  simdgroup_load(acc_3, acc + n_15, 32);
  const int n_16 = n_14 + n_11;
  simdgroup_float8x8 acc_4;
  simdgroup_load(acc_4, acc + n_16, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int n_17 = j * 128 + worker;
      const int n_18 = n_17 % 16;
      const int n_19 = n_17 / 16;
      a[n_19 * 16 + n_18] = A[n_4 * 1024 + i * 16 + n_19 * 32 + n_18];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 4; ++j) {
      const int n_20 = j * 128 + worker;
      const int n_21 = n_20 % 32;
      const int n_22 = n_20 / 32;
      b[n_22 * 32 + n_21] = B[i * 2048 + n_5 * 32 + n_22 * 128 + n_21];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_half8x8 a_tile;
      simdgroup_load(a_tile, a + n_7 * 16 + j, 16);
      simdgroup_half8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + n_13 * 16 + j, 16);
      const int n_23 = j * 32;
      simdgroup_half8x8 b_tile;
      simdgroup_load(b_tile, b + n_23 + n_8, 32);
      simdgroup_half8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + n_23 + n_11, 32);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile, b_tile_1, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile, acc_3);
      simdgroup_multiply_accumulate(acc_4, a_tile_1, b_tile_1, acc_4);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  simdgroup_store(acc_1, acc + n_10, 32);
  simdgroup_store(acc_2, acc + n_12, 32);
  simdgroup_store(acc_3, acc + n_15, 32);
  simdgroup_store(acc_4, acc + n_16, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int n_24 = i * 128 + worker;
    const int n_25 = n_24 % 32;
    const int n_26 = n_24 / 32;
    C[n_4 * 4096 + n_5 * 32 + n_26 * 128 + n_25] = half(acc[n_26 * 32 + n_25]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
