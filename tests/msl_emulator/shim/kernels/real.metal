// Each function of functions.def over a table of its own, in three forms: float, float4, half4. The result of function f
// in a form for input i lies at (f * 3 + form) * n + i.
#include <metal_stdlib>
using namespace metal;

kernel void real_1(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {
  uint f = 0;
#define REAL_1(name, value, bound, low, high)                                  \
  {                                                                            \
    device const float* in = x + f * n;                                        \
    device float* to = out + 3 * f * n;                                        \
    to[i] = precise::name(in[i]);                                              \
    if (i % 4 == 0) {                                                          \
      float4 v = name(*(device const float4*)(in + i));                        \
      half4 h = fast::name(half4(*(device const float4*)(in + i)));            \
      for (uint j = 0; j < 4; ++j) {                                           \
        to[n + i + j] = v[j];                                                  \
        to[2 * n + i + j] = float(h[j]);                                       \
      }                                                                        \
    }                                                                          \
    ++f;                                                                       \
  }
#include "functions.def"
#undef REAL_1
}

kernel void real_2(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {
  uint f = 0;
#define REAL_2(name, value, bound, low, high)                                  \
  {                                                                            \
    device const float* in = x + 2 * f * n;                                    \
    device float* to = out + 3 * f * n;                                        \
    to[i] = name(in[i], in[n + i]);                                            \
    if (i % 4 == 0) {                                                          \
      device const float4* in4 = (device const float4*)(in + i);               \
      float4 v = name(in4[0], in4[n / 4]);                                     \
      half4 h = name(half4(in4[0]), half4(in4[n / 4]));                        \
      for (uint j = 0; j < 4; ++j) {                                           \
        to[n + i + j] = v[j];                                                  \
        to[2 * n + i + j] = float(h[j]);                                       \
      }                                                                        \
    }                                                                          \
    ++f;                                                                       \
  }
#include "functions.def"
#undef REAL_2
}

kernel void real_3(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {
  uint f = 0;
#define REAL_3(name, value, bound, low, high)                                  \
  {                                                                            \
    device const float* in = x + 3 * f * n;                                    \
    device float* to = out + 3 * f * n;                                        \
    to[i] = name(in[i], in[n + i], in[2 * n + i]);                             \
    if (i % 4 == 0) {                                                          \
      device const float4* in4 = (device const float4*)(in + i);               \
      float4 v = name(in4[0], in4[n / 4], in4[n / 2]);                         \
      half4 h = name(half4(in4[0]), half4(in4[n / 4]), half4(in4[n / 2]));     \
      for (uint j = 0; j < 4; ++j) {                                           \
        to[n + i + j] = v[j];                                                  \
        to[2 * n + i + j] = float(h[j]);                                       \
      }                                                                        \
    }                                                                          \
    ++f;                                                                       \
  }
#include "functions.def"
#undef REAL_3
}
