//@ dialect opencl c++20
// More than the device has: threadgroup memory, threads.
#include <metal_stdlib>
using namespace metal;

//@ kernel static_one_element_over
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ expect limit at=nowhere text=32768
kernel void static_one_element_over(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8193];
  tile[t] = float(t);
  out[t] = tile[t];
}

//@ kernel two_tiles_over
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f32 64 zero
//@ expect limit at=nowhere text=32768
kernel void two_tiles_over(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]]) {
  threadgroup half a[64 * 200];
  threadgroup half b[64 * 64];
  a[t] = half(t);
  b[t] = half(t);
  out[i] = float(a[t] + b[t]);
}

//@ kernel static_and_host_sized_over
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 16400
//@ expect limit at=nowhere text=32768
kernel void static_and_host_sized_over(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                                       uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[4096];
  tile[t] = float(t);
  shared[t] = float(t);
  out[t] = tile[t] + shared[t];
}

//@ kernel host_sized
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 32784
//@ expect limit at=nowhere text=32768
//@ case two_over
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 zero
//@ threadgroup 0 140
//@ expect launch_error code=LaunchSize text=16
kernel void host_sized(device float* out [[buffer(0)]], threadgroup float* shared [[threadgroup(0)]],
                       uint t [[thread_index_in_threadgroup]]) {
  shared[t] = float(t);
  out[t] = shared[t];
}

//@ kernel threads
//@ launch groups=1,1,1 threads=1025,1,1
//@ buffer 0 f32 2048 zero
//@ expect launch_error code=LaunchSize text=1024
//@ case in_three_directions
//@ launch groups=1,1,1 threads=32,8,8
//@ buffer 0 f32 2048 zero
//@ expect launch_error code=LaunchSize text=1024
//@ case none_at_all
//@ launch groups=1,1,1 threads=32,0,1
//@ buffer 0 f32 2048 zero
//@ expect launch_error code=LaunchSize
kernel void threads(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  out[t] = float(t);
}
