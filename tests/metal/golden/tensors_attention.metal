// attention for metal-mpp
// attention B=1 Hq=2 Hkv=1 Lq=33 Lk=49 D=16 Dv=16 scale=0.25 BQ=16 BK=16
//
// buffers
//   0 = Q: f32[1056], read
//   1 = K: f32[784], read
//   2 = V: f32[784], read
//   3 = scale: f32[1], by value
//   4 = O: f32[1056], write
// launches, in this order
//   attention_0: grid 6 x 1 x 1, 64 threads a group, 7680 bytes of threadgroup memory
// atoms: metal.mpp; MSL 4.0
// flags: msl-4.0, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 5efc64df01740132da20633afb1ca69b

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// The maximum of IEEE 754-2019: a NaN wins, and -0 is below +0. Metal's max drops NaN.
inline float ieee_max(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}

// What the products of 0 with `count` numbers do to a sum. 1: one is a NaN. 2: one is +0, which makes +0 of -0.
template <typename Numbers>
inline ushort zero_products(Numbers numbers, long step, int count) {
  ushort found = 0;
  for (int k = 0; k < count; ++k) {
    const uint bits = as_type<uint>(float(numbers[k * step]));
    found |= (bits & 0x7f800000u) == 0x7f800000u ? 1 : bits >> 31 == 0u ? 2 : 0;
  }
  return found;
}

// Adds the product of an operand that has no element here, all 0, and the other one: that has the first `present` of
// `lines` rows (columns), each of `depth` numbers, and 0 in the rest. Each lane looks at some of them.
template <int lines, typename Sums, typename Numbers>
inline void add_zero_products(thread Sums& sums, bool by_row, Numbers numbers, long line_step, long step, int present,
                              int depth, int lane) {
  ushort found[(lines + 31) / 32];
  for (int part = 0; part * 32 < lines; ++part) {
    const int own = part * 32 + lane;
    found[part] = depth > 0 ? 2 : 0;
    if (own < present) found[part] = zero_products(numbers + own * line_step, step, depth);
  }
  for (ushort e = 0; e < sums.get_capacity(); ++e) {
    const auto place = sums.get_multidimensional_index(e);
    const int own = by_row ? place[1] : place[0];
    ushort kind = 0;
    for (int part = 0; part * 32 < lines; ++part) {
      const ushort other = simd_shuffle(found[part], ushort(own & 31));
      if (own / 32 == part) kind = other;
    }
    if (!sums.is_valid_element(e)) continue;
    if ((kind & 1) != 0)
      sums[e] = NAN;
    else if ((kind & 2) != 0 && as_type<uint>(sums[e]) == 0x80000000u)
      sums[e] = 0.0f;
  }
}

[[kernel, max_total_threads_per_threadgroup(64)]]
void attention_0(device float* Q [[buffer(0)]],
                 device float* K [[buffer(1)]],
                 device const float* V [[buffer(2)]],
                 constant float& scale [[buffer(3)]],
                 device float* O [[buffer(4)]],
                 uint task [[threadgroup_position_in_grid]],
                 ushort thread_index [[thread_index_in_threadgroup]],
                 ushort simd_group [[simdgroup_index_in_threadgroup]],
                 ushort simd_lane [[thread_index_in_simdgroup]]) {
  const int task1 = int(task / 3u);
  const int task2 = int(task % 3u);
  const int worker = thread_index;
  const int subgroup = simd_group;
  const int lane = simd_lane;
  threadgroup float best[16];
  threadgroup float total[16];
  threadgroup float acc[256];
  threadgroup float value[256];
  threadgroup float tile[256];
  threadgroup float score[256];
  threadgroup float tile_2[16];
  threadgroup float next[16];
  threadgroup float base[16];
  threadgroup float weight[256];
  threadgroup float decay[16];
  threadgroup float tile_3[16];
  threadgroup float total_2[16];
  threadgroup float tile_4[256];
  threadgroup float acc_2[256];
  using Q_extents = dextents<int32_t, 2>;
  using Q_view = tensor<device float, Q_extents, tensor_inline>;
  using K_extents = dextents<int32_t, 2>;
  using K_view = tensor<device float, K_extents, tensor_inline>;
  constexpr auto multiply_shape = matmul2d_descriptor(
      8, 16, static_cast<int>(dynamic_extent), false, true, false, matmul2d_descriptor::mode::multiply);
  matmul2d<multiply_shape, execution_simdgroup> multiply;
  using weight_extents = extents<int32_t, 8, dynamic_extent>;
  using weight_view = tensor<threadgroup float, weight_extents, tensor_inline>;
  using value_extents = extents<int32_t, 16, dynamic_extent>;
  using value_view = tensor<threadgroup float, value_extents, tensor_inline>;
  constexpr auto multiply_add_shape = matmul2d_descriptor(
      8, 16, static_cast<int>(dynamic_extent), true, false, false, matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<multiply_add_shape, execution_simdgroup> multiply_add;
  if (worker < 16) {
    best[worker] = -INFINITY;
  }
  if (worker < 16) {
    total[worker] = 0.0f;
  }
  for (int i = 0; i < 4; ++i) {
    const int at = i * 64 + worker;
    acc[at / 16 * 16 + at % 16] = 0.0f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int at = j * 64 + worker;
      const int column = at % 16;
      const int row = at / 16;
      const int at_1 = row * 16;
      value[at_1 + column] = i * 16 + row < 49 ? V[i * 256 + at_1 + column] : 0.0f;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const int at = subgroup * 8;
    const int at_1 = i * 16;
    const int at_2 = at * 16;
    auto product = multiply.get_destination_cooperative_tensor<Q_view, K_view, float>();
    const int Q_rows = min(max(min(33 - task2 * 16, 16) - at, 0), 8);
    const int K_columns = min(49 - at_1, 16);
    if (Q_rows > 0) {
      Q_view Q_part(Q + task1 * 528 + task2 * 256 + at_2, Q_extents(16, Q_rows), array<int32_t, 2>{1, 16});
      K_view K_part(K + i * 256, K_extents(16, K_columns), array<int32_t, 2>{1, 16});
      multiply.run(Q_part, K_part, product);
    } else {
      for (ushort e = 0; e < product.get_capacity(); ++e) product[e] = 0.0f;
      add_zero_products<16>(product, false, K + i * 256, long(16), 1, K_columns, 16, lane);
    }
    auto tile_part = tensor(tile + at_2, extents<int32_t, 16, 8>(), array<int32_t, 2>{1, 16});
    product.store(tile_part);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    const float scale_value = scale;
    for (int j = 0; j < 4; ++j) {
      const int at_3 = j * 64 + worker;
      const int column = at_3 % 16;
      const int row = at_3 / 16;
      score[row * 16 + column] = at_1 + row < 49 ? tile[row + column * 16] * scale_value : -INFINITY;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      float acc_1 = -INFINITY;
      for (int j = 0; j < 16; ++j) {
        acc_1 = ieee_max(acc_1, score[worker + j * 16]);
      }
      tile_2[worker] = acc_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      next[worker] = ieee_max(best[worker], tile_2[worker]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      const float next_value = next[worker];
      base[worker] = next_value == -INFINITY ? 0.0f : next_value;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    for (int j = 0; j < 4; ++j) {
      const int at_3 = j * 64 + worker;
      const int column = at_3 % 16;
      const int at_4 = at_3 / 16 * 16 + column;
      weight[at_4] = precise::exp(score[at_4] - base[column]);
    }
    if (worker < 16) {
      decay[worker] = precise::exp(best[worker] - base[worker]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      float acc_1 = 0.0f;
      for (int j = 0; j < 16; ++j) {
        acc_1 = acc_1 + weight[worker + j * 16];
      }
      tile_3[worker] = acc_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      total_2[worker] = total[worker] * decay[worker] + tile_3[worker];
    }
    for (int j = 0; j < 4; ++j) {
      const int at_3 = j * 64 + worker;
      const int row = at_3 / 16;
      const int at_4 = row * 16 + at_3 % 16;
      tile_4[at_4] = acc[at_4] * decay[row];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    auto acc_1 = multiply_add.get_destination_cooperative_tensor<weight_view, value_view, float>();
    auto tile_4_part = tensor(tile_4 + at_2, extents<int32_t, 16, 8>(), array<int32_t, 2>{1, 16});
    acc_1.load(tile_4_part);
    weight_view weight_part(weight + at, weight_extents(16), array<int32_t, 2>{1, 16});
    value_view value_part(value, value_extents(16), array<int32_t, 2>{1, 16});
    multiply_add.run(weight_part, value_part, acc_1);
    auto acc_2_part = tensor(acc_2 + at_2, extents<int32_t, 16, 8>(), array<int32_t, 2>{1, 16});
    acc_1.store(acc_2_part);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (worker < 16) {
      const float total_2_value = total_2[worker];
      best[worker] = next[worker];
      total[worker] = total_2_value;
    }
    for (int j = 0; j < 4; ++j) {
      const int at_3 = j * 64 + worker;
      const int at_4 = at_3 / 16 * 16 + at_3 % 16;
      acc[at_4] = acc_2[at_4];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  for (int i = 0; i < 4; ++i) {
    const int at = i * 64 + worker;
    const int column = at % 16;
    const int row = at / 16;
    const float total_value = total[row];
    const int at_1 = row * 16;
    if (task2 * 16 + row < 33) O[task1 * 528 + task2 * 256 + at_1 + column] = total_value == 0.0f ? 0.0f : acc[at_1 + column] / total_value;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
