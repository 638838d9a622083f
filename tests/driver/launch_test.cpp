// What a launch refuses: each fault with its code and words, on both targets, and nothing written.
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <tilewright/compile.h>

#include "driver/faults.h"
#include "driver/small_programs.h"

namespace tilewright {
namespace {

using Numbers = std::vector<std::int64_t>;

class Launch : public testing::TestWithParam<Target> {
 protected:
  Kernel kernel_of(const char* text, std::map<std::string, std::int64_t> sizes, CompileOptions options = {}) {
    options.target = GetParam();
    const auto program = Program::parse(text);
    EXPECT_TRUE(program.has_value()) << render(program.error());
    auto kernel = compile(*program, {std::move(sizes), {}}, options);
    EXPECT_TRUE(kernel.has_value()) << render(kernel.error());
    return std::move(*kernel);
  }

  ArrayView view(std::vector<float>& memory, Numbers extents, Numbers strides, std::int64_t offset = 0) {
    return {DataType::F32,
            reinterpret_cast<std::byte*>(memory.data()),
            static_cast<std::int64_t>(memory.size()),
            offset,
            std::move(extents),
            std::move(strides)};
  }

  std::vector<float> x_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> y_ = std::vector<float>(6, -1);
  const std::vector<float> untouched_ = std::vector<float>(6, -1);
};

TEST_P(Launch, Runs) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  const auto done = kernel.run({{"X", view(x_, {2, 3}, {3, 1})}, {"Y", view(y_, {2, 3}, {})}});
  TW_EXPECT_VALUE(done);
  EXPECT_EQ(y_, (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST_P(Launch, NegativeZeroAndOffsetStrides) {
  const Kernel kernel =
      kernel_of(kDouble, {{"M", 2}, {"N", 3}}, {Target::Cpu, {{"X", {{0, -1}}}, {"Y", {{1, 2}}}}, false});
  TW_EXPECT_VALUE(kernel.run({{"X", view(x_, {2, 3}, {0, -1}, 4)}, {"Y", view(y_, {2, 3}, {1, 2})}}));
  EXPECT_EQ(y_, (std::vector<float>{10, 10, 8, 8, 6, 6}));
}

TEST_P(Launch, MissingAndUnknownNames) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  const auto missing = kernel.run({{"Y", view(y_, {2, 3}, {3, 1})}});
  expect_fault(missing, DiagCode::MissingArgument, {"'X'", "f32[2, 3]"});
  const auto unknown = kernel.run({{"x", view(x_, {2, 3}, {3, 1})}, {"Y", view(y_, {2, 3}, {3, 1})}});
  expect_fault(unknown, DiagCode::UnknownBuffer, {"'x'", "did you mean 'X'?", "X, Y"});
  expect_fault(unknown, DiagCode::MissingArgument, {"'X'"});
  EXPECT_EQ(y_, untouched_);
}

TEST_P(Launch, ScalarsNeedAValueOrADefault) {
  const Kernel kernel = kernel_of(kScale, {{"N", 6}});
  expect_fault(kernel.run({{"X", view(x_, {6}, {1})}, {"Y", view(y_, {6}, {1})}}), DiagCode::MissingArgument,
               {"scalar 's'"});
  EXPECT_EQ(y_, untouched_);
  std::vector<float> s = {10};
  TW_EXPECT_VALUE(kernel.run({{"X", view(x_, {6}, {1})}, {"s", view(s, {}, {})}, {"Y", view(y_, {6}, {1})}}));
  EXPECT_EQ(y_, (std::vector<float>{13, 23, 33, 43, 53, 63}));
}

TEST_P(Launch, TypeAndShape) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  ArrayView integers = view(x_, {2, 3}, {3, 1});
  integers.type = DataType::I32;
  expect_fault(kernel.run({{"X", integers}, {"Y", view(y_, {2, 3}, {3, 1})}}), DiagCode::ArgumentType,
               {"'X'", "expects f32", "found i32"});
  expect_fault(kernel.run({{"X", view(x_, {3, 2}, {2, 1})}, {"Y", view(y_, {2, 3}, {3, 1})}}), DiagCode::ArgumentShape,
               {"'X'", "f32[2, 3]", "f32[3, 2]"});
  expect_fault(kernel.run({{"X", view(x_, {6}, {1})}, {"Y", view(y_, {2, 3}, {3, 1})}}), DiagCode::ArgumentShape);
  EXPECT_EQ(y_, untouched_);
}

TEST_P(Launch, AllFaultsAtOnce) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  const auto result = kernel.run({{"X", view(x_, {3, 2}, {2, 1})}, {"Y", view(y_, {2, 3}, {1, 2})}, {"Q", {}}});
  expect_fault(result, DiagCode::ArgumentShape);
  expect_fault(result, DiagCode::ArgumentStrides);
  expect_fault(result, DiagCode::UnknownBuffer);
}

TEST_P(Launch, StridesOfTheKernel) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  expect_fault(kernel.run({{"X", view(x_, {2, 3}, {1, 2})}, {"Y", view(y_, {2, 3}, {3, 1})}}),
               DiagCode::ArgumentStrides, {"'X'", "(3, 1)", "(1, 2)", "layout"});
  EXPECT_EQ(y_, untouched_);
}

TEST_P(Launch, StridesOfAxesWithOnePointDoNotMatter) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 1}, {"N", 3}});
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  TW_EXPECT_VALUE(kernel.run({{"X", view(x_, {1, 3}, {huge, 1})}, {"Y", view(y_, {1, 3}, {-16384, 1})}}));
  EXPECT_EQ(y_, (std::vector<float>{2, 4, 6, -1, -1, -1}));
}

TEST_P(Launch, DeclaredStrides) {
  const Kernel kernel = kernel_of(kColumns, {{"M", 2}, {"N", 3}});
  TW_EXPECT_VALUE(kernel.run({{"X", view(x_, {2, 3}, {1, 2})}, {"Y", view(y_, {2, 3}, {3, 1})}}));
  EXPECT_EQ(y_, (std::vector<float>{1, 3, 5, 2, 4, 6}));
  expect_fault(kernel.run({{"X", view(x_, {2, 3}, {3, 1})}, {"Y", view(y_, {2, 3}, {3, 1})}}),
               DiagCode::ArgumentStrides, {"part of the program"});
  const auto program = Program::parse(kColumns);
  expect_fault(compile(*program, {{{"M", 2}, {"N", 3}}, {}}, {GetParam(), {{"X", {{3, 1}}}}, false}),
               DiagCode::ArgumentStrides, {"'X' declares strides (1, 2)", "(3, 1)"});
}

TEST_P(Launch, LayoutsMustFit) {
  const auto program = Program::parse(kDouble);
  const Bindings sizes{{{"M", 2}, {"N", 3}}, {}};
  expect_fault(compile(*program, sizes, {GetParam(), {{"X", {{1}}}}, false}), DiagCode::ArgumentStrides,
               {"2 dimensions", "(1)"});
  expect_fault(compile(*program, sizes, {GetParam(), {{"Z", {{1, 1}}}}, false}), DiagCode::UnknownBuffer, {"'Z'"});
}

TEST_P(Launch, ViewsStayInTheirBuffer) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  const auto run = [&](std::int64_t x_offset, std::int64_t y_offset) {
    return kernel.run({{"X", view(x_, {2, 3}, {3, 1}, x_offset)}, {"Y", view(y_, {2, 3}, {3, 1}, y_offset)}});
  };
  expect_fault(run(1, 0), DiagCode::ViewOutOfBuffer,
               {"'X'", "elements 1 to 6", "bytes 4 to 27", "6 elements (24 bytes)"});
  expect_fault(run(0, -1), DiagCode::ViewOutOfBuffer, {"'Y'", "elements -1 to 4"});
  expect_fault(run(std::numeric_limits<std::int64_t>::max(), 0), DiagCode::ViewOutOfBuffer, {"beyond 64 bits"});
  EXPECT_EQ(y_, untouched_);
}

TEST_P(Launch, NullMemoryAndMisalignment) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  ArrayView nothing = view(x_, {2, 3}, {3, 1});
  nothing.data = nullptr;
  expect_fault(kernel.run({{"X", nothing}, {"Y", view(y_, {2, 3}, {3, 1})}}), DiagCode::MissingArgument, {"null"});
  const Kernel small = kernel_of(kDouble, {{"M", 1}, {"N", 3}});
  ArrayView odd = view(x_, {1, 3}, {3, 1});
  odd.data += 2;
  expect_fault(small.run({{"X", odd}, {"Y", view(y_, {1, 3}, {3, 1})}}), DiagCode::ArgumentType,
               {"not a multiple of 4 bytes"});
}

TEST_P(Launch, WrittenViewsAddressEveryElementOnce) {
  const Kernel still = kernel_of(kDouble, {{"M", 2}, {"N", 3}}, {Target::Cpu, {{"Y", {{0, 1}}}}, false});
  expect_fault(still.run({{"X", view(x_, {2, 3}, {3, 1})}, {"Y", view(y_, {2, 3}, {0, 1})}}), DiagCode::ViewSelfOverlap,
               {"'Y'", "(0, 0)", "(1, 0)"});
  const Kernel sliding = kernel_of(kDouble, {{"M", 2}, {"N", 3}}, {Target::Cpu, {{"Y", {{1, 1}}}}, false});
  expect_fault(sliding.run({{"X", view(x_, {2, 3}, {3, 1})}, {"Y", view(y_, {2, 3}, {1, 1})}}),
               DiagCode::ViewSelfOverlap, {"(0, 1) and (1, 0)"});
  EXPECT_EQ(y_, untouched_);
}

TEST_P(Launch, OverlapWithAnInput) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 2}, {"N", 3}});
  std::vector<float> both = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<float> before = both;
  const auto same = kernel.run({{"X", view(both, {2, 3}, {3, 1})}, {"Y", view(both, {2, 3}, {3, 1})}});
  expect_fault(same, DiagCode::BufferOverlap,
               {"'X'", "'Y' is written", "'X' takes bytes 0 to 23", "'Y' bytes 0 to 23"});
  const auto partly = kernel.run({{"X", view(both, {2, 3}, {3, 1})}, {"Y", view(both, {2, 3}, {3, 1}, 3)}});
  expect_fault(partly, DiagCode::BufferOverlap, {"'X' takes bytes 0 to 23", "'Y' bytes 12 to 35"});
  EXPECT_EQ(both, before);
}

TEST_P(Launch, NeighboursAndSharedInputsAreFine) {
  std::vector<float> both = {1, 2, 3, 0, 0, 0};
  const Kernel kernel = kernel_of(kDouble, {{"M", 1}, {"N", 3}});
  TW_EXPECT_VALUE(kernel.run({{"X", view(both, {1, 3}, {3, 1})}, {"Y", view(both, {1, 3}, {3, 1}, 3)}}));
  EXPECT_EQ(both, (std::vector<float>{1, 2, 3, 2, 4, 6}));

  const char* sum = R"(
program sum(N) {
  in A: f32[N]
  in B: f32[N]
  out C: f32[N]
  parallel i in N {
    C[i] = A[i] + B[i]
  }
}
)";
  const Arguments shared = {{"A", view(x_, {6}, {1})}, {"B", view(x_, {6}, {1})}, {"C", view(y_, {6}, {1})}};
  TW_EXPECT_VALUE(kernel_of(sum, {{"N", 6}}).run(shared));
  EXPECT_EQ(y_, (std::vector<float>{2, 4, 6, 8, 10, 12}));
  expect_fault(kernel_of(sum, {{"N", 6}}, {Target::Cpu, {}, true}).run(shared), DiagCode::BufferOverlap,
               {"'A'", "'B'", "noalias"});
}

TEST_P(Launch, EmptyBuffersNeedNoMemory) {
  const Kernel kernel = kernel_of(kDouble, {{"M", 0}, {"N", 3}});
  const ArrayView nothing{DataType::F32, nullptr, 0, 0, {0, 3}, {3, 1}};
  TW_EXPECT_VALUE(kernel.run({{"X", nothing}, {"Y", nothing}}));
}

TEST_P(Launch, IntegersAndBooleans) {
  const Kernel kernel = kernel_of(kKinds, {{"N", 4}});
  std::vector<std::int32_t> x = {1, 2, 3, 4}, y(4, 0);
  std::vector<std::uint8_t> z(4, 9);
  const auto bytes = [](auto& values) { return reinterpret_cast<std::byte*>(values.data()); };
  TW_EXPECT_VALUE(kernel.run({{"X", {DataType::I32, bytes(x), 4, 0, {4}, {1}}},
                              {"Y", {DataType::I32, bytes(y), 4, 0, {4}, {1}}},
                              {"Z", {DataType::Bool, bytes(z), 4, 0, {4}, {1}}}}));
  EXPECT_EQ(y, (std::vector<std::int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(z, (std::vector<std::uint8_t>{0, 0, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(Targets, Launch, testing::Values(Target::Cpu, Target::Interp),
                         [](const auto& param) { return std::string(target_name(param.param)); });

}  // namespace
}  // namespace tilewright
