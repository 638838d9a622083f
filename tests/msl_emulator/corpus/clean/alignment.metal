//@ dialect opencl c++20
// Twins of faults/misaligned.metal: packed types, or addresses that fit.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel packed_float4_at_one_float
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 20 iota
//@ buffer 1 f32 16 zero
//@ expect none
kernel void packed_float4_at_one_float(device const float* in [[buffer(0)]], device float4* out [[buffer(1)]],
                                       uint t [[thread_index_in_threadgroup]]) {
  device const packed_float4* rows = (device const packed_float4*)(in + 1);
  out[t] = float4(rows[t]);
}

//@ kernel packed_float3_rows
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 12 iota
//@ buffer 1 f32 12 zero
//@ expect none
//@ result 1 iota
kernel void packed_float3_rows(device const packed_float3* in [[buffer(0)]], device packed_float3* out [[buffer(1)]],
                               uint t [[thread_index_in_threadgroup]]) {
  const float3 row = in[t];
  out[t] = row;
}

//@ kernel float2_with_even_stride
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 8 zero
//@ expect none
kernel void float2_with_even_stride(device const float* in [[buffer(0)]], device float2* out [[buffer(1)]],
                                    uint t [[thread_index_in_threadgroup]]) {
  out[t] = *(device const float2*)(in + t * 6);
}

//@ kernel half4_store_at_four_halves
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f16 24 zero
//@ expect none
kernel void half4_store_at_four_halves(device half* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  *(device half4*)(out + 4 + 4 * t) = half4(1.0h);
}

//@ kernel word_from_bytes
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u8 16 iota
//@ buffer 1 u32 1 zero
//@ expect none
//@ result 1 value 100992003
kernel void word_from_bytes(device const uchar* bytes [[buffer(0)]], device uint* out [[buffer(1)]]) {
  uint word = 0;
  for (uint i = 0; i < 4; ++i) word |= uint(bytes[3 + i]) << (8 * i);
  out[0] = word;
}

//@ kernel fragment_at_odd_element
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 65 iota
//@ buffer 1 f16 64 zero
//@ expect none
kernel void fragment_at_odd_element(device const half* in [[buffer(0)]], device half* out [[buffer(1)]]) {
  simdgroup_half8x8 m;
  simdgroup_load(m, in + 1, 8);
  simdgroup_store(m, out, 8);
}

//@ kernel threadgroup_float4
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 f32 16 zero
//@ expect none
kernel void threadgroup_float4(device float4* out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[20];
  tile[t * 4 + 4] = 0.0f;
  *(threadgroup float4*)(tile + 4 + t * 4) = float4(float(t));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = *(threadgroup float4*)(tile + 4 + (3 - t) * 4);
}
