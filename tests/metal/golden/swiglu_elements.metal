// swiglu for metal-simdgroup
// swiglu N=9 C=40
//
// buffers
//   0 = gate: f32[360], read
//   1 = up: f32[360], read
//   2 = Y: f32[360], write
// launches, in this order
//   swiglu_0: grid 6 x 1 x 1, 256 threads a group
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text f13752d96c7ad32d3a6096dc12bb9b95

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

[[kernel, max_total_threads_per_threadgroup(256)]]
void swiglu_0(device const float* gate [[buffer(0)]],
              device const float* up [[buffer(1)]],
              device float* Y [[buffer(2)]],
              uint task [[thread_position_in_grid]]) {
  const int task0 = int(task);
  const int n = task0 / 512;
  const int n_1 = task0 % 512;
  const int n_2 = n_1 % 128;
  const int n_3 = n_1 / 128;
  const int n_4 = n * 4 + n_3;
  const int n_5 = n * 160 + n_3 * 40 + n_2;
  const float x = ieee_max(n_4 >= 0 && n_4 < 9 && n_2 >= 0 && n_2 < 40 ? gate[n_5] : 0.0f, -120.0f);
  if (n_4 >= 0 && n_4 < 9 && n_2 >= 0 && n_2 < 40) Y[n_5] = x / (1.0f + precise::exp(-x)) * (n_4 >= 0 && n_4 < 9 && n_2 >= 0 && n_2 < 40 ? up[n_5] : 0.0f);
}
