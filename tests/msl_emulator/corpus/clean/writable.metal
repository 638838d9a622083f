//@ dialect opencl c++20
// Twins of faults/readonly_write.metal.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

//@ kernel read_only_is_read
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 read_only iota
//@ buffer 1 f32 32 zero
//@ expect none
//@ result 0 iota
//@ result 1 iota
kernel void read_only_is_read(device float* in [[buffer(0)]], device float* out [[buffer(1)]],
                              uint t [[thread_index_in_threadgroup]]) {
  out[t] = in[t];
}

//@ kernel constness_cast_and_only_read
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 32 iota
//@ buffer 1 f32 32 zero
//@ expect none
//@ result 1 iota
kernel void constness_cast_and_only_read(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                                         uint t [[thread_index_in_threadgroup]]) {
  device float* same = (device float*)in;
  out[t] = same[t];
}

//@ kernel fragment_from_read_only
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 64 read_only iota
//@ buffer 1 f16 64 zero
//@ expect none
//@ result 1 iota
kernel void fragment_from_read_only(device half* a [[buffer(0)]], device half* c [[buffer(1)]]) {
  simdgroup_half8x8 m;
  simdgroup_load(m, a, 8);
  simdgroup_store(m, c, 8);
}

//@ kernel struct_updated_in_place
//@ launch groups=1,1,1 threads=4,1,1
//@ buffer 0 u32 32 zero
//@ expect none
struct Record {
  uint values[8];
};
kernel void struct_updated_in_place(device Record* records [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
  Record mine = records[t];
  for (uint i = 0; i < 8; ++i) mine.values[i] += i * t;
  records[t] = mine;
}
