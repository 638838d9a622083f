// softmax for metal-simdgroup
// softmax N=9 C=300 BR=1
//
// buffers
//   0 = X: f32[2700], read
//   1 = Y: f32[2700], write
// launches, in this order
//   softmax_0: grid 9 x 1 x 1, 64 threads a group, 16 bytes of threadgroup memory
// atoms: scalar; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 6a6a875cd79df2b597df4a8b0daa1492

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

// Integers in the order of the floats, -0 below +0.
inline int order_key(float x) {
  const int bits = as_type<int>(x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

// The float of an order_key.
inline float ordered_float(int key) { return as_type<float>(key < 0 ? key ^ 0x7fffffff : key); }

// Of all lanes: a NaN wins, and -0 is below +0. simd_max drops NaN.
inline float subgroup_max(float x) { return ordered_float(simd_max(isnan(x) ? 0x7fffffff : order_key(x))); }

[[kernel, max_total_threads_per_threadgroup(64)]]
void softmax_0(device const float* X [[buffer(0)]],
               device float* Y [[buffer(1)]],
               uint task [[threadgroup_position_in_grid]],
               ushort thread_index [[thread_index_in_threadgroup]],
               ushort simd_group [[simdgroup_index_in_threadgroup]],
               ushort simd_lane [[thread_index_in_simdgroup]]) {
  const int task0 = int(task);
  const int worker = thread_index;
  const int subgroup = simd_group;
  const int lane = simd_lane;
  threadgroup float partials[4];
  float acc = -INFINITY;
  float acc_1 = 0.0f;
  for (int i = 0; i < 2; ++i) {
    float acc_2 = -INFINITY;
    for (int j = 0; j < 4; ++j) {
      const int at = j * 64 + worker;
      const int at_1 = i * 256;
      const float x = at_1 + at < 300 ? X[task0 * 300 + at_1 + at] : -INFINITY;
      acc_2 = ieee_max(acc_2, x);
    }
    const float highest = subgroup_max(acc_2);
    if (lane == 0) {
      partials[subgroup] = highest;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const bool flag = lane < 2;
    const float highest_1 = subgroup_max(flag ? (flag ? partials[lane] : 0.0f) : -INFINITY);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const float x = ieee_max(acc, highest_1);
    const float x_1 = x == -INFINITY ? 0.0f : x;
    float acc_3 = 0.0f;
    for (int j = 0; j < 4; ++j) {
      const int at = j * 64 + worker;
      const int at_1 = i * 256;
      const float x_2 = at_1 + at < 300 ? X[task0 * 300 + at_1 + at] : -INFINITY;
      acc_3 = acc_3 + precise::exp(x_2 - x_1);
    }
    const float total = simd_sum(acc_3);
    if (lane == 0) {
      partials[subgroup + 2] = total;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const float total_1 = simd_sum(lane < 2 ? partials[lane + 2] : 0.0f);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    acc_1 = acc_1 * precise::exp(acc - x_1) + total_1;
    acc = x;
  }
  const float x = acc == -INFINITY ? 0.0f : acc;
  for (int i = 0; i < 4; ++i) {
    const int at = task0 * 300 + i * 64 + worker;
    Y[at] = acc_1 == 0.0f ? 0.0f : precise::exp(X[at] - x) / acc_1;
  }
  const int at = worker + 256;
  if (at < 300) {
    const int at_1 = task0 * 300 + at;
    Y[at_1] = acc_1 == 0.0f ? 0.0f : precise::exp(X[at_1] - x) / acc_1;
  }
}
