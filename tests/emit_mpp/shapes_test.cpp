// Orientations, extents and parts of tensor operations: the emulated text against the interpreter, under several
// layouts and schedules; which elements are read.
#include <algorithm>

#include <gtest/gtest.h>

#include "case_count.h"
#include "tensor_kernel.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// Small numbers, whose products and sums are exact.
TensorCase exact_case(const TensorKernel& kernel, int depth, int rows, int columns, int out_rows, int out_columns) {
  TensorCase one{depth, rows, columns, out_rows, out_columns, {}, {}, {}};
  std::uint32_t seed = static_cast<std::uint32_t>(depth * 131 + rows * 17 + columns * 7 + out_rows);
  const auto numbers = [&](int count) {
    std::vector<float> found;
    for (int i = 0; i < count; ++i) {
      seed = seed * 1664525u + 1013904223u;
      found.push_back(static_cast<float>(static_cast<int>(seed >> 28) - 8));
    }
    return found;
  };
  one.a = numbers(kernel.m * depth);
  one.b = numbers(depth * kernel.n);
  one.c = numbers(kernel.m * kernel.n);
  return one;
}

std::vector<TensorCase> sizes_of(const TensorKernel& kernel) {
  std::vector<TensorCase> cases;
  const int m = kernel.m, n = kernel.n;
  for (int depth : {1, 7, 8, 24})
    for (const auto& [rows, columns] :
         {std::pair{m, n}, {m + 5, n + 1}, {m - 1, n}, {m, n - 3}, {1, 1}, {0, n}, {m, 0}, {0, 0}, {-4, 5}, {3, -9}})
      cases.push_back(exact_case(kernel, depth, rows, columns, m, n));
  for (const auto& [rows, columns] : {std::pair{m - 1, n}, {m, n - 1}, {1, 1}, {0, n}, {m, 0}, {-1, 3}, {m + 1, n + 7}})
    cases.push_back(exact_case(kernel, 5, m, n, rows, columns));
  // Nothing along k: what was there stays, or it is 0.
  for (const auto& [rows, columns] : {std::pair{m, n}, {0, n}, {m, 0}})
    cases.push_back(exact_case(kernel, 0, rows, columns, m, n));
  return cases;
}

void expect_agreement_of(const TensorKernel& kernel, std::uint64_t seed) {
  const TensorRun run(kernel, sizes_of(kernel));
  CountsOfBoth counts;
  ASSERT_EQ(compare_with_interpreter(run.program(), run.memory(), 0, {.schedules = 2, .seed = seed}, &counts), "");
  const msl_emulator::Counters& counters = counts.emulated.at(0).counters;
  EXPECT_EQ(counters.tensor_operations, run.products());
  // No element of the padding, and no other one that is not needed.
  for (std::uint32_t side : {0u, 1u}) {
    const auto buffer = std::ranges::find(counters.buffers, side + 1, &msl_emulator::BufferCounts::index);
    ASSERT_NE(buffer, counters.buffers.end());
    const std::size_t bytes = scalar_bytes(side == 0 ? kernel.a : kernel.b);
    EXPECT_EQ(buffer->distinct_read_bytes, run.needed()[side] * bytes) << side;
  }
}

class TensorOrientations : public ::testing::TestWithParam<int> {};

TEST_P(TensorOrientations, AgreeWithTheInterpreter) {
  const int bits = GetParam();
  if (bits >= case_count(16, 4)) GTEST_SKIP() << "a share of them with sanitizers";
  TensorKernel kernel;
  kernel.a_transposed = (bits & 1) != 0, kernel.b_transposed = (bits & 2) != 0;
  kernel.d_transposed = (bits & 4) != 0, kernel.c_transposed = (bits & 8) != 0;
  kernel.accumulates = bits % 3 != 0;
  if (bits % 2 != 0) kernel.m = 40, kernel.n = 16;
  expect_agreement_of(kernel, static_cast<std::uint64_t>(bits));
}
INSTANTIATE_TEST_SUITE_P(All, TensorOrientations, ::testing::Range(0, 16));

TEST(TensorShapes, OperandsOf16Bits) {
  using enum ScalarType;
  for (const auto& [a, b] : {std::pair{F16, F16}, {BF16, BF16}, {F32, F16}, {BF16, F32}}) {
    SCOPED_TRACE(scalar_name(a));
    TensorKernel kernel{.m = 8, .n = 16, .a = a, .b = b, .b_transposed = true};
    expect_agreement_of(kernel, 5);
  }
}

}  // namespace
}  // namespace tilewright::emit_msl
