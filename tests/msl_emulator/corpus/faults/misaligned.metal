//@ dialect opencl c++20
// Addresses that the type does not allow.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel float4_at_one_float
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 20 iota
//@ buffer 1 f32 16 zero
//@ expect misaligned object=in
kernel void float4_at_one_float(device const float* in [[buffer(0)]], device float4* out [[buffer(1)]],
                                uint t [[thread_index_in_threadgroup]]) {
  device const float4* rows = (device const float4*)(in + 1);
  out[t] = rows[t];  // <- misaligned
}

//@ kernel float2_with_odd_stride
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 8 zero
//@ expect misaligned object=in
kernel void float2_with_odd_stride(device const float* in [[buffer(0)]], device float2* out [[buffer(1)]],
                                   uint t [[thread_index_in_threadgroup]]) {
  out[t] = *(device const float2*)(in + t * 5);  // <- misaligned
}

//@ kernel half4_store_at_one_half
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f16 24 zero
//@ expect misaligned object=out
kernel void half4_store_at_one_half(device half* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  *(device half4*)(out + 1 + 4 * t) = half4(1.0h);  // <- misaligned
}

//@ kernel word_at_byte
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u8 16 iota
//@ buffer 1 u32 1 zero
//@ expect misaligned object=bytes byte=3
kernel void word_at_byte(device const uchar* bytes [[buffer(0)]], device uint* out [[buffer(1)]]) {
  out[0] = *(device const uint*)(bytes + 3);  // <- misaligned
}

//@ kernel threadgroup_float4
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 16 zero
//@ expect misaligned object=tile at=write
kernel void threadgroup_float4(device float* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float4 tile[8];
  threadgroup float* floats = (threadgroup float*)tile;
  *(threadgroup float4*)(floats + 2 + t * 4) = float4(float(t));  // <- write
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = floats[2 + t * 4];
}

//@ kernel fragment_at_odd_byte
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 u8 130 zero
//@ buffer 1 f16 64 zero
//@ expect misaligned object=bytes
kernel void fragment_at_odd_byte(device const uchar* bytes [[buffer(0)]], device half* out [[buffer(1)]]) {
  simdgroup_half8x8 m;
  simdgroup_load(m, (device const half*)(bytes + 1), 8);  // <- misaligned
  simdgroup_store(m, out, 8);
}

//@ kernel long_at_word
//@ launch groups=1,1,1 threads=2,1,1
//@ buffer 0 u32 6 iota
//@ buffer 1 u64 2 zero
//@ expect misaligned object=words
kernel void long_at_word(device const uint* words [[buffer(0)]], device ulong* out [[buffer(1)]],
                         uint t [[thread_index_in_threadgroup]]) {
  out[t] = *(device const ulong*)(words + 1 + 2 * t);  // <- misaligned
}
