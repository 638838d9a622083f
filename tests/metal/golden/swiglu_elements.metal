// swiglu for metal-simdgroup
// swiglu N=9 C=40
//
// buffers
//   0 = gate: f32[360], read
//   1 = up: f32[360], read
//   2 = Y: f32[360], write
// launches, in this order
//   swiglu_0: grid 6 x 1 x 1, 256 threads a group
// atoms: scalar; MSL 3.1
// flags: msl-3.1, math-mode=safe, fp-contract=off, fp32-functions=precise
// text acc6e1f0a68eb9b9e161a04990c23fcc

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
  const int row = task0 / 512;
  const int column = task0 % 512;
  const int column_1 = column % 128;
  const int row_1 = column / 128;
  if (row * 4 + row_1 < 9 && column_1 < 40) {
    const int at = row * 160 + row_1 * 40 + column_1;
    const float x = ieee_max(gate[at], -120.0f);
    Y[at] = x / (1.0f + precise::exp(-x)) * up[at];
  }
}
