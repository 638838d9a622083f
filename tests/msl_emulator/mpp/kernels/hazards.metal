// Products whose result depends on what a device does past the extents. a, b: 64 x 64; d: 16 x 16.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

using Shape = dextents<int32_t, 2>;

kernel void static_k(device float* a, device float* b, device float* d, constant int& k) {
  auto left = tensor(a, Shape(k, 16), array<int, 2>{1, 64});
  auto right = tensor(b, Shape(16, k), array<int, 2>{1, 64});
  auto out = tensor(d, Shape(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 48), execution_simdgroup> op;
  op.run(left, right, out);
}

kernel void dynamic_k(device float* a, device float* b, device float* d, constant int& k) {
  auto left = tensor(a, Shape(k, 16), array<int, 2>{1, 64});
  auto right = tensor(b, Shape(16, k), array<int, 2>{1, 64});
  auto out = tensor(d, Shape(16, 16));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);
}

// 16 x 64 times 64 x 16. Only the flag differs.
template <class T, bool relaxed>
void whole_product(device T* a, device T* b, device float* d) {
  auto left = tensor(a, Shape(64, 16), array<int, 2>{1, 64});
  auto right = tensor(b, Shape(16, 64), array<int, 2>{1, 64});
  auto out = tensor(d, Shape(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, false, relaxed), execution_simdgroup> op;
  op.run(left, right, out);
}
kernel void strict_float(device float* a, device float* b, device float* d) { whole_product<float, false>(a, b, d); }
kernel void relaxed_float(device float* a, device float* b, device float* d) { whole_product<float, true>(a, b, d); }
kernel void relaxed_half(device half* a, device half* b, device float* d) { whole_product<half, true>(a, b, d); }
kernel void relaxed_bfloat(device bfloat* a, device bfloat* b, device float* d) {
  whole_product<bfloat, true>(a, b, d);
}

// The left operand's tensor ends 8 rows into the slice.
kernel void static_slice(device float* a, device float* b, device float* d, constant int& k) {
  auto left = tensor(a, Shape(k, 24), array<int, 2>{1, 64}).slice<dynamic_extent, 16>(0, 16);
  auto right = tensor(b, Shape(16, k), array<int, 2>{1, 64});
  auto out = tensor(d, Shape(16, 16));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);
}
