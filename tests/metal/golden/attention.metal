// attention for metal-simdgroup
// attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=16 Dv=16 scale=0.25 BQ=16 BK=16
//
// buffers
//   0 = Q: f32[1056], read
//   1 = K: f32[784], read
//   2 = V: f32[784], read
//   3 = scale: f32[1], by value
//   4 = O: f32[1056], write
// launches, in this order
//   attention_0: grid 6 x 1 x 1, 128 threads a group, 9728 bytes of threadgroup memory
// atoms: metal.simdgroup8x8; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 1fe3d29f59ddcdd0d3d297dd600b5b8d

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
void attention_0(device const float* Q [[buffer(0)]],
                 device const float* K [[buffer(1)]],
                 device const float* V [[buffer(2)]],
                 constant float& scale [[buffer(3)]],
                 device float* O [[buffer(4)]],
                 uint task [[threadgroup_position_in_grid]],
                 ushort thread_index [[thread_index_in_threadgroup]],
                 ushort simd_group [[simdgroup_index_in_threadgroup]]) {
  const int task1 = int(task / 3u);
  const int task2 = int(task % 3u);
  const int worker = thread_index;
  const int subgroup = simd_group;
  threadgroup float query[256];
  threadgroup float best[16];
  threadgroup float total[16];
  threadgroup float acc[256];
  threadgroup float key[256];
  threadgroup float value[256];
  threadgroup float tile[256];
  threadgroup float score[256];
  threadgroup float tile_2[16];
  threadgroup float next[16];
  threadgroup float base[16];
  threadgroup float weight[256];
  threadgroup float decay[16];
  threadgroup float tile_3[16];
  threadgroup float total_2[16];
  threadgroup float tile_4[256];
  threadgroup float acc_2[256];
  for (int i = 0; i < 2; ++i) {
    const int at = i * 128 + worker;
    const int column = at % 16;
    const int row = at / 16;
    const int at_1 = row * 16;
    query[at_1 + column] = task2 * 16 + row < 33 ? Q[task1 * 528 + task2 * 256 + at_1 + column] : 0.0f;
  }
  if (worker < 16) {
    best[worker] = -INFINITY;
  }
  if (worker < 16) {
    total[worker] = 0.0f;
  }
  for (int i = 0; i < 2; ++i) {
    const int at = i * 128 + worker;
    acc[at / 16 * 16 + at % 16] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int at = j * 128 + worker;
      const int column = at % 16;
      const int row = at / 16;
      const int at_1 = row * 16;
      key[at_1 + column] = i * 16 + row < 49 ? K[i * 256 + at_1 + column] : 0.0f;
    }
    for (int j = 0; j < 2; ++j) {
      const int at = j * 128 + worker;
      const int column = at % 16;
      const int row = at / 16;
      const int at_1 = row * 16;
      value[at_1 + column] = i * 16 + row < 49 ? V[i * 256 + at_1 + column] : 0.0f;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const int at = subgroup / 2 * 8;
    const int at_1 = subgroup % 2 * 8;
    simdgroup_float8x8 acc_1 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 query_tile;
      simdgroup_load(query_tile, query + at * 16 + j, 16);
      simdgroup_float8x8 key_tile;
      simdgroup_load(key_tile, key + j + at_1 * 16, 16, ulong2(0), true);
      simdgroup_multiply_accumulate(acc_1, query_tile, key_tile, acc_1);
    }
    const int at_2 = at * 16 + at_1;
    simdgroup_store(acc_1, tile + at_2, 16);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const float scale_value = scale;
    for (int j = 0; j < 2; ++j) {
      const int at_3 = j * 128 + worker;
      const int column = at_3 % 16;
      const int row = at_3 / 16;
      score[row * 16 + column] = i * 16 + row < 49 ? tile[row + column * 16] * scale_value : -INFINITY;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      float acc_3 = -INFINITY;
      for (int j = 0; j < 16; ++j) {
        acc_3 = ieee_max(acc_3, score[worker + j * 16]);
      }
      tile_2[worker] = acc_3;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      next[worker] = ieee_max(best[worker], tile_2[worker]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      const float next_value = next[worker];
      base[worker] = next_value == -INFINITY ? 0.0f : next_value;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 2; ++j) {
      const int at_3 = j * 128 + worker;
      const int column = at_3 % 16;
      const int at_4 = at_3 / 16 * 16 + column;
      weight[at_4] = precise::exp(score[at_4] - base[column]);
    }
    if (worker < 16) {
      decay[worker] = precise::exp(best[worker] - base[worker]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      float acc_3 = 0.0f;
      for (int j = 0; j < 16; ++j) {
        acc_3 = acc_3 + weight[worker + j * 16];
      }
      tile_3[worker] = acc_3;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      total_2[worker] = total[worker] * decay[worker] + tile_3[worker];
    }
    for (int j = 0; j < 2; ++j) {
      const int at_3 = j * 128 + worker;
      const int row = at_3 / 16;
      const int at_4 = row * 16 + at_3 % 16;
      tile_4[at_4] = acc[at_4] * decay[row];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    simdgroup_float8x8 acc_3;
    simdgroup_load(acc_3, tile_4 + at_2, 16);
    for (int j = 0; j < 16; j += 8) {
      const int at_3 = j * 16;
      simdgroup_float8x8 weight_tile;
      simdgroup_load(weight_tile, weight + at + at_3, 16, ulong2(0), true);
      simdgroup_float8x8 value_tile;
      simdgroup_load(value_tile, value + at_3 + at_1, 16);
      simdgroup_multiply_accumulate(acc_3, weight_tile, value_tile, acc_3);
    }
    simdgroup_store(acc_3, acc_2 + at_2, 16);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      const float total_2_value = total_2[worker];
      best[worker] = next[worker];
      total[worker] = total_2_value;
    }
    for (int j = 0; j < 2; ++j) {
      const int at_3 = j * 128 + worker;
      const int at_4 = at_3 / 16 * 16 + at_3 % 16;
      acc[at_4] = acc_2[at_4];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  for (int i = 0; i < 2; ++i) {
    const int at = i * 128 + worker;
    const int column = at % 16;
    const int row = at / 16;
    const float total_value = total[row];
    const int at_1 = row * 16;
    if (task2 * 16 + row < 33) O[task1 * 528 + task2 * 256 + at_1 + column] = total_value == 0.0f ? 0.0f : acc[at_1 + column] / total_value;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
