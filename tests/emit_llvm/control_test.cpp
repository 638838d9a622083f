// Task loops, loops, conditions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/builder.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

/// With one thread and with two.
void expect_agreement_of_threads(const Program& program, const Arena& arena) {
  expect_agreement(program, arena);
  EXPECT_EQ(compare_with_interpreter(program, arena, {host_variant(2)}), "");
}

TEST(Control, TaskCoordinatesAreRowMajor) {
  const std::vector<std::vector<std::int64_t>> domains{{}, {7}, {3, 5}, {2, 3, 4}, {1, 1, 9, 1}, {0}, {3, 0, 2}};
  for (const std::vector<std::int64_t>& extents : domains) {
    std::int64_t count = 1;
    for (std::int64_t extent : extents) count *= extent;
    Builder b("tasks");
    const BufferId out = b.argument("out", ScalarType::I64, Access::Write, count);
    const std::vector<ValueId> at = b.begin_kernel("tasks", extents);
    ValueId ordinal = b.const_i64(0), digits = b.const_i64(0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      ordinal = b.add(b.mul(ordinal, extents[i]), at[i]);
      digits = b.add(b.mul(digits, 100), at[i]);
    }
    b.store(out, ordinal, digits);
    b.end_kernel();
    const Program program = b.finish();
    expect_agreement_of_threads(program, Arena(program));
  }
}

/// The carries are the number of trips, the sum of the coordinates, and the two last ones by simultaneous update.
Program loop_program(const std::vector<std::int64_t>& lows, const std::vector<std::int64_t>& highs, std::int64_t step,
                     bool constant_bounds) {
  const auto count = static_cast<std::int64_t>(lows.size());
  Builder b("loops");
  const BufferId low = b.argument("low", ScalarType::I64, Access::Read, count);
  const BufferId high = b.argument("high", ScalarType::I64, Access::Read, count);
  const BufferId out = b.argument("out", ScalarType::I64, Access::Write, 4 * count);
  for (std::int64_t i = 0; i < (constant_bounds ? count : 1); ++i) {
    const std::vector<ValueId> at = b.begin_kernel(fmt::format("loop{}", i), {constant_bounds ? 1 : count});
    const ValueId row = constant_bounds ? b.const_i64(i) : at[0];
    const ValueId begin = constant_bounds ? b.const_i64(lows[std::size_t(i)]) : b.load(low, row);
    const ValueId end = constant_bounds ? b.const_i64(highs[std::size_t(i)]) : b.load(high, row);
    const ValueId zero = b.const_i64(0);
    const std::vector<ValueId> last =
        b.loop(begin, end, step, {zero, zero, b.const_i64(-1), b.const_i64(-2)},
               [&](ValueId index, const std::vector<ValueId>& carries) -> std::vector<ValueId> {
                 return {b.add(carries[0], 1), b.add(carries[1], index), index, carries[2]};
               });
    for (std::size_t k = 0; k < 4; ++k) b.store(out, b.add(b.mul(row, 4), static_cast<std::int64_t>(k)), last[k]);
    b.end_kernel();
  }
  return b.finish();
}

TEST(Control, LoopsCarryAndMayNotRun) {
  const std::vector<std::int64_t> lows{0, 0, 0, 5, 3, -7, -3, 10, INT64_MAX - 3, INT64_MAX, INT64_MIN, INT64_MIN};
  const std::vector<std::int64_t> highs{0, 1, 10, 5, 2, -2, 3, -10, INT64_MAX, INT64_MAX, INT64_MIN + 9, INT64_MIN};
  for (std::int64_t step : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, INT64_MAX}) {
    for (bool constant_bounds : {false, true}) {
      const Program program = loop_program(lows, highs, step, constant_bounds);
      Arena arena(program);
      arena.set(BufferId{0}, lows);
      arena.set(BufferId{1}, highs);
      expect_agreement_of_threads(program, arena);
    }
  }
}

TEST(Control, LoopsOverTheWholeRangeOfIntegers) {
  const std::int64_t step = INT64_MAX;  // three trips
  for (bool constant_bounds : {false, true}) {
    const Program program = loop_program({INT64_MIN}, {INT64_MAX}, step, constant_bounds);
    Arena arena(program);
    arena.set(BufferId{0}, std::vector<std::int64_t>{INT64_MIN});
    arena.set(BufferId{1}, std::vector<std::int64_t>{INT64_MAX});
    expect_agreement_of_threads(program, arena);
  }
}

TEST(Control, VectorsAndHalvesAreCarried) {
  Builder b("vectors");
  const BufferId in = b.argument("in", ScalarType::F16, Access::Read, 64);
  const BufferId out = b.argument("out", ScalarType::F16, Access::Write, 8);
  b.begin_kernel("vectors", {});
  const std::vector<ValueId> sums = b.loop(b.const_i64(0), b.const_i64(64), 8, {b.const_float(ScalarType::F16, 0.1, 8)},
                                           [&](ValueId i, const std::vector<ValueId>& carries) -> std::vector<ValueId> {
                                             return {b.add(carries[0], b.load(in, i, 8))};
                                           });
  b.store(out, b.const_i64(0), sums[0]);
  b.end_kernel();
  const Program program = b.finish();
  Arena arena(program);
  arena.fill(5);
  expect_agreement_of_threads(program, arena);
}

TEST(Control, ConditionsAreLazyAndNest) {
  constexpr std::int64_t kCount = 10;
  Builder b("conditions");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, kCount);
  const BufferId out = b.argument("out", ScalarType::F32, Access::Write, 3 * kCount);
  const std::vector<ValueId> at = b.begin_kernel("conditions", {3 * kCount});
  const ValueId index = b.add(at[0], -kCount);
  b.begin_if(b.logical_and(b.compare(CompareKind::Ge, index, b.const_i64(0)),
                           b.compare(CompareKind::Lt, index, b.const_i64(kCount))));
  const ValueId loaded = b.load(in, index);  // outside of the buffer for two thirds of the tasks
  b.begin_if(b.compare(CompareKind::Lt, loaded, b.const_float(ScalarType::F32, 0)));
  const ValueId negated = b.unary(UnaryKind::Neg, loaded);
  b.begin_else({negated});
  const ValueId chosen = b.end_if({loaded})[0];
  b.begin_else({chosen});
  const ValueId result = b.end_if({b.const_float(ScalarType::F32, -1)})[0];
  b.store(out, at[0], result);
  b.if_then(b.compare(CompareKind::Eq, index, b.const_i64(3)),
            [&] { b.store(out, at[0], b.const_float(ScalarType::F32, 99)); });
  b.end_kernel();
  const Program program = b.finish();
  Arena arena(program);
  arena.fill(23);
  expect_agreement_of_threads(program, arena);
}

}  // namespace
}  // namespace tilewright::emit_llvm
