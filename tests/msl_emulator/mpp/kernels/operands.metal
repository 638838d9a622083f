// matmul2d over every kind of operand: element types, transposes, memories, scopes.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

using Shape = dextents<int32_t, 2>;

// Device memory on all sides, dynamic k, edges by dynamic slices. mnk: m, n, k.
template <typename A, typename B, typename D, bool TransposeLeft, bool TransposeRight>
[[kernel, max_total_threads_per_threadgroup(128)]]
void gemm_device(device A* a [[buffer(0)]], device B* b [[buffer(1)]], device D* d [[buffer(2)]],
                 constant int3& mnk [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]]) {
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  auto left = tensor<device A, Shape, tensor_inline>(a, TransposeLeft ? Shape(m, k) : Shape(k, m));
  auto right = tensor<device B, Shape, tensor_inline>(b, TransposeRight ? Shape(k, n) : Shape(n, k));
  auto out = tensor<device D, Shape, tensor_inline>(d, Shape(n, m));
  const int row = int(tile.y) * 64, column = int(tile.x) * 32;
  constexpr auto descriptor = matmul2d_descriptor(64, 32, static_cast<int>(dynamic_extent), TransposeLeft, TransposeRight);
  matmul2d<descriptor, execution_simdgroups<4>> op;
  auto part_left = TransposeLeft ? left.slice(row, 0) : left.slice(0, row);
  auto part_right = TransposeRight ? right.slice(0, column) : right.slice(column, 0);
  auto part_out = out.slice(column, row);
  op.run(part_left, part_right, part_out);
}

#define GEMM_DEVICE(name, A, B, D, tl, tr) \
  template [[host_name("device_" name)]] [[kernel]] decltype(gemm_device<A, B, D, tl, tr>) gemm_device<A, B, D, tl, tr>;
GEMM_DEVICE("h_h_f_nn", half, half, float, false, false)
GEMM_DEVICE("h_h_f_tn", half, half, float, true, false)
GEMM_DEVICE("h_h_f_nt", half, half, float, false, true)
GEMM_DEVICE("h_h_f_tt", half, half, float, true, true)
GEMM_DEVICE("h_h_h", half, half, half, false, false)
GEMM_DEVICE("f_f_f", float, float, float, false, false)
GEMM_DEVICE("h_f_f", half, float, float, false, false)
GEMM_DEVICE("f_h_f", float, half, float, false, false)
GEMM_DEVICE("b_b_f", bfloat, bfloat, float, false, false)
GEMM_DEVICE("b_b_b", bfloat, bfloat, bfloat, false, false)
GEMM_DEVICE("b_f_f", bfloat, float, float, false, false)
GEMM_DEVICE("h_b_h", half, bfloat, half, false, false)
GEMM_DEVICE("h_b_b", half, bfloat, bfloat, false, false)
GEMM_DEVICE("h_i_f", half, int8_t, float, false, false)
GEMM_DEVICE("i_h_h", int8_t, half, half, false, false)
GEMM_DEVICE("i_f_f", int8_t, float, float, false, false)
GEMM_DEVICE("i_b_b", int8_t, bfloat, bfloat, false, false)
GEMM_DEVICE("i_i_i", int8_t, int8_t, int, false, false)
GEMM_DEVICE("i_u_i", int8_t, uint8_t, int, false, false)

// Both operands staged in threadgroup memory, static k, a cooperative destination that is zeroed by hand.
template <typename T>
[[kernel]] void gemm_threadgroup(device T* a [[buffer(0)]], device T* b [[buffer(1)]], device float* d [[buffer(2)]],
                                 constant int3& mnk [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]],
                                 ushort thread_index [[thread_index_in_threadgroup]]) {
  threadgroup T sa[64 * 32];
  threadgroup T sb[32 * 32];
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  const int row = int(tile.y) * 64, column = int(tile.x) * 32;
  auto left = tensor(sa, extents<int, 32, 64>());
  auto right = tensor(sb, extents<int, 32, 32>());
  matmul2d<matmul2d_descriptor(64, 32, 32, false, false, false, matmul2d_descriptor::mode::multiply_accumulate),
           execution_simdgroups<4>>
      op;
  auto sums = op.template get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
#pragma unroll
  for (ushort i = 0; i < sums.get_capacity(); ++i) {
    if (sums.is_valid_element(i)) sums[i] = 0;
  }
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = thread_index; i < 64 * 32; i += 128) {
      const int r = row + i / 32, c = k0 + i % 32;
      sa[i] = r < m && c < k ? a[r * k + c] : T(0);
    }
    for (int i = thread_index; i < 32 * 32; i += 128) {
      const int r = k0 + i / 32, c = column + i % 32;
      sb[i] = r < k && c < n ? b[r * n + c] : T(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    op.run(left, right, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  auto out = tensor(d, Shape(n, m));
  sums.store(out.slice(column, row));
}
template [[host_name("threadgroup_h")]] [[kernel]] decltype(gemm_threadgroup<half>) gemm_threadgroup<half>;
template [[host_name("threadgroup_f")]] [[kernel]] decltype(gemm_threadgroup<float>) gemm_threadgroup<float>;

// Each SIMD group a tile of its own; the destination in threadgroup memory, scaled on the way out.
kernel void gemm_simdgroup(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]],
                           constant int3& mnk [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]],
                           ushort subgroup [[simdgroup_index_in_threadgroup]],
                           ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup float staged[2][16 * 8];
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  const int row = int(tile.y) * 32 + subgroup * 16, column = int(tile.x) * 8;
  if (row >= m) return;
  threadgroup float* own = staged[subgroup];
  auto left = tensor(a, Shape(k, m)).slice(0, row);
  auto right = tensor(b, Shape(n, k)).slice(column, 0);
  auto out = tensor(own, extents<int, 8, 16>());
  matmul2d<matmul2d_descriptor(16, 8), execution_simdgroup> op;
  op.run(left, right, out);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (int i = lane; i < 16 * 8; i += 32) {
    const int r = row + i / 8, c = column + i % 8;
    if (r < m && c < n) d[r * n + c] = 2.0f * own[i];
  }
}

// One thread, one 4x8 tile.
kernel void gemm_thread(device float* a [[buffer(0)]], device float* b [[buffer(1)]], device float* d [[buffer(2)]],
                        constant int3& mnk [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  const int row = int(at.y) * 4, column = int(at.x) * 8;
  auto left = tensor(a, Shape(k, m)).slice(0, row);
  auto right = tensor(b, Shape(n, k)).slice(column, 0);
  auto out = tensor(d, Shape(n, m)).slice(column, row);
  matmul2d<matmul2d_descriptor(4, 8), execution_thread> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, sums);
  sums.store(out);
}

// Registers on all sides: inputs loaded by slices, k in steps of 16.
template <typename T, typename D, bool TransposeLeft, bool TransposeRight>
[[kernel]] void gemm_registers(device T* a [[buffer(0)]], device T* b [[buffer(1)]], device D* d [[buffer(2)]],
                               constant int3& mnk [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]]) {
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  const int row = int(tile.y) * 16, column = int(tile.x) * 32;
  auto left = tensor(a, TransposeLeft ? Shape(m, k) : Shape(k, m));
  auto right = tensor(b, TransposeRight ? Shape(k, n) : Shape(n, k));
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16, TransposeLeft, TransposeRight, false,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto part_left = op.template get_left_input_cooperative_tensor<T, T, D>();
  auto part_right = op.template get_right_input_cooperative_tensor<T, T, D>();
  auto sums = op.template get_destination_cooperative_tensor<remove_addrspace_t<decltype(part_left)>,
                                                             remove_addrspace_t<decltype(part_right)>, D>();
  for (auto it = sums.begin(); it != sums.end(); ++it) {
    if (it.is_valid_element()) *it = D(0);
  }
  for (int k0 = 0; k0 < k; k0 += 16) {
    part_left.load(TransposeLeft ? left.slice(row, k0) : left.slice(k0, row));
    part_right.load(TransposeRight ? right.slice(k0, column) : right.slice(column, k0));
    op.run(part_left, part_right, sums);
  }
  sums.store(tensor(d, Shape(n, m)).slice(column, row));
}

#define GEMM_REGISTERS(name, T, D, tl, tr) \
  template [[host_name("registers_" name)]] [[kernel]] decltype(gemm_registers<T, D, tl, tr>) gemm_registers<T, D, tl, tr>;
GEMM_REGISTERS("h_nn", half, float, false, false)
GEMM_REGISTERS("b_nt", bfloat, float, false, true)
GEMM_REGISTERS("f_tn", float, float, true, false)
GEMM_REGISTERS("i_nn", int8_t, int, false, false)

// Handles bound by the host; the epilogue asks where its elements are.
[[kernel]] void gemm_handles(tensor<device half, Shape> a [[buffer(0)]], tensor<device half, Shape> b [[buffer(1)]],
                             tensor<device half, Shape> d [[buffer(2)]], device const float* bias [[buffer(3)]],
                             uint2 tile [[threadgroup_position_in_grid]]) {
  const int row = int(tile.y) * 16, column = int(tile.x) * 16;
  auto left = a.slice(0, row);
  auto right = b.slice(column, 0);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroups<2>> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  auto rounded = op.get_destination_cooperative_tensor<decltype(left), decltype(right), half>();
  op.run(left, right, sums);
  for (ushort i = 0; i < sums.get_capacity(); ++i) {
    if (!sums.is_valid_element(i)) continue;
    const auto at = sums.get_multidimensional_index(i);
    const int c = column + at[0];
    rounded.set(i, half(max(sums.get(i) + (c < d.get_extent(0) ? bias[c] : 0.0f), 0.0f)));
  }
  rounded.store(d.slice(column, row));
}

// The destination in device memory is read and added to; strides wider than the rows.
[[kernel]] void gemm_accumulate(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* d [[buffer(2)]],
                                constant int3& mnk [[buffer(3)]], constant int3& pitch [[buffer(4)]]) {
  auto left = tensor(a, Shape(mnk.z, mnk.x), array<int, 2>{1, pitch.x});
  auto right = tensor(b, Shape(mnk.y, mnk.z), array<int, 2>{1, pitch.y});
  auto out = tensor(d, Shape(mnk.y, mnk.x), array<int, 2>({1, pitch.z}));
  matmul2d<matmul2d_descriptor(32, 32, dynamic_length_v<int>, false, false, false,
                               matmul2d_descriptor::mode::multiply_accumulate),
           execution_simdgroup>
      op;
  op.run(left, right, out);
}
