#include "kernel/builder.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/constants.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"

namespace tilewright::kernel {
namespace {

TEST(KernelBuilder, MakesTheProgramOfItsHeader) {
  Builder b("axpy");
  const BufferId x = b.argument("x", ScalarType::F32, Access::Read, 1024);
  const BufferId y = b.argument("y", ScalarType::F32, Access::ReadWrite, 1024);
  const std::vector<ValueId> at = b.begin_kernel("axpy", {64});
  const ValueId index = b.mul(at[0], b.const_i64(16));
  const ValueId left = b.load(x, index, 16);
  const ValueId right = b.load(y, index, 16);
  b.store(y, index, b.add(left, right));
  b.end_kernel();
  EXPECT_EQ(print(b.finish()), R"(kernel program axpy {
  buffer x: f32[1024] read
  buffer y: f32[1024] readwrite
  kernel axpy tasks(%0: 64) {
    %1: i64 = const 16
    %2: i64 = mul %0, %1
    %3: f32x16 = load x[%2]
    %4: f32x16 = load y[%2]
    %5: f32x16 = add %3, %4
    store y[%2] = %5
  }
}
)");
}

TEST(KernelBuilder, FoldsIndexArithmetic) {
  Builder b("p");
  const ValueId x = b.begin_kernel("k", {8})[0];
  const auto number = [&](std::int64_t n) { return b.const_i64(n); };
  EXPECT_EQ(b.add(x, number(0)), x);
  EXPECT_EQ(b.add(number(0), x), x);
  EXPECT_EQ(b.sub(x, number(0)), x);
  EXPECT_EQ(b.mul(x, number(1)), x);
  EXPECT_EQ(b.mul(number(1), x), x);
  EXPECT_EQ(b.mul(x, number(0)), number(0));
  EXPECT_EQ(b.binary(BinaryKind::FloorDiv, x, number(1)), x);
  EXPECT_EQ(b.binary(BinaryKind::FloorMod, x, number(1)), number(0));
  EXPECT_EQ(b.sub(x, x), number(0));
  EXPECT_EQ(b.binary(BinaryKind::Max, x, x), x);
  EXPECT_EQ(b.add(number(40), number(2)), number(42));
  EXPECT_EQ(b.mul(number(INT64_MAX), number(2)), number(-2));
  EXPECT_EQ(b.binary(BinaryKind::FloorDiv, number(-7), number(2)), number(-4));
  EXPECT_EQ(b.binary(BinaryKind::FloorDiv, number(5), number(0)), number(0));
  EXPECT_EQ(b.constant(b.compare(CompareKind::Lt, number(3), number(4))), 1);
  EXPECT_EQ(b.select(b.const_bool(false), x, number(9)), number(9));
  EXPECT_EQ(b.constant(x), std::nullopt);
  EXPECT_NE(b.binary(BinaryKind::FloorDiv, number(1), x), number(0));
}

TEST(KernelBuilder, LeavesFloatArithmeticAlone) {
  Builder b("p");
  b.begin_kernel("k", {});
  const ValueId x = b.const_float(ScalarType::F32, 2.0), zero = b.const_float(ScalarType::F32, 0.0);
  EXPECT_NE(b.add(x, zero), x);
  EXPECT_NE(b.mul(x, zero), zero);
}

TEST(KernelBuilder, ReusesWhatIsInScopeAndNothingElse) {
  Builder b("p");
  const ValueId x = b.begin_kernel("k", {8})[0];
  const ValueId three = b.const_i64(3);
  EXPECT_EQ(b.const_i64(3), three);
  EXPECT_NE(b.const_i64(3, 4), three);
  const ValueId sum = b.add(x, three);
  b.begin_if(b.compare(CompareKind::Lt, x, three));
  EXPECT_EQ(b.add(x, three), sum);
  EXPECT_EQ(b.add(three, x), sum);
  const ValueId inner = b.const_i64(77);
  b.begin_else();
  EXPECT_NE(b.const_i64(77), inner);
  b.end_if();
  EXPECT_NE(b.const_i64(77), inner);
  EXPECT_EQ(b.const_float(ScalarType::F32, NAN), b.const_float(ScalarType::F32, -NAN));
  EXPECT_NE(b.const_float(ScalarType::F32, 0.0), b.const_float(ScalarType::F32, -0.0));
  b.end_kernel();
  EXPECT_TRUE(verify(b.finish()));
}

TEST(KernelBuilder, ScalarsNeedNoVectorOperations) {
  Builder b("p");
  const ValueId x = b.begin_kernel("k", {8})[0];
  EXPECT_EQ(b.splat(x, 1), x);
  EXPECT_EQ(b.extract(x, 0), x);
  EXPECT_EQ(b.fold_lanes(LaneFold::Add, x), x);
  EXPECT_EQ(b.iota(ScalarType::I64, 1), b.const_i64(0));
  EXPECT_EQ(b.cast(ScalarType::I64, x), x);
  EXPECT_EQ(b.type(b.splat(x, 4)), (ValueType{ScalarType::I64, 4}));
}

TEST(KernelBuilder, GivesAllocationsNamesOfTheirOwn) {
  Builder b("p");
  b.argument("t", ScalarType::F32, Access::Read, 1);
  b.begin_kernel("k", {});
  b.allocation("t", AllocationSpace::Private, ScalarType::F32, 4);
  b.allocation("t", AllocationSpace::Private, ScalarType::F32, 4);
  b.end_kernel();
  const Program program = b.finish();
  EXPECT_EQ(program.allocations[AllocationId{0}].name, "t_2");
  EXPECT_EQ(program.allocations[AllocationId{1}].name, "t_3");
}

TEST(KernelBuilder, IsEmptyAfterFinish) {
  Builder b("p");
  b.begin_kernel("k", {2});
  b.end_kernel();
  EXPECT_EQ(b.finish().kernels.size(), 1u);
  EXPECT_EQ(b.program().kernels.size(), 0u);
}

TEST(KernelConstants, RoundOnce) {
  // 2^-1 * (1 + 2^-11 + 2^-40): just above the middle of two f16 values, but f32 rounds it to the middle.
  const double above_middle = 0.5 * (1 + 0x1p-11 + 0x1p-40);
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::F16, above_middle)), 0.5 * (1 + 0x1p-10));
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::F16, 0.5 * (1 + 0x1p-11))), 0.5);
  const double bf16_middle = 1 + 0x1p-8;
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::BF16, bf16_middle)), 1.0);
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::BF16, bf16_middle + 0x1p-50)), 1 + 0x1p-7);
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::BF16, -bf16_middle - 0x1p-50)), -1 - 0x1p-7);
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::F32, 0.1)), static_cast<double>(0.1f));
  EXPECT_EQ(float_of_constant(float_constant(ScalarType::F16, 1e300)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(float_constant(ScalarType::BF16, -NAN), kNanBits);
}

TEST(KernelConstants, KnowWhatFits) {
  EXPECT_TRUE(constant_fits(ScalarType::I1, 1));
  EXPECT_FALSE(constant_fits(ScalarType::I1, 2));
  EXPECT_TRUE(constant_fits(ScalarType::I32, INT32_MIN));
  EXPECT_FALSE(constant_fits(ScalarType::I32, std::int64_t{INT32_MAX} + 1));
  EXPECT_TRUE(constant_fits(ScalarType::F32, float_constant(ScalarType::F32, -0.0)));
  EXPECT_FALSE(constant_fits(ScalarType::F16, float_constant(ScalarType::F32, 0.1)));
  EXPECT_FALSE(constant_fits(ScalarType::F32, kNanBits + 1));
}

using KernelBuilderDeathTest = testing::Test;

TEST(KernelBuilderDeathTest, RefusesWrongUse) {
  Builder b("p");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, 4);
  const ValueId x = b.begin_kernel("k", {8})[0];
  const ValueId f = b.const_float(ScalarType::F32, 1.0);
  EXPECT_DEATH(b.add(x, f), "the second operand is f32; expected i64");
  EXPECT_DEATH(b.store(in, x, f), "declared read");
  EXPECT_DEATH(b.load(in, f), "the index is f32");
  EXPECT_DEATH(b.begin_loop(x, x, 0), "the step is 0");
  EXPECT_DEATH(b.end_loop(), "frames_.size");
  EXPECT_DEATH(b.finish(), "frames_.empty");
  EXPECT_DEATH(b.argument("in", ScalarType::F32, Access::Read, 4), "other.name");
  b.begin_if(b.const_bool(true));
  const ValueId inner = b.const_i64(1234);
  b.end_if();
  EXPECT_DEATH(b.add(x, inner), "open_");
  b.begin_loop(x, x, 1, {x});
  EXPECT_DEATH(b.end_loop({f}), "type");
  EXPECT_DEATH(b.end_loop({}), "yields.size");
}

}  // namespace
}  // namespace tilewright::kernel
