#include "kernel/index_ranges.h"

#include <gtest/gtest.h>

#include "kernel/builder.h"

namespace tilewright::kernel {
namespace {

constexpr std::int64_t kTwo31 = std::int64_t{1} << 31, kTwo32 = std::int64_t{1} << 32;

/// Ranges of values of one kernel, which the test builds.
class RangesOf {
 public:
  explicit RangesOf(std::vector<std::int64_t> tasks, Group group = {}) {
    in32_ = b.argument("in32", ScalarType::I32, Access::Read, 8);
    coordinates = b.begin_kernel("k", std::move(tasks), group);
  }
  IndexRange of(ValueId value) { return ranges().of(value); }
  bool may_wrap(ValueId value) { return ranges().may_wrap(value); }
  bool fits(ValueId value) { return ranges().provably_fits_i32(value); }
  ValueId number(std::int64_t value) { return b.const_i64(value); }
  ValueId loaded() { return b.load(in32_, number(0)); }

  Builder b{"p"};
  std::vector<ValueId> coordinates;

 private:
  const IndexRanges& ranges() {
    if (program_.kernels.empty()) {
      b.end_kernel();
      program_ = b.finish();
      ranges_ = index_ranges(program_, program_.kernels[0]);
    }
    return ranges_;
  }
  BufferId in32_;
  Program program_;
  IndexRanges ranges_;
};

ValueId binary_of_numbers(RangesOf& r, BinaryKind kind, std::int64_t a, std::int64_t b) {
  const ValueId left = r.number(a);
  const ValueId right = r.number(b);
  return r.b.binary(kind, left, right);
}

TEST(IndexRanges, CoordinatesAndWorkers) {
  RangesOf r({3, kTwo32}, {96, 32});
  const ValueId worker = r.b.worker(WorkerQuery::Worker);
  const ValueId lane = r.b.worker(WorkerQuery::Lane);
  const ValueId subgroup = r.b.worker(WorkerQuery::Subgroup);
  EXPECT_EQ(r.of(r.coordinates[0]), (IndexRange{0, 2}));
  EXPECT_EQ(r.of(r.coordinates[1]), (IndexRange{0, kTwo32 - 1}));
  EXPECT_EQ(r.of(worker), (IndexRange{0, 95}));
  EXPECT_EQ(r.of(lane), (IndexRange{0, 31}));
  EXPECT_EQ(r.of(subgroup), (IndexRange{0, 2}));
}

TEST(IndexRanges, ABoundaryOf32BitsIsExact) {
  for (const std::int64_t extent : {kTwo31 / 4, kTwo31 / 4 + 1}) {
    RangesOf r({extent});
    const ValueId scaled = r.b.mul(r.coordinates[0], 4);
    const ValueId last = r.b.add(scaled, 3);
    EXPECT_EQ(r.of(last), (IndexRange{3, 4 * extent - 1}));
    EXPECT_EQ(r.fits(last), extent == kTwo31 / 4);
    EXPECT_FALSE(r.may_wrap(last));
  }
}

TEST(IndexRanges, ABoundaryOf64BitsWraps) {
  for (const std::int64_t extent : {kTwo32, kTwo32 + 1}) {
    RangesOf r({extent});
    const ValueId square = r.b.mul(r.coordinates[0], kTwo31);
    EXPECT_EQ(r.may_wrap(square), extent != kTwo32);
    EXPECT_EQ(r.of(square), extent == kTwo32 ? (IndexRange{0, (kTwo32 - 1) * kTwo31}) : IndexRange{});
  }
}

TEST(IndexRanges, LoadedNumbersAreAnything) {
  RangesOf r({});
  const ValueId loaded = r.loaded();
  const ValueId sum = r.b.add(loaded, loaded);
  const ValueId wide = r.b.cast(ScalarType::I64, loaded);
  const ValueId doubled = r.b.add(wide, wide);
  EXPECT_EQ(r.of(loaded), kRangeOfI32);
  EXPECT_TRUE(r.may_wrap(sum));
  EXPECT_EQ(r.of(sum), kRangeOfI32);
  EXPECT_FALSE(r.may_wrap(doubled));
  EXPECT_EQ(r.of(doubled), (IndexRange{-kTwo32, kTwo32 - 2}));
}

TEST(IndexRanges, Division) {
  RangesOf r({100});
  const ValueId t = r.coordinates[0];
  const ValueId eight = r.number(8);
  const ValueId shifted = r.b.add(t, -50);
  const ValueId quotient = r.b.binary(BinaryKind::FloorDiv, t, eight);
  const ValueId rest = r.b.binary(BinaryKind::FloorMod, t, eight);
  const ValueId below = r.b.binary(BinaryKind::FloorDiv, shifted, eight);
  const ValueId rest_below = r.b.binary(BinaryKind::FloorMod, shifted, eight);
  const ValueId same = r.b.binary(BinaryKind::FloorMod, quotient, t);
  const ValueId small = r.b.binary(BinaryKind::FloorMod, quotient, r.number(13));
  EXPECT_EQ(r.of(quotient), (IndexRange{0, 12}));
  EXPECT_EQ(r.of(rest), (IndexRange{0, 7}));
  EXPECT_EQ(r.of(below), (IndexRange{-7, 6}));
  EXPECT_EQ(r.of(rest_below), (IndexRange{0, 7}));
  EXPECT_EQ(r.of(same), IndexRange{}) << "the divisor may be 0";
  EXPECT_EQ(r.of(small), (IndexRange{0, 12}));
}

TEST(IndexRanges, LoopsAndCarries) {
  RangesOf r({4});
  const ValueId zero = r.number(0);
  const ValueId high = r.b.mul(r.coordinates[0], 10);
  const Builder::Loop loop = r.b.begin_loop(zero, high, 3, {zero, zero});
  const ValueId grown = r.b.add(loop.carries[0], loop.index);
  const ValueId kept = r.b.binary(BinaryKind::Min, loop.carries[1], zero);
  const std::vector<ValueId> results = r.b.end_loop({grown, kept});
  EXPECT_EQ(r.of(loop.index), (IndexRange{0, 29}));
  EXPECT_EQ(r.of(results[0]), IndexRange{}) << "a sum over iterations is not bounded here";
  EXPECT_EQ(r.of(results[1]), (IndexRange{0, 0}));
  EXPECT_TRUE(r.may_wrap(grown));
}

TEST(IndexRanges, BitsAndShifts) {
  RangesOf r({100});
  const ValueId t = r.coordinates[0];
  const ValueId masked = r.b.binary(BinaryKind::And, t, r.number(15));
  const ValueId joined = r.b.binary(BinaryKind::Or, t, r.number(5));
  const ValueId left = r.b.binary(BinaryKind::Shl, t, r.number(4));
  const ValueId right = r.b.binary(BinaryKind::Shr, t, r.number(2));
  const ValueId unknown = r.b.binary(BinaryKind::Shl, t, t);
  EXPECT_EQ(r.of(masked), (IndexRange{0, 15}));
  EXPECT_EQ(r.of(joined), (IndexRange{0, 127}));
  EXPECT_EQ(r.of(left), (IndexRange{0, 99 * 16}));
  EXPECT_EQ(r.of(right), (IndexRange{0, 24}));
  EXPECT_TRUE(r.may_wrap(unknown));
}

TEST(IndexRanges, ComparisonsThatAreDecided) {
  RangesOf r({100});
  const ValueId t = r.coordinates[0];
  const auto decided = [&](CompareKind kind, std::int64_t number) {
    const ValueId right = r.number(number);
    return r.b.compare(kind, t, right);
  };
  const ValueId at_least_0 = decided(CompareKind::Ge, 0), below_0 = decided(CompareKind::Lt, 0);
  const ValueId below_100 = decided(CompareKind::Lt, 100), below_99 = decided(CompareKind::Lt, 99);
  const ValueId is_100 = decided(CompareKind::Eq, 100), is_not_99 = decided(CompareKind::Ne, 99);
  const ValueId both = r.b.logical_and(at_least_0, below_99), all = r.b.logical_and(at_least_0, below_100);
  const ValueId negated = r.b.unary(UnaryKind::Not, below_0);
  const ValueId chosen = r.b.select(all, t, r.number(-1));
  constexpr IndexRange kTrue{1, 1}, kFalse{0, 0}, kOpen{0, 1};
  EXPECT_EQ(r.of(at_least_0), kTrue);
  EXPECT_EQ(r.of(below_0), kFalse);
  EXPECT_EQ(r.of(below_100), kTrue);
  EXPECT_EQ(r.of(below_99), kOpen);
  EXPECT_EQ(r.of(is_100), kFalse);
  EXPECT_EQ(r.of(is_not_99), kOpen);
  EXPECT_EQ(r.of(both), kOpen);
  EXPECT_EQ(r.of(all), kTrue);
  EXPECT_EQ(r.of(negated), kTrue);
  EXPECT_EQ(r.of(chosen), (IndexRange{0, 99}));
}

TEST(IndexRanges, TheLeastNumberHasNoMagnitude) {
  RangesOf r({});
  const ValueId least = binary_of_numbers(r, BinaryKind::Add, INT64_MIN, 0);
  const ValueId magnitude = r.b.unary(UnaryKind::Abs, least);
  const ValueId near = binary_of_numbers(r, BinaryKind::Add, INT64_MIN, 1);
  const ValueId negated = r.b.unary(UnaryKind::Neg, near);
  EXPECT_TRUE(r.may_wrap(magnitude));
  EXPECT_FALSE(r.may_wrap(negated));
  EXPECT_EQ(r.of(negated), (IndexRange{INT64_MAX, INT64_MAX}));
}

TEST(IndexRanges, MultiplyAddCountsItsProductToo) {
  RangesOf r({8});
  const ValueId t = r.coordinates[0];
  const ValueId fused = r.b.fma(t, t, t);
  const ValueId huge = r.number(INT64_MAX);
  const ValueId wraps = r.b.fma(huge, t, r.number(-1));
  EXPECT_EQ(r.of(fused), (IndexRange{0, 56}));
  EXPECT_TRUE(r.may_wrap(wraps));
}

}  // namespace
}  // namespace tilewright::kernel
