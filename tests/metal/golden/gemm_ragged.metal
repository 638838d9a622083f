// gemm for metal-simdgroup
// gemm M=65 N=33 K=17 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f32[1105], read
//   1 = B: f32[561], read
//   2 = C: f32[2145], write
// launches, in this order
//   gemm_0: grid 2 x 3 x 1, 128 threads a group, 8192 bytes of threadgroup memory
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 331f7a1d68726e2a90963ea0463bf44a

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
    const int n_11 = worker % 16;
    const int n_12 = worker / 16;
    const int n_13 = task0 * 32;
    const int n_14 = n_13 + n_12;
    const int n_15 = i * 16;
    const int n_16 = n_15 + n_11;
    const int n_17 = task0 * 544 + n_15;
    const int n_18 = worker + 128;
    const int n_19 = n_18 % 16;
    const int n_20 = n_18 / 16;
    const int n_21 = n_13 + n_20;
    const int n_22 = n_15 + n_19;
    const float A_value = n_21 >= 0 && n_21 < 65 && n_22 >= 0 && n_22 < 17 ? A[n_17 + n_20 * 17 + n_19] : 0.0f;
    const int n_23 = worker + 256;
    const int n_24 = n_23 % 16;
    const int n_25 = n_23 / 16;
    const int n_26 = n_13 + n_25;
    const int n_27 = n_15 + n_24;
    const float A_value_1 = n_26 >= 0 && n_26 < 65 && n_27 >= 0 && n_27 < 17 ? A[n_17 + n_25 * 17 + n_24] : 0.0f;
    const int n_28 = worker + 384;
    const int n_29 = n_28 % 16;
    const int n_30 = n_28 / 16;
    const int n_31 = n_13 + n_30;
    const int n_32 = n_15 + n_29;
    const float A_value_2 = n_31 >= 0 && n_31 < 65 && n_32 >= 0 && n_32 < 17 ? A[n_17 + n_30 * 17 + n_29] : 0.0f;
    a[n_12 * 16 + n_11] = n_14 >= 0 && n_14 < 65 && n_16 >= 0 && n_16 < 17 ? A[n_17 + n_12 * 17 + n_11] : 0.0f;
    a[n_20 * 16 + n_19] = A_value;
    a[n_25 * 16 + n_24] = A_value_1;
    a[n_30 * 16 + n_29] = A_value_2;
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const int n_33 = worker % 32;
    const int n_34 = worker / 32;
    const int n_35 = n_15 + n_34;
    const int n_36 = task1 * 32;
    const int n_37 = n_36 + n_33;
    const int n_38 = i * 528 + n_36;
    const int n_39 = n_18 % 32;
    const int n_40 = n_18 / 32;
    const int n_41 = n_15 + n_40;
    const int n_42 = n_36 + n_39;
    const float B_value = n_41 >= 0 && n_41 < 17 && n_42 >= 0 && n_42 < 33 ? B[n_38 + n_40 * 33 + n_39] : 0.0f;
    const int n_43 = n_23 % 32;
    const int n_44 = n_23 / 32;
    const int n_45 = n_15 + n_44;
    const int n_46 = n_36 + n_43;
    const float B_value_1 = n_45 >= 0 && n_45 < 17 && n_46 >= 0 && n_46 < 33 ? B[n_38 + n_44 * 33 + n_43] : 0.0f;
    const int n_47 = n_28 % 32;
    const int n_48 = n_28 / 32;
    const int n_49 = n_15 + n_48;
    const int n_50 = n_36 + n_47;
    const float B_value_2 = n_49 >= 0 && n_49 < 17 && n_50 >= 0 && n_50 < 33 ? B[n_38 + n_48 * 33 + n_47] : 0.0f;
    b[n_34 * 32 + n_33] = n_35 >= 0 && n_35 < 17 && n_37 >= 0 && n_37 < 33 ? B[n_38 + n_34 * 33 + n_33] : 0.0f;
    b[n_40 * 32 + n_39] = B_value;
    b[n_44 * 32 + n_43] = B_value_1;
    b[n_48 * 32 + n_47] = B_value_2;
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 a_tile;
      simdgroup_load(a_tile, a + n_1 * 16 + j, 16);
      simdgroup_float8x8 a_tile_1;
      simdgroup_load(a_tile_1, a + n_7 * 16 + j, 16);
      const int n_51 = j * 32;
      simdgroup_float8x8 b_tile;
      simdgroup_load(b_tile, b + n_51 + n_2, 32);
      simdgroup_float8x8 b_tile_1;
      simdgroup_load(b_tile_1, b + n_51 + n_5, 32);
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
    const int n_52 = i * 128 + worker;
    const int n_53 = n_52 % 32;
    const int n_54 = n_52 / 32;
    const int n_55 = task0 * 32 + n_54;
    const int n_56 = task1 * 32;
    const int n_57 = n_56 + n_53;
    if (n_55 >= 0 && n_55 < 65 && n_57 >= 0 && n_57 < 33) C[task0 * 1056 + n_56 + n_54 * 33 + n_53] = acc[n_54 * 32 + n_53];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
