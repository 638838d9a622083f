// gemm for metal-simdgroup
// gemm M=160 N=128 K=32 BM=32 BN=32 BK=16 T=f16
//
// buffers
//   0 = A: f16[5120], read
//   1 = B: f16[4096], read
//   2 = C: f16[20480], write
// launches, in this order
//   gemm_0: grid 20 x 1 x 1, 128 threads a group, 6144 bytes of threadgroup memory
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 42cffe3d0c6210d4e12361c420af2bef

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
  const int at = task0 / 8 * 2;
  const int column = task0 % 8;
  const int at_1 = min(5 - at, 2) * 2;
  const int column_1 = column % at_1;
  const int at_2 = at + column_1 / 2;
  const int at_3 = column / at_1 * 2 + column_1 % 2;
  for (int i = 0; i < 8; ++i) {
    const int at_4 = i * 128 + worker;
    acc[at_4 / 32 * 32 + at_4 % 32] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int at_4 = subgroup / 2 * 16;
  const int at_5 = subgroup % 2 * 16;
  const int at_6 = at_4 * 32;
  const int at_7 = at_6 + at_5;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + at_7, 32);
  const int at_8 = at_5 + 8;
  const int at_9 = at_6 + at_8;
  simdgroup_float8x8 acc_2;
  simdgroup_load(acc_2, acc + at_9, 32);
  const int at_10 = at_4 + 8;
  const int at_11 = at_10 * 32;
  const int at_12 = at_11 + at_5;
  simdgroup_float8x8 acc_3;
  simdgroup_load(acc_3, acc + at_12, 32);
  const int at_13 = at_11 + at_8;
  simdgroup_float8x8 acc_4;
  simdgroup_load(acc_4, acc + at_13, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int at_14 = j * 128 + worker;
      const int column_2 = at_14 % 16;
      const int row = at_14 / 16;
      a[row * 16 + column_2] = A[at_2 * 1024 + i * 16 + row * 32 + column_2];
    }
    for (int j = 0; j < 4; ++j) {
      const int at_14 = j * 128 + worker;
      const int column_2 = at_14 % 32;
      const int row = at_14 / 32;
      b[row * 32 + column_2] = B[i * 2048 + at_3 * 32 + row * 128 + column_2];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_half8x8 a_tile;
      simdgroup_load(a_tile, a + at_4 * 16 + j, 16);
      simdgroup_half8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + at_10 * 16 + j, 16);
      const int at_14 = j * 32;
      simdgroup_half8x8 b_tile;
      simdgroup_load(b_tile, b + at_14 + at_5, 32);
      simdgroup_half8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + at_14 + at_8, 32);
      simdgroup_multiply_accumulate(acc_1, a_tile, b_tile, acc_1);
      simdgroup_multiply_accumulate(acc_2, a_tile, b_tile_1, acc_2);
      simdgroup_multiply_accumulate(acc_3, a_tile_1, b_tile, acc_3);
      simdgroup_multiply_accumulate(acc_4, a_tile_1, b_tile_1, acc_4);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  simdgroup_store(acc_1, acc + at_7, 32);
  simdgroup_store(acc_2, acc + at_9, 32);
  simdgroup_store(acc_3, acc + at_12, 32);
  simdgroup_store(acc_4, acc + at_13, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 8; ++i) {
    const int at_14 = i * 128 + worker;
    const int column_2 = at_14 % 32;
    const int row = at_14 / 32;
    C[at_2 * 4096 + at_3 * 32 + row * 128 + column_2] = half(acc[row * 32 + column_2]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
