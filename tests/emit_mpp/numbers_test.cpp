// Special numbers at every place of a tensor operation: class and sign are those of the interpreter.
#include <limits>

#include <gtest/gtest.h>

#include "tensor_kernel.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

/// One special number among ones (or zeros), so that every order of the sum has the same class and sign.
struct Special {
  float number;
  int place;  ///< 0: A, 1: B, 2: C
  int row, column;
};

TensorCase special_case(const TensorKernel& kernel, const Special& special, float others, int rows, int columns) {
  constexpr int kDepth = 9;
  TensorCase one{kDepth, rows, columns, kernel.m, kernel.n, {}, {}, {}};
  one.a.assign(static_cast<std::size_t>(kernel.m * kDepth), others);
  one.b.assign(static_cast<std::size_t>(kDepth * kernel.n), others);
  one.c.assign(static_cast<std::size_t>(kernel.m * kernel.n), others);
  std::vector<float>& to = special.place == 0 ? one.a : special.place == 1 ? one.b : one.c;
  const int across = special.place == 0 ? kDepth : kernel.n;
  to[static_cast<std::size_t>(special.row * across + special.column)] = special.number;
  return one;
}

/// A subnormal of the type; of f32 one that relaxed operands keep.
float tiny(ScalarType scalar, bool relaxed = false) {
  if (relaxed) return 0x1p-136f;
  return scalar == ScalarType::F16 ? 0x1p-24f : scalar == ScalarType::BF16 ? 0x1p-133f : 0x1p-149f;
}

std::vector<TensorCase> special_cases(const TensorKernel& kernel) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float small = tiny(kernel.a, kernel.relaxed);
  const int m = kernel.m, n = kernel.n;
  std::vector<TensorCase> cases;
  // Interior, edges and empty rectangles.
  const std::pair<int, int> sizes[] = {{m, n}, {m - 1, n - 1}, {0, n}, {m, 0}, {0, n - 1}, {m - 1, 0}, {0, 0}};
  for (const auto& [rows, columns] : sizes)
    for (float number : {0.0f, -0.0f, small, -small, infinity, -infinity, nan, -1.0f})
      for (float others : {1.0f, 0.0f})
        for (const Special& special : {Special{number, 0, 0, 0},
                                       {number, 0, m - 2, 8},
                                       {number, 1, 0, 0},
                                       {number, 1, 8, n - 2},
                                       {number, 2, 1, 1}})
          cases.push_back(special_case(kernel, special, others, rows, columns));
  return cases;
}

void expect_classes_of(const TensorKernel& kernel) {
  const TensorRun run(kernel, special_cases(kernel));
  for (std::uint64_t seed : {0u, 7u})
    EXPECT_EQ(compare_with_interpreter(run.program(), run.memory(), 0, {.seed = seed}), "") << seed;
}

TEST(TensorNumbers, Float) { expect_classes_of({.m = 8, .n = 16}); }
TEST(TensorNumbers, FloatOverwrites) { expect_classes_of({.m = 16, .n = 8, .accumulates = false}); }
TEST(TensorNumbers, Half) {
  expect_classes_of({.m = 8, .n = 16, .a = ScalarType::F16, .b = ScalarType::F16, .a_transposed = true});
}
TEST(TensorNumbers, BFloat) {
  expect_classes_of({.m = 16, .n = 8, .a = ScalarType::BF16, .b = ScalarType::BF16, .b_transposed = true});
}

/// Numbers of ten bits of mantissa and fewer are what they were on a device that drops the others.
TEST(TensorNumbers, RelaxedFloat) {
  const TensorKernel kernel{.m = 8, .n = 16, .b_transposed = true, .relaxed = true};
  const TensorRun run(kernel, special_cases(kernel));
  msl_emulator::DeviceModel device;
  device.truncate_relaxed_f32 = true;
  EXPECT_EQ(compare_with_interpreter(run.program(), run.memory(), 0, {.seed = 7, .device = device}), "");
}

/// An empty operand is all +0: -0 stays where the other operand is negative, and becomes +0 elsewhere.
TEST(TensorNumbers, SignsOfZeroBesideAnEmptyOperand) {
  const TensorKernel kernel{.m = 16, .n = 40};
  std::vector<TensorCase> cases;
  for (int empty = 0; empty < 3; ++empty) {
    TensorCase one{3, empty == 1 ? 16 : 0, empty == 0 ? 33 : 0, 16, 40, {}, {}, {}};
    for (int i = 0; i < 16 * 3; ++i) one.a.push_back(i / 3 % 2 == 0 ? -1.0f : i % 3 == 1 ? 2.0f : -2.0f);
    for (int i = 0; i < 3 * 40; ++i)
      one.b.push_back(i % 40 % 3 == 0 ? -0.0f : i % 40 % 3 == 1 ? -5.0f : i < 40 ? 0.0f : -1.0f);
    one.c.assign(16 * 40, -0.0f);
    cases.push_back(one);
    one.c.assign(16 * 40, -3.0f);
    cases.push_back(one);
  }
  const TensorRun run(kernel, cases);
  for (std::uint64_t seed : {0u, 3u, 4u})
    EXPECT_EQ(compare_with_interpreter(run.program(), run.memory(), 0, {.schedules = 2, .seed = seed}), "") << seed;
}

}  // namespace
}  // namespace tilewright::emit_msl
