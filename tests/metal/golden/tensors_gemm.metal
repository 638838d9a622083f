// gemm for metal-mpp
// gemm M=64 N=64 K=64 BM=32 BN=32 BK=64
//
// buffers
//   0 = A: f32[4096], read
//   1 = B: f32[4096], read
//   2 = C: f32[4096], write
// launches, in this order
//   gemm_0: grid 2 x 2 x 1, 256 threads a group
// atoms: metal.mpp; MSL 4.0
// flags: msl-4.0, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 51d00731fe53671875fa93b85450d32c

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

[[kernel, max_total_threads_per_threadgroup(256)]]
void gemm_0(device float* A [[buffer(0)]],
            device float* B [[buffer(1)]],
            device float* C [[buffer(2)]],
            uint2 task [[threadgroup_position_in_grid]],
            ushort simd_group [[simdgroup_index_in_threadgroup]]) {
  const int task0 = int(task.y);
  const int task1 = int(task.x);
  const int subgroup = simd_group;
  using A_extents = extents<int32_t, dynamic_extent, 8>;
  using A_view = tensor<device float, A_extents, tensor_inline>;
  using B_extents = extents<int32_t, 16, dynamic_extent>;
  using B_view = tensor<device float, B_extents, tensor_inline>;
  constexpr auto multiply_shape = matmul2d_descriptor(
      8, 16, static_cast<int>(dynamic_extent), false, false, false, matmul2d_descriptor::mode::multiply);
  matmul2d<multiply_shape, execution_simdgroup> multiply;
  const int at = subgroup % 2 * 16;
  const int at_1 = task0 * 2048;
  const int at_2 = task1 * 32;
  const int at_3 = subgroup / 2 * 8 * 64;
  auto product = multiply.get_destination_cooperative_tensor<A_view, B_view, float>();
  A_view A_part(A + at_1 + at_3, A_extents(64), array<int32_t, 2>{1, 64});
  B_view B_part(B + at_2 + at, B_extents(64), array<int32_t, 2>{1, 64});
  multiply.run(A_part, B_part, product);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  auto C_part = tensor(C + at_1 + at_2 + at_3 + at, extents<int32_t, 16, 8>(), array<int32_t, 2>{1, 64});
  product.store(C_part);
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
