// Kernels in the shapes that public code has.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

using Shape = dextents<int32_t, 2>;

// Weights dequantized to threadgroup memory, activations straight from device memory; k clamped in the last step.
// d is n x m (n activations of m outputs). weights: m x k int8 with one scale a row.
[[kernel]] void dequantized(device const int8_t* weights [[buffer(0)]], device const float* scales [[buffer(1)]],
                            device float* activations [[buffer(2)]], device float* d [[buffer(3)]],
                            constant int3& mnk [[buffer(4)]], threadgroup char* shared [[threadgroup(0)]],
                            uint2 tile [[threadgroup_position_in_grid]], ushort index [[thread_index_in_threadgroup]]) {
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  constexpr int kRows = 32, kColumns = 64, kDepth = 32;
  const int row = int(tile.y) * kRows, column = int(tile.x) * kColumns;
  threadgroup half* staged = (threadgroup half*)(shared);
  auto whole = tensor(staged, Shape(kDepth, kRows));
  auto given = tensor(activations, Shape(k, n), array<int, 2>({1, k}));
  matmul2d<matmul2d_descriptor(kColumns, kRows, static_cast<int>(dynamic_extent), false, true, true,
                               matmul2d_descriptor::mode::multiply_accumulate),
           execution_simdgroups<4>>
      op;
  auto sums = op.get_destination_cooperative_tensor<decltype(given), decltype(whole), float>();
#ifdef ZEROED
  for (ushort i = 0; i < sums.get_capacity(); ++i) sums[i] = 0;
#endif
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    for (int i = index; i < kRows * kDepth; i += 128) {
      const int r = row + i / kDepth, c = k0 + i % kDepth;
      staged[i] = r < m && c < k ? half(weights[r * k + c] * scales[r]) : half(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const int depth = min(kDepth, k - k0);
    auto left = tensor(activations + k0 + column * k, Shape(depth, n - column), array<int, 2>({1, k}));
    auto right = tensor(staged, Shape(depth, kRows), array<int, 2>({1, kDepth}));
    op.run(left, right, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  auto out = tensor(d, Shape(m, n), array<int, 2>({1, m}));
  sums.store(out.slice(row, column));
}

// Static slices inside, dynamic ones at the edge, an epilogue over iterators: d = alpha * a * b + beta * self.
template <typename T, int Rows, int Columns, int Groups>
[[kernel]] void epilogue(device T* a [[buffer(0)]], device T* b [[buffer(1)]], device T* d [[buffer(2)]],
                         constant int3& mnk [[buffer(3)]], device const T* self [[buffer(4)]],
                         constant float2& alpha_beta [[buffer(5)]], uint2 tile [[threadgroup_position_in_grid]]) {
  const int m = mnk.x, n = mnk.y, k = mnk.z;
  tensor<device T, Shape, tensor_inline> left(a, Shape(k, m), array<int32_t, 2>{1, k});
  tensor<device T, Shape, tensor_inline> right(b, Shape(n, k), array<int32_t, 2>{1, n});
  tensor<device T, Shape, tensor_inline> out(d, Shape(n, m), array<int32_t, 2>{1, n});
  constexpr auto descriptor = matmul2d_descriptor(Rows, Columns, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroups<Groups>> op;
  const int row = int(tile.y) * Rows, column = int(tile.x) * Columns;
  const bool inside = row + Rows <= m && column + Columns <= n;
  auto finish = [&](thread auto& sums, thread auto& rounded) {
    uint16_t i = 0;
    for (auto it = sums.begin(); it != sums.end(); ++it, ++i) {
      if (!sums.is_valid_element(it)) continue;
      auto at = it.get_multidimensional_index();
      const int r = row + int(at[1]), c = column + int(at[0]);
      const float old = r < m && c < n ? float(self[r * n + c]) : 0.0f;
      rounded[i] = T(alpha_beta.x * sums[i] + alpha_beta.y * old);
    }
  };
  if (inside) {
    auto part_left = left.template slice<dynamic_extent, Rows>(0, row);
    auto part_right = right.template slice<Columns, dynamic_extent>(column, 0);
    auto part_out = out.template slice<Columns, Rows>(column, row);
    auto sums = op.template get_destination_cooperative_tensor<decltype(part_left), decltype(part_right), float>();
    auto rounded = op.template get_destination_cooperative_tensor<decltype(part_left), decltype(part_right), T>();
    op.run(part_left, part_right, sums);
    finish(sums, rounded);
    rounded.store(part_out);
  } else {
    auto part_left = left.slice(0, row);
    auto part_right = right.slice(column, 0);
    auto part_out = out.slice(column, row);
    auto sums = op.template get_destination_cooperative_tensor<decltype(part_left), decltype(part_right), float>();
    auto rounded = op.template get_destination_cooperative_tensor<decltype(part_left), decltype(part_right), T>();
    op.run(part_left, part_right, sums);
    finish(sums, rounded);
    rounded.store(part_out);
  }
}
template [[host_name("epilogue_h")]] [[kernel]] decltype(epilogue<half, 64, 32, 4>) epilogue<half, 64, 32, 4>;
template [[host_name("epilogue_f")]] [[kernel]] decltype(epilogue<float, 16, 64, 2>) epilogue<float, 16, 64, 2>;

// 16x16 fragments in registers with the lane map of M5 written out, as no kernel may. m, n, k multiples of 16, 32, 16.
template <typename T>
[[kernel]] void m5_map(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device float* d [[buffer(2)]],
                       constant int3& mnk [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]],
                       ushort lane [[thread_index_in_simdgroup]]) {
  const int n = mnk.y, k = mnk.z;
  const int row = int(tile.y) * 16 + 4 * (lane >> 4) + ((lane >> 1) & 3);
  const int column = 8 * ((lane >> 3) & 1) + 4 * (lane & 1);
  constexpr auto descriptor =
      matmul2d_descriptor(16, 32, 16, false, false, true, matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = op.template get_left_input_cooperative_tensor<T, T, float>();
  auto right = op.template get_right_input_cooperative_tensor<T, T, float>();
  auto sums = op.template get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  for (short i = 0; i < 16; ++i) sums[i] = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (short i = 0; i < 8; ++i) {
      const int r = 8 * (i >> 2), c = column + (i & 3);
      left[i] = a[(row + r) * k + k0 + c];
      for (short piece = 0; piece < 2; ++piece) {
        right[8 * piece + i] =
            b[(k0 + row - int(tile.y) * 16 + r) * n + int(tile.x) * 32 + 16 * piece + c];
      }
    }
    op.run(left, right, sums);
  }
  for (short i = 0; i < 8; ++i) {
    for (short piece = 0; piece < 2; ++piece) {
      d[(row + 8 * (i >> 2)) * n + int(tile.x) * 32 + 16 * piece + column + (i & 3)] = sums[8 * piece + i];
    }
  }
}
template [[host_name("m5_map_h")]] [[kernel]] decltype(m5_map<half>) m5_map<half>;
template [[host_name("m5_map_b")]] [[kernel]] decltype(m5_map<bfloat>) m5_map<bfloat>;

// One tile of attention: softmax(q k^t) v with row reductions; the weights go to the second product in registers where
// the layouts allow it, else through memory. 16 queries, 32 keys, head 32.
[[kernel]] void attention(device half* q [[buffer(0)]], device half* keys [[buffer(1)]], device half* values [[buffer(2)]],
                          device float* d [[buffer(3)]], device int* path [[buffer(4)]],
                          ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup half staged[16 * 32];
  auto tq = tensor(q, extents<int, 32, 16>());
  auto tk = tensor(keys, extents<int, 32, 32>());
  auto tv = tensor(values, extents<int, 32, 32>());
  auto td = tensor(d, extents<int, 32, 16>());
  matmul2d<matmul2d_descriptor(16, 32, 32, false, true), execution_simdgroup> scores_op;
  matmul2d<matmul2d_descriptor(16, 32, 32), execution_simdgroup> values_op;
  auto scores = scores_op.get_destination_cooperative_tensor<decltype(tq), decltype(tk), float>();
  auto highest = scores_op.get_row_reduction_destination_cooperative_tensor<decltype(tq), decltype(tk), float>();
  auto sum = scores_op.get_row_reduction_destination_cooperative_tensor<decltype(tq), decltype(tk), float>();
  scores_op.run(tq, tk, scores);
  reduce_rows(scores, highest, reduction_operation::max, reduction_operation_identity<float>::max_identity);
  for (auto it = scores.begin(); it != scores.end(); it++) {
    if (it.is_valid_element()) *it = exp(*it - *highest.map_iterator(it));
  }
  reduce_rows(scores, sum);
  if (is_iterator_compatible(scores, sum)) {
    for (auto it = scores.begin(); it != scores.end(); it++) {
      if (it.is_valid_element()) *it /= *sum.map_iterator(it);
    }
  }
  const bool direct = values_op.is_compatible_as_left_input<half, half, float>(scores);
  if (lane == 0) path[0] = direct;
  if (direct) {
    auto weights = values_op.get_left_input_cooperative_tensor<half, half, float>(scores);
    auto right = values_op.get_right_input_cooperative_tensor<half, half, float>();
    right.load(tv);
    auto out = values_op.get_destination_cooperative_tensor<decltype(weights), decltype(right), float>();
    values_op.run(weights, right, out);
    out.store(td);
  } else {
    for (ushort i = 0; i < scores.get_capacity(); ++i) {
      if (!scores.is_valid_element(i)) continue;
      const auto at = scores.get_multidimensional_index(i);
      staged[at[1] * 32 + at[0]] = half(scores[i]);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    auto weights = tensor(staged, extents<int, 32, 16>());
    values_op.run(weights, tv, td);
  }
}

// Row and column reductions of a product, stored; `low` has the default identity.
[[kernel]] void reductions(device half* a [[buffer(0)]], device half* b [[buffer(1)]], device float* sums [[buffer(2)]],
                           device float* highest [[buffer(3)]], device float* low [[buffer(4)]],
                           device float* column_sums [[buffer(5)]]) {
  auto left = tensor(a, extents<int, 16, 16>());
  auto right = tensor(b, extents<int, 32, 16>());
  matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> op;
  auto product = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, product);
  auto row = op.get_row_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  auto column = op.get_column_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  reduce_rows(product, row);
  row.store(tensor(sums, extents<int, 16>()));
  reduce_rows(product, row, reduction_operation::max, reduction_operation_identity<float>::max_identity);
  row.store(tensor(highest, extents<int, 16>()));
  reduce_rows(product, row, reduction_operation::max);
  row.store(tensor(low, extents<int, 16>()));
  reduce_columns(product, column);
  column.store(tensor(column_sums, extents<int, 32>()));
}

// Every element of a destination is held exactly once: each valid slot counts itself.
[[kernel]] void ownership(device atomic_int* count [[buffer(0)]], device int* valid [[buffer(1)]],
                          ushort index [[thread_index_in_threadgroup]]) {
  using Operand = tensor<device half, Shape, tensor_inline>;
  matmul2d<matmul2d_descriptor(24, 48), execution_simdgroups<2>> op;
  auto tile = op.get_destination_cooperative_tensor<Operand, Operand, float>();
  int held = 0;
  for (ushort i = 0; i < tile.get_capacity(); ++i) {
    if (!tile.is_valid_element(i)) continue;
    const auto at = tile.get_multidimensional_index(i);
    atomic_fetch_add_explicit(&count[at[1] * 48 + at[0]], 1, memory_order_relaxed);
    ++held;
  }
  valid[index] = held;
}

// Elements, extents, strides and slices of views of rank 1 to 3. out: what the test expects in order.
[[kernel]] void views(device float* data [[buffer(0)]], device float* out [[buffer(1)]]) {
  tensor<device float, extents<int, 4, 3, 2>, tensor_inline> cube(data, extents<int, 4, 3, 2>());
  auto rest = cube.slice(1, 1, 0);
  auto fixed = cube.slice<2, dynamic_extent, 1>(2, 0, 1);
  auto strided = tensor(data, dextents<uint, 2>(3u, 2u), array<uint, 2>{2u, 12u});
  auto mixed = tensor(data, extents<short, dynamic_extent, 3>(short(8)));
  auto line = tensor(data, extents<int, dynamic_extent>(24));
  int n = 0;
  out[n++] = cube[3, 2, 1];
  out[n++] = rest[0, 0, 0];
  out[n++] = fixed[1, 2, 0];
  out[n++] = strided[2, 1];
  out[n++] = strided[array<int, 2>{1, 1}];
  out[n++] = line[7];
  out[n++] = rest.load(3, 0, 0);  // past the edge
  out[n++] = rest.load(2, 0, 0);
  out[n++] = line.load(-1);
  rest.store(100.0f, 3, 0, 0);  // dropped
  rest.store(101.0f, 2, 1, 1);
  out[n++] = data[23];
  out[n++] = cube.get_rank() * 100 + rest.get_extent(0) * 10 + rest.get_extent(1);
  out[n++] = fixed.get_extent(1) * 100 + fixed.get_extent(0) * 10 + fixed.get_extent(2);
  out[n++] = cube.get_stride(2) * 100 + strided.get_stride(0);
  out[n++] = mixed.get_extent(0) * 10 + mixed.get_extent(1);
  out[n++] = decltype(fixed)::get_static_extent(0) + (decltype(fixed)::get_static_extent(1) == dynamic_extent ? 10 : 0);
}
