// Loads, stores, masks, overlap, and the kinds of memory.
#include <numeric>

#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/builder.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

/// One vector of `lanes` at every start from -lanes to count: the mask admits what lies inside.
TEST(Memory, MasksKeepAccessesInside) {
  constexpr std::int64_t kCount = 21;
  for (ScalarType scalar : kScalars) {
    for (std::uint16_t lanes : {std::uint16_t{1}, std::uint16_t{3}, std::uint16_t{8}, std::uint16_t{17}}) {
      Builder b("mask");
      const BufferId in = b.argument("in", scalar, Access::Read, kCount);
      const BufferId out = b.argument("out", scalar, Access::Write, kCount);
      const BufferId zeros = b.argument("zeros", scalar, Access::Write, (kCount + 2 * lanes) * lanes);
      const std::vector<ValueId> at = b.begin_kernel("mask", {kCount + 2 * lanes});
      const ValueId start = b.add(at[0], -lanes);
      const ValueId lane = lanes == 1 ? b.const_i64(0) : b.iota(ScalarType::I64, lanes);
      const ValueId element = b.add(b.splat(start, lanes), lane);
      const ValueId mask = b.logical_and(b.compare(CompareKind::Ge, element, b.const_i64(0, lanes)),
                                         b.compare(CompareKind::Lt, element, b.const_i64(kCount, lanes)));
      const ValueId loaded = b.load(in, start, lanes, mask);
      b.store(zeros, b.mul(at[0], lanes), loaded);
      b.store(out, start, loaded, mask);
      b.end_kernel();
      const Program program = b.finish();
      Arena arena(program);
      arena.fill(lanes);
      SCOPED_TRACE(scalar_name(scalar));
      expect_agreement(program, arena);
    }
  }
}

TEST(Memory, ScalarsArePassedByValue) {
  for (ScalarType scalar : kScalars) {
    Builder b("scale");
    const BufferId number = b.scalar("number", scalar);
    const BufferId out = b.argument("out", scalar, Access::Write, 8);
    const std::vector<ValueId> at = b.begin_kernel("scale", {8});
    b.store(out, at[0], b.load(number, b.const_i64(0)));
    b.end_kernel();
    const Program program = b.finish();
    Arena arena(program);
    arena.fill(3);
    expect_agreement(program, arena);
  }
}

TEST(Memory, TruthValuesTakeOneByte) {
  Builder b("truth");
  const BufferId in = b.argument("in", ScalarType::I1, Access::Read, 16);
  const BufferId out = b.argument("out", ScalarType::I1, Access::Write, 16);
  b.begin_kernel("truth", {});
  b.store(out, b.const_i64(0), b.unary(UnaryKind::Not, b.load(in, b.const_i64(0), 16)));
  b.end_kernel();
  const Program program = b.finish();
  Arena arena(program);
  arena.set(in, std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 2, 128, 255, 0, 1, 0});
  expect_agreement(program, arena);
}

/// out[i + shift] = in[i] + 1 where in and out are the same memory: each step sees the step before.
TEST(Memory, ArgumentsMayOverlap) {
  for (std::int64_t shift : {1, 3, 8, 11}) {
    Builder b("overlap");
    constexpr std::int64_t kCount = 200;
    const BufferId in = b.argument("in", ScalarType::I32, Access::Read, kCount);
    const BufferId out = b.argument("out", ScalarType::I32, Access::ReadWrite, kCount);
    b.begin_kernel("overlap", {});
    b.loop(b.const_i64(0), b.const_i64(kCount - shift), 1,
           [&](ValueId i) { b.store(out, b.add(i, shift), b.add(b.load(in, i), b.const_i32(1))); });
    b.end_kernel();
    const Program program = b.finish();
    Arena arena(program);
    arena.overlap(in, out, 0);
    expect_agreement(program, arena);
  }
}

TEST(Memory, UnalignedArguments) {
  Builder b("unaligned");
  const BufferId whole = b.argument("whole", ScalarType::F32, Access::ReadWrite, 101);
  const BufferId part = b.argument("part", ScalarType::F32, Access::ReadWrite, 100);
  b.begin_kernel("unaligned", {});
  b.loop(b.const_i64(0), b.const_i64(100), 1,
         [&](ValueId i) { b.store(part, i, b.mul(b.load(part, i), b.const_float(ScalarType::F32, 0.5))); });
  b.end_kernel();
  const Program program = b.finish();
  Arena arena(program);
  arena.fill(9);
  arena.overlap(part, whole, 1);
  expect_agreement(program, arena);
}

TEST(Memory, AllocationsOfOneKernelAreApart) {
  Builder b("apart");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, 40);
  const BufferId out = b.argument("out", ScalarType::F32, Access::Write, 40);
  const std::vector<ValueId> at = b.begin_kernel("apart", {4});
  const AllocationId x = b.allocation("x", AllocationSpace::Private, ScalarType::F32, 10);
  const AllocationId nothing = b.allocation("nothing", AllocationSpace::Private, ScalarType::F32, 0);
  const AllocationId y = b.allocation("y", AllocationSpace::Shared, ScalarType::F32, 10);
  const ValueId base = b.mul(at[0], 10);
  const ValueId none = b.const_bool(false);
  b.loop(b.const_i64(0), b.const_i64(10), 1, [&](ValueId i) {
    b.store(x, i, b.load(in, b.add(base, i)));
    b.store(y, i, b.const_float(ScalarType::F32, 2));
    b.store(nothing, i, b.const_float(ScalarType::F32, 3), none);
  });
  b.loop(b.const_i64(0), b.const_i64(10), 1, [&](ValueId i) {
    const ValueId mirrored = b.sub(b.const_i64(9), i);
    b.store(x, i, b.fma(b.load(x, mirrored), b.load(y, i), b.load(x, i)));
  });
  b.loop(b.const_i64(0), b.const_i64(10), 1, [&](ValueId i) { b.store(out, b.add(base, i), b.load(x, i)); });
  b.end_kernel();
  const Program program = b.finish();
  Arena arena(program);
  std::vector<float> values(40);
  std::iota(values.begin(), values.end(), 1.0f);
  arena.set(in, values);
  expect_agreement(program, arena);
  const auto artifact = emit(program, host_variant().options);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->launches[0].scratch_bytes, 128);
}

TEST(Memory, TemporariesPassFromKernelToKernel) {
  for (std::int64_t count : {0, 1, 37}) {
    Builder b("temporaries");
    const BufferId in = b.argument("in", ScalarType::I32, Access::Read, count);
    const BufferId out = b.argument("out", ScalarType::I32, Access::Write, count);
    const BufferId first = b.temporary("first", ScalarType::I32, count);
    const BufferId second = b.temporary("second", ScalarType::I64, count);
    std::vector<ValueId> at = b.begin_kernel("one", {count});
    b.store(first, at[0], b.add(b.load(in, at[0]), b.const_i32(5)));
    b.store(second, at[0], at[0]);
    b.end_kernel();
    at = b.begin_kernel("two", {count});
    const ValueId mirrored = b.sub(b.const_i64(count - 1), at[0]);
    b.store(out, at[0], b.add(b.load(first, mirrored), b.cast(ScalarType::I32, b.load(second, mirrored))));
    b.end_kernel();
    const Program program = b.finish();
    Arena arena(program);
    arena.fill(17);
    expect_agreement(program, arena);
    EXPECT_EQ(compare_with_interpreter(program, arena, {host_variant(2)}), "");
  }
}

}  // namespace
}  // namespace tilewright::emit_llvm
