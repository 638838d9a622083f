// Kernels that break a rule of the tensor operations, one each; the line of the report has a marker with its kind.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

using Shape = dextents<int32_t, 2>;
constexpr constant auto kAdd = matmul2d_descriptor::mode::multiply_accumulate;

// a: 40 x 40, b: 40 x 40, d: 40 x 40, all of them float.
kernel void static_left_past_edge(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40)).slice<dynamic_extent, 16>(0, 32);
  auto right = tensor(b, Shape(40, 40)).slice(0, 0);
  auto out = tensor(d, Shape(40, 40)).slice(0, 32);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void static_right_past_edge(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40)).slice<16, dynamic_extent>(32, 0);
  auto out = tensor(d, Shape(40, 40)).slice(32, 0);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void static_destination_past_edge(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40)).slice(32, 0);
  auto out = tensor(d, Shape(40, 40)).slice<16, 16>(32, 0);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void static_store_past_edge(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40)).slice(32, 0);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, sums);
  sums.store(tensor(d, Shape(40, 40)).slice<16, 16>(32, 0));  // <- mpp_misuse
}

kernel void static_smaller_than_tile(device float* a, device float* b, device float* d) {
  auto left = tensor(a, extents<int, 40, 8>(), array<int, 2>{1, 40});
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void zero_extent_left(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40)).slice(0, 40);
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void zero_extent_right(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40)).slice(40, 0);
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void zero_extent_k(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(0, 40), array<int, 2>{1, 40});
  auto right = tensor(b, Shape(40, 0));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void zero_extent_load(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto tile = op.get_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  tile.load(left.slice(0, 48));  // <- mpp_misuse
  tile.store(tensor(d, Shape(40, 40)));
}

kernel void unwritten_destination(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, false, false, kAdd), execution_simdgroup>
      op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, sums);  // <- uninitialized_read
  sums.store(tensor(d, Shape(40, 40)));
}

kernel void unwritten_half_destination(device half* a, device half* b, device half* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, false, false, kAdd),
           execution_simdgroups<2>>
      op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), half>();
  op.run(left, right, sums);  // <- uninitialized_read
  sums.store(tensor(d, Shape(40, 40)));
}

kernel void unwritten_store(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  sums.store(tensor(d, Shape(40, 40)));  // <- uninitialized_read
}

kernel void unwritten_input(device float* a, device float* b, device float* d, ushort lane [[thread_index_in_simdgroup]]) {
  matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> op;
  auto left = op.get_left_input_cooperative_tensor<float, float, float>();
  auto right = op.get_right_input_cooperative_tensor<float, float, float>();
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  left.load(tensor(a, Shape(40, 40)));
  for (ushort i = 0; i < right.get_capacity(); ++i) {
    if (lane != 7) right[i] = 1.0f;
  }
  op.run(left, right, sums);  // <- uninitialized_read
  sums.store(tensor(d, Shape(40, 40)));
}

kernel void unwritten_source_of_reduction(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  auto rows = op.get_row_reduction_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  reduce_rows(sums, rows);  // <- uninitialized_read
  rows.store(tensor(d, extents<int, 16>()));
}

kernel void index_over_capacity(device float* a, device float* b, device float* d,
            ushort lane [[thread_index_in_simdgroup]]) {
  matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> op;
  auto left = op.get_left_input_cooperative_tensor<float, float, float>();
  for (short i = 0; i < 16; ++i) {
    left[i] = a[i];  // <- mpp_misuse
  }
  d[lane] = left[0];
}

kernel void iterator_over_capacity(device float* a, device float* b, device float* d,
            ushort lane [[thread_index_in_simdgroup]]) {
  auto operand = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto tile = op.get_destination_cooperative_tensor<decltype(operand), decltype(operand), float>();
  tile.load(operand);
  auto it = tile.end();  // <- mpp_misuse
  d[lane] = *it;
}

kernel void inner_stride_left(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40), array<int, 2>{40, 1});
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void inner_stride_destination(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40), array<int, 2>{40, 1});
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void inner_stride_store(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  op.run(left, left, sums);
  sums.store(tensor(d, Shape(20, 20), array<int, 2>{2, 80}));  // <- mpp_misuse
}

kernel void scope_of_four_groups(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroups<4>> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void destination_is_left(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(a, Shape(40, 40)).slice(8, 8);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void k_disagrees(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40)).slice(16, 0);
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

kernel void lanes_disagree(device float* a, device float* b, device float* d, ushort lane [[thread_index_in_simdgroup]]) {
  auto left = tensor(a, Shape(40, 40)).slice(0, lane < 31 ? 0 : 8);
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}

// Without asking: wrong under the seeds that give inputs a layout of their own.
kernel void converted_without_asking(device float* a, device float* b, device float* d,
            ushort lane [[thread_index_in_simdgroup]]) {
  auto operand = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 32), execution_simdgroup> first;
  matmul2d<matmul2d_descriptor(16, 32, 32), execution_simdgroup> second;
  auto tile = first.get_destination_cooperative_tensor<decltype(operand), decltype(operand), float>();
  first.run(operand, operand, tile);
  auto left = second.get_left_input_cooperative_tensor<float, float, float>(tile);  // <- mpp_misuse
  d[lane] = left[0];
}

// Extents that claim more than the buffer has.
kernel void extents_over_buffer(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 48));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  auto part = left.slice(0, 32);
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(part, right, out);  // <- out_of_bounds
}

kernel void store_over_buffer(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(left), float>();
  op.run(left, left, sums);
  sums.store(tensor(d, Shape(48, 40)).slice(32, 28));  // <- out_of_bounds
}

// Each lane writes a tile of its own where the other one does.
kernel void subgroups_share_a_tile(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- race
}

kernel void no_barrier_after_staging(device float* a, device float* b, device float* d,
                                     ushort index [[thread_index_in_threadgroup]]) {
  threadgroup float staged[16 * 16];
  for (int i = index; i < 256; i += 64) staged[i] = a[i];
  auto left = tensor(staged, extents<int, 16, 16>());
  auto right = tensor(b, Shape(40, 16));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroups<2>> op;
  op.run(left, right, out);  // <- race
}

kernel void some_lanes_stay_away(device float* a, device float* b, device float* d,
                                 ushort lane [[thread_index_in_simdgroup]]) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  if (lane < 16) op.run(left, right, out);  // <- barrier_divergence
}

kernel void unstaged_threadgroup_memory(device float* a, device float* b, device float* d) {
  threadgroup float staged[16 * 16];
  auto left = tensor(staged, extents<int, 16, 16>());
  auto right = tensor(b, Shape(40, 16));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- uninitialized_read
}

// Launched with 20 threads.
kernel void narrow_scope(device float* a, device float* b, device float* d) {
  auto left = tensor(a, Shape(40, 40));
  auto right = tensor(b, Shape(40, 40));
  auto out = tensor(d, Shape(40, 40));
  matmul2d<matmul2d_descriptor(16, 16), execution_simdgroup> op;
  op.run(left, right, out);  // <- mpp_misuse
}
