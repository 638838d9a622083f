//@ dialect opencl c++20
// Twins of faults/limit.metal: exactly what the device has.
#include <metal_stdlib>
using namespace metal;

//@ kernel static_32_kib
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect none
kernel void static_32_kib(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]],
                          uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8192];
  tile[8191 - t] = float(t);
  out[i] = tile[8191 - t];
}

//@ kernel two_tiles_32_kib
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect none
kernel void two_tiles_32_kib(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup half a[64 * 128];
  threadgroup half b[64 * 128];
  a[t] = half(t);
  b[64 * 128 - 1 - t] = half(t);
  out[t] = float(a[t] + b[64 * 128 - 1 - t]);
}

//@ kernel static_and_host_sized_32_kib
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 16384
//@ expect none
kernel void static_and_host_sized_32_kib(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                                         uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[4096];
  tile[t] = float(t);
  shared[4095 - t] = float(t);
  out[t] = tile[t] + shared[4095 - t];
}

//@ kernel host_sized
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 32768
//@ expect none
//@ case sixteen_bytes
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 4 zero
//@ threadgroup 0 16
//@ expect none
kernel void host_sized(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                       uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);
  out[t] = shared[t];
}

//@ kernel threads
//@ launch groups=1,1,1 threads=1024,1,1
//@ buffer 0 f32 1024 zero
//@ expect none
//@ result 0 iota
//@ case in_three_directions
//@ launch groups=1,1,1 threads=16,8,8
//@ buffer 0 f32 1024 zero
//@ expect none
//@ result 0 iota
//@ case no_groups
//@ launch groups=0,1,1 threads=32,1,1
//@ buffer 0 f32 1024 iota
//@ expect none
//@ result 0 iota
kernel void threads(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[t] = float(t);
}
