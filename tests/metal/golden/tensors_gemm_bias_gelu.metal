// gemm_bias_gelu for metal-mpp
// gemm_bias_gelu M=65 N=33 K=32 T=f16 BM=32 BN=32 BK=16
//
// buffers
//   0 = A: f16[2080], read
//   1 = B: f16[1056], read
//   2 = bias: f16[33], read
//   3 = C: f16[2145], write
// launches, in this order
//   gemm_bias_gelu_0: grid 2 x 3 x 1, 256 threads a group
// atoms: metal.mpp; MSL 4.0
// flags: msl-4.0, math-mode=safe, fp-contract=off, fp32-functions=precise
// text 2190f5cb0e7963a0da530b4eb3137b26

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

[[kernel, max_total_threads_per_threadgroup(256)]]
void gemm_bias_gelu_0(device half* A [[buffer(0)]],
                      device half* B [[buffer(1)]],
                      device const half* bias [[buffer(2)]],
                      device half* C [[buffer(3)]],
                      uint2 task [[threadgroup_position_in_grid]],
                      ushort simd_group [[simdgroup_index_in_threadgroup]],
                      ushort simd_lane [[thread_index_in_simdgroup]]) {
  const int task0 = int(task.y);
  const int task1 = int(task.x);
  const int subgroup = simd_group;
  const int lane = simd_lane;
  using A_extents = dextents<int32_t, 2>;
  using A_view = tensor<device half, A_extents, tensor_inline>;
  using B_extents = dextents<int32_t, 2>;
  using B_view = tensor<device half, B_extents, tensor_inline>;
  constexpr auto multiply_add_shape = matmul2d_descriptor(
      8, 16, static_cast<int>(dynamic_extent), false, false, false, matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<multiply_add_shape, execution_simdgroup> multiply_add;
  const int at = subgroup / 2 * 8;
  const int at_1 = subgroup % 2 * 16;
  auto acc = multiply_add.get_destination_cooperative_tensor<A_view, B_view, float>();
  for (ushort e = 0; e < acc.get_capacity(); ++e) acc[e] = 0.0f;
  for (int i = 0; i < 2; ++i) {
    const int at_2 = task1 * 32;
    const int A_rows = min(max(min(65 - task0 * 32, 32) - at, 0), 8);
    const int B_columns = min(max(min(33 - at_2, 32) - at_1, 0), 16);
    if (A_rows > 0 && B_columns > 0) {
      A_view A_part(A + task0 * 1024 + i * 16 + at * 32, A_extents(16, A_rows), array<int32_t, 2>{1, 32});
      B_view B_part(B + i * 528 + at_2 + at_1, B_extents(B_columns, 16), array<int32_t, 2>{1, 33});
      multiply_add.run(A_part, B_part, acc);
    } else if (A_rows > 0) {
      add_zero_products<8>(acc, true, A + task0 * 1024 + i * 16 + at * 32, long(32), 1, A_rows, 16, lane);
    } else {
      add_zero_products<16>(acc, false, B_columns > 0 ? B + i * 528 + at_2 + at_1 : B, 1, long(33), B_columns, 16, lane);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  }
  const int at_2 = task1 * 32;
  const int at_3 = min(max(min(65 - task0 * 32, 32) - at, 0), 8);
  const int at_4 = min(max(min(33 - at_2, 32) - at_1, 0), 16);
  for (ushort e = 0; e < acc.get_capacity(); ++e) {
    const auto place = acc.get_multidimensional_index(e);
    if (acc.is_valid_element(e))
      acc[e] = ieee_max(acc[e] + float(place[1] < at_3 && place[0] < at_4 ? bias[at_2 + at_1 + place[0]] : half(0.0f)), -30.0f);
  }
  for (ushort e = 0; e < acc.get_capacity(); ++e) {
    const auto place = acc.get_multidimensional_index(e);
    if (acc.is_valid_element(e) && place[1] < at_3 && place[0] < at_4)
      C[task0 * 1056 + at_2 + at * 33 + at_1 + long(place[1]) * 33 + place[0]] = half(acc[e] / (1.0f + precise::exp(-2.0f * (0.7978846f * (acc[e] + 0.044715f * acc[e] * acc[e] * acc[e])))));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}
