// Addresses that belong to nothing the launch gave the kernel. They come from a buffer, so that no compiler sees them.
#include <metal_stdlib>
using namespace metal;

//@ kernel small_address
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 16
//@ buffer 1 f32 1 zero
//@ expect wild_access
//@ case null
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 0
//@ buffer 1 f32 1 zero
//@ expect wild_access
//@ case usual_place_of_a_program
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 4198400
//@ buffer 1 f32 1 zero
//@ expect wild_access
//@ case not_canonical
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 4611686018427387904
//@ buffer 1 f32 1 zero
//@ expect wild_access
kernel void small_address(device const ulong* address [[buffer(0)]], device float* out [[buffer(1)]]) {
  device const float* p = (device const float*)address[0];
  out[0] = *p;  // <- wild_access
}

//@ kernel written_through_wild_pointer
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 4096
//@ expect wild_access
//@ case into_the_stacks_of_linux
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 140737488280576
//@ expect wild_access
kernel void written_through_wild_pointer(device const ulong* address [[buffer(0)]]) {
  device float* p = (device float*)address[0];
  *p = 1.0f;  // <- wild_access
}

//@ kernel index_not_set
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 281474976710656
//@ buffer 1 f32 64 iota
//@ buffer 2 f32 1 zero
//@ expect wild_access
kernel void index_not_set(device const ulong* index [[buffer(0)]], device const float* in [[buffer(1)]],
                          device float* out [[buffer(2)]]) {
  out[0] = in[index[0]];  // <- wild_access
}

//@ kernel threadgroup_pointer_from_number
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u64 1 values 64
//@ expect wild_access
kernel void threadgroup_pointer_from_number(device const ulong* address [[buffer(0)]]) {
  threadgroup uint* p = (threadgroup uint*)address[0];
  *p = 3;  // <- wild_access
}

//@ kernel deep_recursion
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 1 values 100000000
//@ buffer 1 u32 1 zero
//@ expect wild_access at=nowhere text=stack
inline uint depth(uint n, thread uint* above) {
  uint mine[16];
  for (uint i = 0; i < 16; ++i) mine[i] = n + i + above[i];
  if (n == 0) return mine[3];
  return depth(n - 1, mine) + mine[n % 16];
}
kernel void deep_recursion(device const uint* n [[buffer(0)]], device uint* out [[buffer(1)]]) {
  uint zero[16] = {};
  out[0] = depth(n[0], zero);
}
