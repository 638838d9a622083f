// conv2d for metal-simdgroup
// conv2d N=1 H=9 W=11 C=5 F=7 R=3 S=3 pad=1
//
// buffers
//   0 = X: f32[495], read
//   1 = filter: f32[315], read
//   2 = Y: f32[693], write
// launches, in this order
//   conv2d_0: grid 9 x 1 x 1, 128 threads a group, 2048 bytes of threadgroup memory
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text f5443f225aed5b869b36aa5729297e9e

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

[[kernel, max_total_threads_per_threadgroup(128)]]
void conv2d_0(device const float* X [[buffer(0)]],
              device const float* filter [[buffer(1)]],
              device float* Y [[buffer(2)]],
              uint task [[threadgroup_position_in_grid]],
              ushort thread_index [[thread_index_in_threadgroup]],
              ushort simd_group [[simdgroup_index_in_threadgroup]]) {
  const int task1 = int(task);
  const int worker = thread_index;
  const int subgroup = simd_group;
  threadgroup float acc[256];
  threadgroup float x[128];
  threadgroup float w[128];
  for (int i = 0; i < 2; ++i) {
    const int n = i * 128 + worker;
    acc[n / 16 * 16 + n % 16] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int n_1 = subgroup / 2 * 8;
  const int n_2 = subgroup % 2 * 8;
  const int n_3 = n_1 * 16 + n_2;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + n_3, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 1; ++k) {
        const int n_4 = worker % 8;
        const int n_5 = worker / 8;
        const int n_6 = task1 + i - 1;
        const int n_7 = n_5 + j - 1;
        const int n_8 = n_4;
        const bool flag = n_6 >= 0 && n_6 < 9 && n_7 >= 0 && n_7 < 11 && n_8 >= 0 && n_8 < 5;
        x[n_5 * 8 + n_4] = flag ? X[task1 * 55 - 60 + i * 55 + j * 5 + n_5 * 5 + n_4] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
        const int n_9 = worker % 16;
        const int n_10 = worker / 16;
        const int n_11 = n_10;
        const int n_12 = n_9;
        w[n_10 * 16 + n_9] = n_11 >= 0 && n_11 < 5 && n_12 >= 0 && n_12 < 7 ? filter[i * 105 + j * 35 + n_10 * 7 + n_9] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
        simdgroup_float8x8 x_tile;
        simdgroup_load(x_tile, x + n_1 * 8, 8);
        simdgroup_float8x8 w_tile;
        simdgroup_load(w_tile, w + n_2, 16);
        simdgroup_multiply_accumulate(acc_1, x_tile, w_tile, acc_1);
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
      }
    }
  }
  simdgroup_store(acc_1, acc + n_3, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    const int n_13 = i * 128 + worker;
    const int n_14 = n_13 % 16;
    const int n_15 = n_13 / 16;
    const int n_16 = n_15;
    const int n_17 = n_14;
    if (n_16 >= 0 && n_16 < 11 && n_17 >= 0 && n_17 < 7) Y[task1 * 77 + n_15 * 7 + n_14] = acc[n_15 * 16 + n_14];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
