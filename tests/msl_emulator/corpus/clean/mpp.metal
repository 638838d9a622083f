//@ dialect c++20
//@ metal 400
// Twins of faults/mpp_misuse.metal: inside the rules.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

using E2 = dextents<int32_t, 2>;
template <class T>
using Matrix = tensor<device T, E2, tensor_inline>;
using mode = matmul2d_descriptor::mode;

//@ kernel four_subgroups
//@ launch groups=1,1,1 threads=128,1,1
//@ buffer 0 f16 512 value 1
//@ buffer 1 f16 512 value 2
//@ buffer 2 f32 1024 uninitialized
//@ expect none
//@ result 2 value 32
kernel void four_subgroups(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 32)), B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 32));
  constexpr auto descriptor = matmul2d_descriptor(32, 32, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroups<4>> op;
  op.run(A, B, D);
}

//@ kernel each_subgroup_alone
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 512 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 512 uninitialized
//@ expect none
//@ result 2 value 16
kernel void each_subgroup_alone(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]],
                                ushort s [[simdgroup_index_in_threadgroup]]) {
  Matrix<half> A(a, E2(16, 32)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 32));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = A.slice(0, s * 16);
  auto result = D.slice(0, s * 16);
  op.run(left, B, result);
}

//@ kernel static_slices_inside
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 1024 value 1
//@ buffer 1 f16 1024 value 1
//@ buffer 2 f32 256 uninitialized
//@ expect none
//@ result 2 value 64
kernel void static_slices_inside(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                 device float* d [[buffer(2)]]) {
  const int K = 64;
  Matrix<half> A(a, E2(K, 16)), B(b, E2(16, K));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 32, false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto first = A.slice<32, 16>(0, 0);
  auto sum = op.get_destination_cooperative_tensor<decltype(first), decltype(B), float>();
  for (ushort i = 0; i < sum.get_capacity(); ++i) sum[i] = 0.0f;
  for (int k = 0; k < K; k += 32) {
    auto left = A.slice<32, 16>(k, 0);
    auto right = B.slice<16, 32>(0, k);
    op.run(left, right, sum);
  }
  sum.store(D);
}

//@ kernel dynamic_slices_are_clipped
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f16 480 value 1
//@ buffer 1 f16 320 value 1
//@ buffer 2 f32 384 uninitialized
//@ expect none
//@ result 2 value 20
kernel void dynamic_slices_are_clipped(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                       device float* d [[buffer(2)]], uint g [[threadgroup_position_in_grid]]) {
  Matrix<half> A(a, E2(20, 24)), B(b, E2(16, 20));
  Matrix<float> D(d, E2(16, 24));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = A.slice(0, int(g) * 16);
  auto result = D.slice(0, int(g) * 16);
  op.run(left, B, result);
}

//@ kernel last_tile_of_k_is_clamped
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 528 value 1
//@ buffer 1 f16 528 value 1
//@ buffer 2 f32 256 uninitialized
//@ expect none
//@ result 2 value 33
kernel void last_tile_of_k_is_clamped(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                      device float* d [[buffer(2)]]) {
  const int K = 33;
  Matrix<half> A(a, E2(K, 16)), B(b, E2(16, K));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor =
      matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  for (ushort i = 0; i < sum.get_capacity(); ++i) sum[i] = 0.0f;
  for (int k = 0; k < K; k += 16) {
    const int left_over = min(16, K - k);
    Matrix<half> left(a + k, E2(left_over, 16), array<int32_t, 2>{1, K});
    Matrix<half> right(b + k * 16, E2(16, left_over));
    op.run(left, right, sum);
  }
  sum.store(D);
}

//@ kernel epilogue_within_the_capacity
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 256 uninitialized
//@ expect none
//@ result 2 value 32
kernel void epilogue_within_the_capacity(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                         device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  op.run(A, B, sum);
  for (ushort i = 0; i < sum.get_capacity(); ++i) {
    if (sum.is_valid_element(i)) sum[i] = sum[i] * 2.0f;
  }
  sum.store(D);
}

//@ kernel transposed_by_the_flag
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 value 1
//@ buffer 1 f16 256 iota
//@ buffer 2 f32 256 uninitialized
//@ expect none
kernel void transposed_by_the_flag(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                   device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), true, true);
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);
}

//@ kernel zeroed_destination
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 256 uninitialized
//@ device zero_cooperative_destinations
//@ expect none
//@ result 2 value 16
kernel void zeroed_destination(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                               device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16, false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  op.run(A, B, sum);
  sum.store(D);
}

//@ kernel multiply_overwrites_poison
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 256 uninitialized
//@ expect none
//@ result 2 value 16
kernel void multiply_overwrites_poison(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                       device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16, false, false, false, mode::multiply);
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);
}

//@ kernel two_groups_two_tiles
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f16 512 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 512 uninitialized
//@ expect none
//@ result 2 value 16
kernel void two_groups_two_tiles(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                 device float* d [[buffer(2)]], uint g [[threadgroup_position_in_grid]]) {
  Matrix<half> A(a, E2(16, 32)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 32));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = A.slice<16, 16>(0, int(g) * 16);
  auto result = D.slice<16, 16>(0, int(g) * 16);
  op.run(left, B, result);
}

//@ kernel staged_operand_with_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 256 value 1
//@ buffer 1 f16 512 value 1
//@ buffer 2 f32 512 uninitialized
//@ expect none
//@ result 2 value 16
kernel void staged_operand_with_barrier(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                        device float* d [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup half stage[256];
  for (uint i = t; i < 256; i += 64) stage[i] = a[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tensor<threadgroup half, E2, tensor_inline> A(stage, E2(16, 16));
  Matrix<half> B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16);
  matmul2d<descriptor, execution_simdgroups<2>> op;
  op.run(A, B, D);
}

//@ kernel handles
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 376 value 1
//@ buffer 1 f16 256 value 1
//@ buffer 2 f32 256 uninitialized
//@ tensor 0 extents=16,16 strides=1,24
//@ tensor 1 extents=16,16
//@ tensor 2 extents=16,16
//@ expect none
//@ result 2 value 16
kernel void handles(tensor<device half, E2> a [[buffer(0)]], tensor<device half, E2> b [[buffer(1)]],
                    tensor<device float, E2> d [[buffer(2)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(a, b, d);
}
