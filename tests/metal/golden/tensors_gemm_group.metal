// gemm_tn for metal-mpp
// gemm_tn M=64 N=64 K=20 BM=64 BN=64 BK=32
//
// buffers
//   0 = A: f32[1280], read
//   1 = B: f32[1280], read
//   2 = C: f32[4096], write
// launches, in this order
//   gemm_tn_0: grid 1 x 1 x 1, 128 threads a group
// atoms: metal.mpp; MSL 4.0
// flags: msl-4.0, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 4b1cc0e0cf393389e777bc021ac2a69f

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

[[kernel, max_total_threads_per_threadgroup(128)]]
void gemm_tn_0(device float* A [[buffer(0)]],
               device float* B [[buffer(1)]],
               device float* C [[buffer(2)]]) {
  using A_extents = extents<int32_t, 64, dynamic_extent>;
  using A_view = tensor<device float, A_extents, tensor_inline>;
  using B_extents = extents<int32_t, 64, dynamic_extent>;
  using B_view = tensor<device float, B_extents, tensor_inline>;
  constexpr auto multiply_shape = matmul2d_descriptor(
      64, 64, static_cast<int>(dynamic_extent), true, false, false, matmul2d_descriptor::mode::multiply);
  matmul2d<multiply_shape, execution_simdgroups<4>> multiply;
  auto product = multiply.get_destination_cooperative_tensor<A_view, B_view, float>();
  A_view A_part(A, A_extents(20), array<int32_t, 2>{1, 64});
  B_view B_part(B, B_extents(20), array<int32_t, 2>{1, 64});
  multiply.run(A_part, B_part, product);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  auto C_part = tensor(C, extents<int32_t, 64, 64>(), array<int32_t, 2>{1, 64});
  product.store(C_part);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
