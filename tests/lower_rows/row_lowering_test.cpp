// Row reductions as kernels: the library, sizes and types, every kind of mapping, special numbers.
#include <algorithm>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lower_rows/row_trials.h"

namespace tilewright::lower {
namespace {

using namespace testing;
using tile::testing::Trial;

TEST(RowLowering, WholeRows) {
  for (const char* text : {realize::kRowSum, realize::kRowSoftmax, realize::kRowRmsNorm})
    for (const std::int64_t width : {1, 31, 32, 64, 257}) {
      SCOPED_TRACE(width);
      Trial trial(text, {{"N", 3}, {"C", width}});
      trial.fill_random(1);
      for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(1, 2), mapping(2, 1, 4)})
        expect_rows(trial, by);
    }
}

TEST(RowLowering, TheLibraryAtManySizes) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    for (const auto& [rows, width] : {std::pair(8, 128), std::pair(6, 130), std::pair(1, 1), std::pair(5, 67)})
      for (const std::int64_t block : {1, 4}) {
        SCOPED_TRACE(fmt::format("{} x {}, {} rows a program", rows, width, block));
        Trial trial = library_trial(name, {{"N", rows}, {"C", width}, {"BR", block}, {"BC", 64}});
        expect_legal_rows(trial, kWidths);
      }
  }
}

TEST(RowLowering, EveryNumberOfPackedPrograms) {
  for (const std::int64_t programs : {1, 7, 8, 9}) {
    Trial trial = library_trial("rmsnorm", {{"N", programs}, {"C", 40}, {"BR", 1}, {"BC", 64}});
    for (std::int64_t q = 1; q <= std::min<std::int64_t>(programs, 8); ++q) expect_rows(trial, mapping(1, q));
  }
}

TEST(RowLowering, LongRows) {
  Trial trial(realize::kRowSoftmax, {{"N", 2}, {"C", 4096}});
  trial.fill_random(8);
  for (const RowMapping& by : {mapping(4), mapping(8, 1, 4, 2), mapping(32, 1, 1, 3), mapping(7, 1, 2)})
    expect_rows(trial, by);
}

TEST(RowLowering, EmptyLaunchesAndRows) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    // No program: the planner has the scalar mapping for that. No element: the launch is no row reduction.
    for (const auto& [rows, width] : {std::pair(0, 40), std::pair(3, 0)}) {
      Trial trial = library_trial(name, {{"N", rows}, {"C", width}, {"BR", 1}, {"BC", 64}});
      EXPECT_EQ(rows_disagree(trial, mapping(1)), "not legal");
    }
  }
}

TEST(RowLowering, ElementTypes) {
  for (const char* name : kRowPrograms)
    for (const DataType type : {DataType::F16, DataType::BF16}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 6}, {"C", 97}, {"BR", 4}, {"BC", 64}}, type);
      expect_legal_rows(trial, {mapping(1), mapping(3), mapping(2, 1, 4, 2)});
    }
}

TEST(RowLowering, ConsecutiveElementsAndChunksTogether) {
  for (const char* text : {realize::kRowSum, realize::kRowSoftmax, realize::kRowRmsNorm})
    for (const std::int64_t width : {1, 63, 256, 517})
      for (const std::int64_t lanes : {1, 2, 4, 8})
        for (const std::int64_t unroll : kSanitized ? std::vector{1, 3} : std::vector{1, 2, 3, 16}) {
          Trial trial(text, {{"N", 2}, {"C", width}});
          trial.fill_random(2);
          SCOPED_TRACE(width);
          expect_rows(trial, mapping(1, 1, lanes, unroll));
          if (unroll < 3) expect_rows(trial, mapping(3, 1, lanes, unroll));
        }
}

TEST(RowLowering, CachedInputs) {
  for (const char* name : {"rmsnorm", "layernorm", "residual_layernorm"})
    for (const std::int64_t block : {1, 4}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 6}, {"C", 130}, {"BR", block}, {"BC", 64}});
      expect_legal_rows(trial, {mapping(1, 1, 1, 1, true), mapping(2, 1, 2, 1, true), mapping(3, 1, 1, 2, true),
                                mapping(1, 3, 1, 1, true)});
    }
  for (const char* text : {realize::kRowSoftmax, realize::kRowRmsNorm}) {
    Trial trial(text, {{"N", 3}, {"C", 100}});
    trial.fill_random(3);
    for (const RowMapping& by : {mapping(1, 1, 1, 1, true), mapping(2, 1, 4, 1, true), mapping(1, 2, 1, 2, true)})
      expect_rows(trial, by);
  }
  // Loaded before a stepped loop, and read in each of its iterations.
  Trial trial(R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in N {
    x[c: C] = X[i, c]
    t[] = 0.0
    serial s in 3 {
      m = max(x * (t + 1.0), c)
      t = t + sum(x + m, c) * 0.01
    }
    S[i] = t
  }
})",
              {{"N", 3}, {"C", 100}});
  trial.fill_random(4);
  for (const RowMapping& by : {mapping(1), mapping(2), mapping(1, 1, 1, 1, true), mapping(2, 1, 4, 1, true)}) {
    std::vector<kernel::Counts> counts;
    EXPECT_EQ(rows_disagree(trial, by, &counts), "") << mapping_text(by);
    EXPECT_EQ(counts[0].of(kernel::MemoryKind::Buffer).loads, by.cache_inputs ? 300u : 1800u);
  }
}

TEST(RowLowering, ManyRowsAreDoneOneByOne) {
  for (const char* name : kRowPrograms) {
    SCOPED_TRACE(name);
    Trial trial = library_trial(name, {{"N", 21}, {"C", 97}, {"BR", 16}, {"BC", 64}});
    expect_legal_rows(trial, {mapping(1), mapping(3), mapping(1, 2), mapping(2, 1, 2, 2)});
    if (std::string(name).ends_with("norm")) expect_rows(trial, mapping(2, 1, 1, 1, true));
  }
}

TEST(RowLowering, MoreRowsThanWorkers) {
  Trial trial = library_trial("rowsum", {{"N", 150}, {"C", 5}, {"BR", 100}, {"BC", 8}});
  expect_legal_rows(trial, {mapping(1), mapping(2), mapping(1, 2)});
}

TEST(RowLowering, SpecialNumbers) {
  const double inf = tile::testing::kInf, nan = tile::testing::kNan;
  for (const char* name : {"softmax", "rowsum", "rmsnorm", "cross_entropy"})
    for (const std::int64_t block : {1, 4}) {
      SCOPED_TRACE(name);
      Trial trial = library_trial(name, {{"N", 5}, {"C", 70}, {"BR", block}, {"BC", 64}});
      std::vector<double> rows(350, 0.5);
      for (std::size_t c = 0; c < 70; ++c) rows[c] = -inf;
      rows[70 + 69] = nan;
      rows[140] = inf;
      for (std::size_t c = 0; c < 70; ++c) rows[210 + c] = -0.0;
      rows[280 + 33] = 1e-40;
      trial.fill("X", rows);
      expect_legal_rows(trial, {mapping(1), mapping(2), mapping(3), mapping(1, 2)});
    }
}

/// D3: a NaN wins wherever it stands; so does -0 in a minimum, +0 in a maximum.
TEST(RowLowering, ExtremaKeepNansAndZeros) {
  const char* text = R"(program p(C) {
  in X: f32[C]
  out L: f32[]
  out H: f32[]
  parallel i in 1 {
    x[c: C] = X[c]
    L[] = min(x, c)
    H[] = max(x, c)
  }
})";
  const double nan = tile::testing::kNan;
  for (const std::vector<double>& row :
       {std::vector{1.0, nan, 3.0}, {nan, 1.0, 3.0}, {1.0, 3.0, nan}, {nan}, {0.0, -0.0, 0.0}, {-0.0, 0.0}, {-0.0}})
    for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(32)}) {
      Trial trial(text, {{"C", static_cast<std::int64_t>(row.size())}});
      trial.fill("X", row);
      expect_rows(trial, by);
    }
}

/// Workers and lanes without elements add the identity, not 0.
TEST(RowLowering, ExtremaOfOneSign) {
  const char* text = R"(program p(N, C) {
  in X: f32[N, C]
  out L: f32[N]
  out H: f32[N]
  parallel i in N {
    x[c: C] = X[i, c]
    L[i] = min(x, c)
    H[i] = max(x, c)
  }
})";
  for (const std::int64_t width : {1, 40, 96, 200})
    for (const auto& [low, high] : {std::pair(1.0, 2.0), std::pair(-2.0, -1.0)})
      for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(32), mapping(1, 2)}) {
        Trial trial(text, {{"N", 3}, {"C", width}});
        trial.fill_random(7, low, high);
        expect_rows(trial, by);
      }
}

TEST(RowLowering, ZerosKeepTheirSign) {
  // A region that folds its iterations adds no +0: only -0 on -0 stays -0.
  const char* text = R"(program p(N, C) {
  in X: f32[N, C]
  out S: f32[N]
  parallel i in N {
    t[] = -0.0
    reduce s in C { t += X[i, s] }
    S[i] = t
  }
})";
  for (const double last : {-0.0, 0.0})
    for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(32), mapping(1, 2)}) {
      Trial trial(text, {{"N", 2}, {"C", 40}});
      std::vector<double> values(80, -0.0);
      values.back() = last;
      trial.fill("X", values);
      expect_rows(trial, by);
    }
}

}  // namespace
}  // namespace tilewright::lower
