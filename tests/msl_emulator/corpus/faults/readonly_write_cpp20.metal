//@ dialect c++20
// Constant memory, written through a cast that only the dialect without address spaces lets pass.
#include <metal_stdlib>
using namespace metal;

//@ kernel constant_written
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 4 zero
//@ expect readonly_write object=sizes
kernel void constant_written(constant uint* sizes [[buffer(0)]]) {
  const_cast<uint*>(sizes)[2] = 7;  // <- readonly_write
}

//@ kernel constant_reference_written
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 u32 2 zero
//@ expect readonly_write object=limits
struct Limits {
  uint low, high;
};
kernel void constant_reference_written(constant Limits& limits [[buffer(0)]]) {
  const_cast<Limits&>(limits).high = 9;  // <- readonly_write
}
