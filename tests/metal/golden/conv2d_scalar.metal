// conv2d for metal-simdgroup
// conv2d N=1 H=9 W=11 C=5 F=7 R=3 S=3 pad=1
//
// buffers
//   0 = X: f32[495], read
//   1 = filter: f32[315], read
//   2 = Y: f32[693], write
// launches, in this order
//   conv2d_0: grid 9 x 1 x 1, 128 threads a group, 2048 bytes of threadgroup memory
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 55a31056ea311ed86bf5d2510c12ec2e

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
    const int at = i * 128 + worker;
    acc[at / 16 * 16 + at % 16] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  const int at = subgroup / 2 * 8;
  const int at_1 = subgroup % 2 * 8;
  const int at_2 = at * 16 + at_1;
  simdgroup_float8x8 acc_1;
  simdgroup_load(acc_1, acc + at_2, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 1; ++k) {
        const int column = worker % 8;
        const int row = worker / 8;
        const int at_3 = task1 + i - 1;
        const int at_4 = row + j - 1;
        x[row * 8 + column] = at_3 >= 0 && at_3 < 9 && at_4 >= 0 && at_4 < 11 && column < 5 ? X[task1 * 55 - 60 + i * 55 + j * 5 + row * 5 + column] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
        const int column_1 = worker % 16;
        const int row_1 = worker / 16;
        w[row_1 * 16 + column_1] = row_1 < 5 && column_1 < 7 ? filter[i * 105 + j * 35 + row_1 * 7 + column_1] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
        simdgroup_float8x8 x_tile;
        simdgroup_load(x_tile, x + at * 8, 8);
        simdgroup_float8x8 w_tile;
        simdgroup_load(w_tile, w + at_1, 16);
        simdgroup_multiply_accumulate(acc_1, x_tile, w_tile, acc_1);
        threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
      }
    }
  }
  simdgroup_store(acc_1, acc + at_2, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    const int at_3 = i * 128 + worker;
    const int column = at_3 % 16;
    const int row = at_3 / 16;
    if (row < 11 && column < 7) Y[task1 * 77 + row * 7 + column] = acc[row * 16 + column];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
