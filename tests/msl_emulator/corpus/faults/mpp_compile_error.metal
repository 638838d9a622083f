//@ dialect c++20
//@ metal 400
//@ separate
// Extents and types of MPP that the headers refuse.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

using E2 = dextents<int32_t, 2>;
template <class T>
using Matrix = tensor<device T, E2, tensor_inline>;

template <int M, int N, int K, class Scope, class L, class R, class D>
inline void product(device L* a, device R* b, device D* d) {
  Matrix<L> A(a, E2(16, 16));
  Matrix<R> B(b, E2(16, 16));
  Matrix<D> C(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(M, N, K);
  matmul2d<descriptor, Scope> op;
  op.run(A, B, C);
}

//@ kernel eight_by_eight
//@ expect compile_error at=nowhere text="multiple of 16"
kernel void eight_by_eight(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]]) {
  product<8, 8, 16, execution_simdgroup>(a, b, d);
}

//@ kernel twelve_rows
//@ expect compile_error at=nowhere text="multiple"
kernel void twelve_rows(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]]) {
  product<12, 16, 16, execution_simdgroup>(a, b, d);
}

//@ kernel static_k_of_eight
//@ expect compile_error at=nowhere text="multiple of 16"
kernel void static_k_of_eight(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]]) {
  product<16, 16, 8, execution_simdgroup>(a, b, d);
}

//@ kernel three_columns_of_one_thread
//@ expect compile_error at=nowhere
kernel void three_columns_of_one_thread(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                        device float* d [[buffer(2)]]) {
  product<4, 3, 16, execution_thread>(a, b, d);
}

//@ kernel float_by_float_to_half
//@ expect compile_error at=nowhere
kernel void float_by_float_to_half(device float* a [[buffer(0)]], device float* b [[buffer(1)]],
                                   device half* d [[buffer(2)]]) {
  product<16, 16, 16, execution_simdgroup>(a, b, d);
}

//@ kernel operands_swapped
//@ expect compile_error at=nowhere
kernel void operands_swapped(device half* a [[buffer(0)]], device int* b [[buffer(1)]], device float* d [[buffer(2)]]) {
  product<16, 16, 16, execution_simdgroup>(a, b, d);
}

//@ kernel cooperative_input_of_four_subgroups
//@ expect compile_error at=nowhere
kernel void cooperative_input_of_four_subgroups(device half* a [[buffer(0)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16);
  matmul2d<descriptor, execution_simdgroups<4>> op;
  auto left = op.get_left_input_cooperative_tensor<half, half, float>();
  Matrix<half> A(a, E2(16, 16));
  left.load(A);
}
