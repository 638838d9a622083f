// matmul2d over every kind of operand against double, under several opaque layouts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::mpp {
namespace {

constexpr double kGuard = -77;  // what lies behind the destination, and must stay

struct OperandCase {
  std::string kernel;
  Type a, b, d;
  Product shape;
  Uint3 groups;
  std::uint32_t threads;
  double scale = 1;
};

std::string operand_case_name(const testing::TestParamInfo<OperandCase>& info) { return info.param.kernel; }

// m, n and k are ragged against every tile.
constexpr Product kRagged{77, 53, 41};

OperandCase on_device(const std::string& suffix, Type a, Type b, Type d, bool left = false, bool right = false) {
  return {"device_" + suffix, a, b, d, {kRagged.m, kRagged.n, kRagged.k, left, right}, {2, 2, 1}, 128};
}
OperandCase in_registers(const std::string& suffix, Type a, Type d, bool left, bool right) {
  return {"registers_" + suffix, a, a, d, {kRagged.m, kRagged.n, kRagged.k, left, right}, {2, 5, 1}, 32};
}

std::vector<OperandCase> all_operand_cases() {
  return {on_device("h_h_f_nn", 'h', 'h', 'f'),
          on_device("h_h_f_tn", 'h', 'h', 'f', true, false),
          on_device("h_h_f_nt", 'h', 'h', 'f', false, true),
          on_device("h_h_f_tt", 'h', 'h', 'f', true, true),
          on_device("h_h_h", 'h', 'h', 'h'),
          on_device("f_f_f", 'f', 'f', 'f'),
          on_device("h_f_f", 'h', 'f', 'f'),
          on_device("f_h_f", 'f', 'h', 'f'),
          on_device("b_b_f", 'b', 'b', 'f'),
          on_device("b_b_b", 'b', 'b', 'b'),
          on_device("b_f_f", 'b', 'f', 'f'),
          on_device("h_b_h", 'h', 'b', 'h'),
          on_device("h_b_b", 'h', 'b', 'b'),
          on_device("h_i_f", 'h', 'i', 'f'),
          on_device("i_h_h", 'i', 'h', 'h'),
          on_device("i_f_f", 'i', 'f', 'f'),
          on_device("i_b_b", 'i', 'b', 'b'),
          on_device("i_i_i", 'i', 'i', 'n'),
          on_device("i_u_i", 'i', 'u', 'n'),
          {"threadgroup_h", 'h', 'h', 'f', kRagged, {2, 2, 1}, 128},
          {"threadgroup_f", 'f', 'f', 'f', kRagged, {2, 2, 1}, 128},
          {"gemm_simdgroup", 'h', 'h', 'f', kRagged, {7, 3, 1}, 64, 2},
          {"gemm_thread", 'f', 'f', 'f', kRagged, {7, 20, 1}, 1},
          in_registers("h_nn", 'h', 'f', false, false),
          in_registers("b_nt", 'b', 'f', false, true),
          in_registers("f_tn", 'f', 'f', true, false),
          in_registers("i_nn", 'i', 'n', false, false)};
}

const Result<CompiledLibrary>& operands_library() {
  std::vector<std::string> kernels;
  for (const OperandCase& one : all_operand_cases()) kernels.push_back(one.kernel);
  kernels.emplace_back("gemm_handles");
  kernels.emplace_back("gemm_accumulate");
  return library_of("operands.metal", kernels);
}

class MatmulOperands : public testing::TestWithParam<OperandCase> {};

TEST_P(MatmulOperands, AgreeWithDoubleUnderEveryLayout) {
  const OperandCase& one = GetParam();
  const Result<CompiledLibrary>& library = operands_library();
  ASSERT_TRUE(library) << describe(library.error());
  const auto [m, n, k, left, right] = one.shape;
  Buffer a = Buffer::random(one.a, element_index(m, 0, k), 1);
  Buffer b = Buffer::random(one.b, element_index(k, 0, n), 2);
  const std::vector<double> sizes{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
  Buffer mnk = Buffer::of('n', std::vector<double>{sizes[0], sizes[1], sizes[2], 0});
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    for (const bool m5 : {false, true}) {
      if (m5 && seed != 0) continue;
      Buffer d(one.d, element_index(m, 8, n));
      d.fill(kGuard);
      Launch launch{one.kernel, one.groups, one.threads, {&a, &b, &d, &mnk}, seed};
      launch.device.m5_layout = m5;
      const Result<LaunchResult> result = run(*library, launch);
      ASSERT_TRUE(result) << describe(result.error());
      EXPECT_TRUE(result->finished);
      EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
          const double expected = one.scale * product_element(one.shape, a, b, i, j);
          const double bound = one.scale * product_magnitude(one.shape, a, b, i, j) * k * 0x1p-23;
          const double found = d.get(element_index(i, j, n));
          ASSERT_NEAR(found, expected, one.d == 'n' ? 0 : bound + std::fabs(expected) * rounding(one.d))
              << "row " << i << " column " << j << " seed " << seed << " m5 " << m5;
        }
      }
      for (int i = 0; i < 8; ++i) EXPECT_EQ(d.get(element_index(m, i, n)), kGuard);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, MatmulOperands, testing::ValuesIn(all_operand_cases()), operand_case_name);

TEST(MatmulHandles, BindWhatTheHostGives) {
  const Result<CompiledLibrary>& library = operands_library();
  ASSERT_TRUE(library) << describe(library.error());
  constexpr Product kShape{24, 40, 33};
  Buffer a = Buffer::random('h', 24 * 40, 3);  // rows padded to 40
  Buffer packed_a('h', 24 * 33);
  for (std::size_t i = 0; i < 24 * 33; ++i) packed_a.set(i, a.get(i / 33 * 40 + i % 33));
  Buffer b = Buffer::random('h', 33 * 40, 4);
  Buffer bias = Buffer::random('f', 40, 5);
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    Buffer d('h', 24 * 40);
    LaunchRequest request = request_of({"gemm_handles", {3, 2, 1}, 64, {&a, &b, &d, &bias}, seed});
    request.buffers[0].tensor_extents = {33, 24};
    request.buffers[0].tensor_strides = {1, 40};
    request.buffers[1].tensor_extents = {40, 33};
    request.buffers[2].tensor_extents = {40, 24};
    const Result<Toolchain> toolchain = test_toolchain();
    ASSERT_TRUE(toolchain);
    const Result<LaunchResult> result = launch(*library, request, *toolchain);
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    for (int i = 0; i < kShape.m; ++i) {
      for (int j = 0; j < kShape.n; ++j) {
        const double sum = product_element(kShape, packed_a, b, i, j) + bias.get(static_cast<std::size_t>(j));
        const double expected = sum > 0 ? sum : 0;
        ASSERT_NEAR(d.get(element_index(i, j, 40)), expected, 1e-4 + std::fabs(expected) * rounding('h'));
      }
    }
  }
}

/// gemm_handles with the first tensor bound as `extents`.
std::string reports_of_binding(std::vector<std::int64_t> extents) {
  const Result<CompiledLibrary>& library = operands_library();
  const Result<Toolchain> toolchain = test_toolchain();
  if (!library || !toolchain) return "no library";
  Buffer a = Buffer::random('h', 16 * 16, 3);
  Buffer d('h', 16 * 16);
  Buffer bias('f', 16);
  LaunchRequest request = request_of({"gemm_handles", {1, 1, 1}, 64, {&a, &a, &d, &bias}});
  for (BufferBinding& binding : request.buffers) binding.tensor_extents = {16, 16};
  request.buffers[0].tensor_extents = std::move(extents);
  request.buffers[3].tensor_extents = {};
  const Result<LaunchResult> result = launch(*library, request, *toolchain);
  return result ? describe(result->reports) : describe(result.error());
}

TEST(MatmulHandles, RefuseAnotherRank) {
  EXPECT_EQ(reports_of_binding({16, 16}), "");
  const std::string found = reports_of_binding({16, 4, 4});
  EXPECT_NE(found.find("a tensor of rank 3 is bound to a parameter of rank 2"), std::string::npos) << found;
}

TEST(MatmulAccumulate, AddsToWhatMemoryHolds) {
  const Result<CompiledLibrary>& library = operands_library();
  ASSERT_TRUE(library) << describe(library.error());
  constexpr Product kShape{20, 28, 19};
  constexpr int kPitch = 37;
  Buffer a = Buffer::random('h', kPitch * 20, 6);
  Buffer b = Buffer::random('h', kPitch * 19, 7);
  Buffer packed_a('h', 20 * 19);
  Buffer packed_b('h', 19 * 28);
  for (std::size_t i = 0; i < 20 * 19; ++i) packed_a.set(i, a.get(i / 19 * kPitch + i % 19));
  for (std::size_t i = 0; i < 19 * 28; ++i) packed_b.set(i, b.get(i / 28 * kPitch + i % 28));
  Buffer d = Buffer::random('f', kPitch * 20, 8);
  Buffer before = d;
  Buffer mnk = Buffer::of('n', std::vector<double>{20, 28, 19, 0});
  Buffer pitch = Buffer::of('n', std::vector<double>{kPitch, kPitch, kPitch, 0});
  const Result<LaunchResult> result = run(*library, {"gemm_accumulate", {1, 1, 1}, 32, {&a, &b, &d, &mnk, &pitch}});
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
  ASSERT_EQ(result->counters.matmuls.size(), 1u);
  EXPECT_EQ(result->counters.matmuls[0].m, 32u);
  EXPECT_EQ(result->counters.matmuls[0].n, 32u);
  EXPECT_EQ(result->counters.matmuls[0].k, 19u);
  EXPECT_EQ(result->counters.matmuls[0].runs, 1u);
  EXPECT_EQ(result->counters.tensor_operations, 1u);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < kPitch; ++j) {
      const auto at = element_index(i, j, kPitch);
      const double added = j < 28 ? product_element(kShape, packed_a, packed_b, i, j) : 0;
      ASSERT_NEAR(d.get(at), before.get(at) + added, 1e-4);
    }
  }
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
