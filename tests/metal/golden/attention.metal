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
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text c3e7ffbfffc25f5b83c3823f2d2bbb55

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
    const int n = i * 128 + worker;
    const int n_1 = n % 16;
    const int n_2 = n / 16;
    const int n_3 = task2 * 16 + n_2;
    const int n_4 = n_2 * 16;
    query[n_4 + n_1] = n_3 >= 0 && n_3 < 33 ? Q[task1 * 528 + task2 * 256 + n_4 + n_1] : 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  if (worker < 16) {
    best[worker] = -INFINITY;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  if (worker < 16) {
    total[worker] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 2; ++i) {
    const int n_5 = i * 128 + worker;
    acc[n_5 / 16 * 16 + n_5 % 16] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int n_6 = j * 128 + worker;
      const int n_7 = n_6 % 16;
      const int n_8 = n_6 / 16;
      const int n_9 = i * 16 + n_8;
      const int n_10 = n_8 * 16;
      key[n_10 + n_7] = n_9 >= 0 && n_9 < 49 ? K[i * 256 + n_10 + n_7] : 0.0f;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 2; ++j) {
      const int n_11 = j * 128 + worker;
      const int n_12 = n_11 % 16;
      const int n_13 = n_11 / 16;
      const int n_14 = i * 16 + n_13;
      const int n_15 = n_13 * 16;
      value[n_15 + n_12] = n_14 >= 0 && n_14 < 49 ? V[i * 256 + n_15 + n_12] : 0.0f;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const int n_16 = subgroup / 2 * 8;
    const int n_17 = subgroup % 2 * 8;
    simdgroup_float8x8 acc_1 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (int j = 0; j < 16; j += 8) {
      simdgroup_float8x8 query_tile;
      simdgroup_load(query_tile, query + n_16 * 16 + j, 16);
      simdgroup_float8x8 key_tile;
      simdgroup_load(key_tile, key + j + n_17 * 16, 16, ulong2(0), true);
      simdgroup_multiply_accumulate(acc_1, query_tile, key_tile, acc_1);
    }
    const int n_18 = n_16 * 16 + n_17;
    simdgroup_store(acc_1, tile + n_18, 16);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const float scale_value = scale;
    for (int j = 0; j < 2; ++j) {
      const int n_19 = j * 128 + worker;
      const int n_20 = n_19 % 16;
      const int n_21 = n_19 / 16;
      const int n_22 = i * 16 + n_21;
      score[n_21 * 16 + n_20] = n_22 < 49 && (true || n_22 <= task2 * 16 + n_20 + 49 - 33) ? tile[n_21 + n_20 * 16] * scale_value : -INFINITY;
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
      const int n_23 = j * 128 + worker;
      const int n_24 = n_23 % 16;
      const int n_25 = n_23 / 16 * 16 + n_24;
      weight[n_25] = precise::exp(score[n_25] - base[n_24]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      decay[worker] = precise::exp(best[worker] - base[worker]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      float acc_4 = 0.0f;
      for (int j = 0; j < 16; ++j) {
        acc_4 = acc_4 + weight[worker + j * 16];
      }
      tile_3[worker] = acc_4;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      total_2[worker] = total[worker] * decay[worker] + tile_3[worker];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 2; ++j) {
      const int n_26 = j * 128 + worker;
      const int n_27 = n_26 / 16;
      const int n_28 = n_27 * 16 + n_26 % 16;
      tile_4[n_28] = acc[n_28] * decay[n_27];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    simdgroup_float8x8 acc_5;
    simdgroup_load(acc_5, tile_4 + n_18, 16);
    for (int j = 0; j < 16; j += 8) {
      const int n_29 = j * 16;
      simdgroup_float8x8 weight_tile;
      simdgroup_load(weight_tile, weight + n_16 + n_29, 16, ulong2(0), true);
      simdgroup_float8x8 value_tile;
      simdgroup_load(value_tile, value + n_29 + n_17, 16);
      simdgroup_multiply_accumulate(acc_5, weight_tile, value_tile, acc_5);
    }
    simdgroup_store(acc_5, acc_2 + n_18, 16);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      const float total_2_value = total_2[worker];
      best[worker] = next[worker];
      total[worker] = total_2_value;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 2; ++j) {
      const int n_30 = j * 128 + worker;
      const int n_31 = n_30 / 16 * 16 + n_30 % 16;
      acc[n_31] = acc_2[n_31];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  for (int i = 0; i < 2; ++i) {
    const int n_32 = i * 128 + worker;
    const int n_33 = n_32 % 16;
    const int n_34 = n_32 / 16;
    const int n_35 = task2 * 16 + n_34;
    const float total_value = total[n_34];
    const int n_36 = n_34 * 16;
    if (n_35 >= 0 && n_35 < 33) O[task1 * 528 + task2 * 256 + n_36 + n_33] = total_value == 0.0f ? 0.0f : acc[n_36 + n_33] / total_value;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
