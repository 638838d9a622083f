//@ dialect c++20
//@ metal 400
// Operations of MPP outside the rules under which they are defined.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

using E2 = dextents<int32_t, 2>;
template <class T>
using Matrix = tensor<device T, E2, tensor_inline>;
using mode = matmul2d_descriptor::mode;

//@ kernel four_subgroups_declared_two_launched
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 512 mixed
//@ buffer 1 f16 512 mixed
//@ buffer 2 f32 1024 uninitialized
//@ expect mpp_misuse text=4
kernel void four_subgroups_declared_two_launched(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                                 device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 32)), B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 32));
  constexpr auto descriptor = matmul2d_descriptor(32, 32, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroups<4>> op;
  op.run(A, B, D);  // <- mpp_misuse
}

//@ kernel two_subgroups_declared_four_launched
//@ launch groups=1,1,1 threads=128,1,1
//@ buffer 0 f16 512 mixed
//@ buffer 1 f16 512 mixed
//@ buffer 2 f32 1024 uninitialized
//@ expect mpp_misuse text=2
kernel void two_subgroups_declared_four_launched(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                                 device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 32)), B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 32));
  constexpr auto descriptor = matmul2d_descriptor(32, 32, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroups<2>> op;
  op.run(A, B, D);  // <- mpp_misuse
}

//@ kernel static_slice_past_k
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 640 mixed
//@ buffer 1 f16 640 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect mpp_misuse
kernel void static_slice_past_k(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                device float* d [[buffer(2)]]) {
  const int K = 40;  // the second slice of 32 ends at 64
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
    op.run(left, right, sum);  // <- mpp_misuse
  }
  sum.store(D);
}

//@ kernel static_slice_past_the_last_row
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f16 384 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 384 uninitialized
//@ expect mpp_misuse
kernel void static_slice_past_the_last_row(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                           device float* d [[buffer(2)]], uint g [[threadgroup_position_in_grid]]) {
  const int M = 24;
  Matrix<half> A(a, E2(16, M)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, M));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = A.slice<16, 16>(0, int(g) * 16);
  auto result = D.slice(0, int(g) * 16);
  op.run(left, B, result);  // <- mpp_misuse
}

//@ kernel empty_tile_at_the_end_of_k
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 512 mixed
//@ buffer 1 f16 512 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect mpp_misuse
kernel void empty_tile_at_the_end_of_k(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                       device float* d [[buffer(2)]]) {
  const int K = 32;
  Matrix<half> A(a, E2(K, 16)), B(b, E2(16, K));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor =
      matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  for (ushort i = 0; i < sum.get_capacity(); ++i) sum[i] = 0.0f;
  for (int k = 0; k <= K; k += 16) {  // one step too many
    const int left_over = min(16, K - k);
    Matrix<half> left(a + k, E2(left_over, 16), array<int32_t, 2>{1, K});
    Matrix<half> right(b + k * 16, E2(16, left_over));
    op.run(left, right, sum);  // <- mpp_misuse
  }
  sum.store(D);
}

//@ kernel past_the_capacity
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect mpp_misuse
kernel void past_the_capacity(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                              device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  op.run(A, B, sum);
  for (ushort i = 0; i <= sum.get_capacity(); ++i) sum[i] = sum[i] * 2.0f;  // <- mpp_misuse
  sum.store(D);
}

//@ kernel transposed_by_strides
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect mpp_misuse text=stride
kernel void transposed_by_strides(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                  device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16), array<int32_t, 2>{16, 1}), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);  // <- mpp_misuse
}

//@ kernel destination_not_zeroed
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect uninitialized_read
//@ allow uninitialized_read at=store
kernel void destination_not_zeroed(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                   device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16, false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  op.run(A, B, sum);  // <- uninitialized_read
  sum.store(D);  // <- store
}

//@ kernel stored_before_the_product
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f32 256 uninitialized
//@ expect uninitialized_read
kernel void stored_before_the_product(device float* d [[buffer(0)]]) {
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto sum = op.get_destination_cooperative_tensor<Matrix<half>, Matrix<half>, float>();
  sum.store(D);  // <- uninitialized_read
}

//@ kernel accumulates_onto_poison
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect uninitialized_read object=d
kernel void accumulates_onto_poison(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                    device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16, false, false, false, mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);  // <- uninitialized_read
}

//@ kernel extents_larger_than_the_buffer
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 240 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect out_of_bounds object=a
kernel void extents_larger_than_the_buffer(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                           device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);  // <- out_of_bounds
}

//@ kernel half_of_the_group_runs_it
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 512 mixed
//@ buffer 2 f32 512 uninitialized
//@ expect barrier_divergence
kernel void half_of_the_group_runs_it(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                      device float* d [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16);
  matmul2d<descriptor, execution_simdgroups<2>> op;
  if (t >= 32) op.run(A, B, D);  // <- barrier_divergence
}

//@ kernel two_groups_store_one_tile
//@ launch groups=2,1,1 threads=32,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ expect race object=d
kernel void two_groups_store_one_tile(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                      device float* d [[buffer(2)]]) {
  Matrix<half> A(a, E2(16, 16)), B(b, E2(16, 16));
  Matrix<float> D(d, E2(16, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(A, B, D);  // <- race
}

//@ kernel staged_operand_without_barrier
//@ launch groups=1,1,1 threads=64,1,1
//@ buffer 0 f16 256 mixed
//@ buffer 1 f16 512 mixed
//@ buffer 2 f32 512 uninitialized
//@ expect race object=stage
kernel void staged_operand_without_barrier(device half* a [[buffer(0)]], device half* b [[buffer(1)]],
                                           device float* d [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup half stage[256];
  for (uint i = t; i < 256; i += 64) stage[i] = a[i];  // <- race
  tensor<threadgroup half, E2, tensor_inline> A(stage, E2(16, 16));
  Matrix<half> B(b, E2(32, 16));
  Matrix<float> D(d, E2(32, 16));
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16);
  matmul2d<descriptor, execution_simdgroups<2>> op;
  op.run(A, B, D);  // <- race
}

//@ kernel handle_larger_than_its_buffer
//@ launch groups=1,1,1 threads=32,1,1
//@ buffer 0 f16 250 mixed
//@ buffer 1 f16 256 mixed
//@ buffer 2 f32 256 uninitialized
//@ tensor 0 extents=16,16
//@ tensor 1 extents=16,16
//@ tensor 2 extents=16,16
//@ expect out_of_bounds object=a
kernel void handle_larger_than_its_buffer(tensor<device half, E2> a [[buffer(0)]], tensor<device half, E2> b [[buffer(1)]],
                                          tensor<device float, E2> d [[buffer(2)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroup> op;
  op.run(a, b, d);  // <- out_of_bounds
}

//@ kernel element_outside_the_extents
//@ launch groups=1,1,1 threads=1,1,1
//@ buffer 0 f32 64 iota
//@ buffer 1 f32 1 zero
//@ tensor 0 extents=8,8
//@ expect out_of_bounds object=a
kernel void element_outside_the_extents(tensor<device float, E2> a [[buffer(0)]], device float* out [[buffer(1)]]) {
  out[0] = a[0, 8];  // <- out_of_bounds
}
