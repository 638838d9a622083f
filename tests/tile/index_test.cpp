// Index expressions: the laws of the arithmetic over all points of small domains, folding, ranges.
#include <gtest/gtest.h>

#include <cmath>

#include "tile/index.h"

namespace tilewright::tile {
namespace {

constexpr IndexKind kOperations[] = {IndexKind::Add,      IndexKind::Sub,       IndexKind::Mul,
                                     IndexKind::FloorDiv, IndexKind::CeilDiv,   IndexKind::Mod,
                                     IndexKind::Min,      IndexKind::Max,       IndexKind::BitAnd,
                                     IndexKind::BitXor,   IndexKind::ShiftLeft, IndexKind::ShiftRight};

TEST(IndexArithmetic, DivisionIsFlooredAndModulusHasTheSignOfTheDivisor) {
  for (std::int64_t a = -20; a <= 20; ++a)
    for (std::int64_t b = -7; b <= 7; ++b) {
      auto quotient = apply_index_op(IndexKind::FloorDiv, a, b);
      auto rest = apply_index_op(IndexKind::Mod, a, b);
      auto up = apply_index_op(IndexKind::CeilDiv, a, b);
      if (b == 0) {
        EXPECT_FALSE(quotient || rest || up);
        continue;
      }
      const double exact = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(*quotient, static_cast<std::int64_t>(std::floor(exact))) << a << " / " << b;
      EXPECT_EQ(*up, static_cast<std::int64_t>(std::ceil(exact))) << a << " / " << b;
      EXPECT_EQ(*quotient * b + *rest, a);
    }
}

TEST(IndexArithmetic, OverflowHasNoValue) {
  constexpr std::int64_t kMax = INT64_MAX, kMin = INT64_MIN;
  EXPECT_FALSE(apply_index_op(IndexKind::Add, kMax, 1));
  EXPECT_FALSE(apply_index_op(IndexKind::Sub, kMin, 1));
  EXPECT_FALSE(apply_index_op(IndexKind::Mul, std::int64_t{1} << 32, std::int64_t{1} << 31));
  EXPECT_FALSE(apply_index_op(IndexKind::FloorDiv, kMin, -1));
  EXPECT_FALSE(apply_index_op(IndexKind::ShiftLeft, 1, 63));
  EXPECT_FALSE(apply_index_op(IndexKind::ShiftLeft, 1, 64));
  EXPECT_FALSE(apply_index_op(IndexKind::ShiftRight, 1, -1));
  EXPECT_EQ(apply_index_op(IndexKind::ShiftRight, -1, 63), 1);
  EXPECT_EQ(apply_index_op(IndexKind::ShiftLeft, -1, 63), kMin);
}

TEST(IndexArena, EqualExpressionsShareOneId) {
  IndexArena arena;
  IndexId m = arena.symbol(SymbolId{0});
  IndexId a = arena.make(IndexKind::Add, m, arena.constant(1));
  IndexId b = arena.make(IndexKind::Add, m, arena.constant(1));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, arena.make(IndexKind::Sub, m, arena.constant(1)));
}

TEST(IndexArena, FoldsConstantsOnlyWhenTheResultExists) {
  IndexArena arena;
  EXPECT_EQ(arena.as_constant(arena.make(IndexKind::CeilDiv, arena.constant(7), arena.constant(2))), 4);
  EXPECT_FALSE(arena.as_constant(arena.make(IndexKind::FloorDiv, arena.constant(7), arena.constant(0))));
  EXPECT_FALSE(arena.as_constant(arena.make(IndexKind::Mul, arena.constant(INT64_MAX), arena.constant(2))));
}

/// The range of every operation contains every value, over all small operand ranges.
TEST(IndexArena, RangesContainEveryValue) {
  for (IndexKind kind : kOperations)
    for (std::int64_t al = -3; al <= 3; ++al)
      for (std::int64_t ah = al; ah <= 4; ++ah)
        for (std::int64_t bl = -3; bl <= 3; ++bl)
          for (std::int64_t bh = bl; bh <= 4; ++bh) {
            IndexArena arena;
            IndexId id = arena.make(kind, arena.symbol(SymbolId{0}), arena.symbol(SymbolId{1}));
            auto range = arena.range_over(id, [&](const IndexNode& node) {
              return std::optional(node.symbol().index == 0 ? IndexRange{al, ah} : IndexRange{bl, bh});
            });
            for (std::int64_t a = al; a <= ah; ++a)
              for (std::int64_t b = bl; b <= bh; ++b) {
                auto value = apply_index_op(kind, a, b);
                if (!range) continue;
                ASSERT_TRUE(value) << "kind " << static_cast<int>(kind) << ": " << a << ", " << b;
                ASSERT_LE(range->low, *value) << "kind " << static_cast<int>(kind) << ": " << a << ", " << b;
                ASSERT_GE(range->high, *value) << "kind " << static_cast<int>(kind) << ": " << a << ", " << b;
              }
          }
}

TEST(IndexArena, RangesAreTightForAffineExpressions) {
  IndexArena arena;
  IndexId id = arena.make(IndexKind::Sub, arena.make(IndexKind::Mul, arena.axis(AxisId{0}), arena.constant(8)),
                          arena.constant(3));
  auto range = arena.range_over(id, [](const IndexNode&) { return std::optional(IndexRange{0, 5}); });
  EXPECT_EQ(range, (IndexRange{-3, 37}));
}

TEST(IndexArena, LeavesComeInOrderOfAppearance) {
  IndexArena arena;
  IndexId b = arena.axis(AxisId{7}), a = arena.axis(AxisId{2});
  IndexId id = arena.make(IndexKind::Add, arena.make(IndexKind::Mul, b, a), b);
  EXPECT_EQ(arena.axes(id), (std::vector<AxisId>{AxisId{7}, AxisId{2}}));
}

}  // namespace
}  // namespace tilewright::tile
