//@ dialect opencl c++20
// Writes to what the kernel, or the launch, declares as read only.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel constness_cast_away
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ expect readonly_write object=in
kernel void constness_cast_away(device const float* in [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  device float* out = (device float*)in;
  out[t] = 1.0f;  // <- readonly_write
}

//@ kernel bound_as_read_only
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 read_only iota
//@ expect readonly_write object=data
kernel void bound_as_read_only(device float* data [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  data[t] += 1.0f;  // <- readonly_write
}

//@ kernel fragment_into_read_only
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 64 read_only mixed
//@ expect readonly_write object=c
kernel void fragment_into_read_only(device half* c [[buffer(0)]]) {
  simdgroup_half8x8 m;
  simdgroup_load(m, c, 8);
  simdgroup_store(m, c, 8);  // <- readonly_write
}

//@ kernel atomic_on_read_only
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 u32 4 read_only zero
//@ expect readonly_write object=count
kernel void atomic_on_read_only(device atomic_uint* count [[buffer(0)]]) {
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);  // <- readonly_write
}

//@ kernel struct_into_read_only
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 u32 32 read_only iota
//@ expect readonly_write object=records
struct Record {
  uint values[8];
};
kernel void struct_into_read_only(device Record* records [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  Record mine;
  for (uint i = 0; i < 8; ++i) mine.values[i] = i * t;
  records[t] = mine;  // <- readonly_write
}

//@ kernel vector_into_read_only
//@ launch groups=1,1,1 threads=8,1,1
//@ buffer 0 f32 32 read_only iota
//@ expect readonly_write object=data
kernel void vector_into_read_only(device float4* data [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  if (t == 7) data[t] = float4(1.0f);  // <- readonly_write
}
