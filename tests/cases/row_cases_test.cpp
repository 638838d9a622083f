// Rows, elements and launch sizes on groups of workers: rows A9, B10, B13, C2, C7, C8, C9, D2, D9, D12, G4, G5, by the
// kernel interpreter, which reports races, divergence and bounds by itself.
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel/printer.h"
#include "lower/traversal.h"
#include "lower_rows/planned_case.h"
#include "lower_rows/row_trials.h"
#include "realize/elementwise.h"

namespace tilewright::cases {
namespace {

using namespace lower::testing;
using tile::testing::Trial;
using tile::testing::Values;

proof::Subject subject_of(const Trial& trial) { return proof::make_subject(trial.program(), realize::apart()); }

void expect_elements(Trial& trial) {
  const proof::Subject subject = subject_of(trial);
  const auto plan = element_plan(subject);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kernels_disagree(trial, lowered_by(subject, *plan)), "");
}

TEST(RowCases, A9_ASecondStageWritesWhatTheFirstOneReads) {
  // As two launches, and as one whose workers write in place behind the sum.
  const char* const two = R"(program p(N, C) {
  inout G: f32[N, C]
  out S: f32[N]
  parallel i in N {
    g[c: C] = G[i, c]
    S[i] = sum(g, c)
  }
  parallel i in N, j in ceildiv(C, 16) {
    g[c: 16] = G[i, j*16 + c]
    G[i, j*16 + c] = g * 2.0
  }
})";
  const char* const one = R"(program p(N, C) {
  inout G: f32[N, C]
  out S: f32[N]
  parallel i in N {
    g[c: C] = G[i, c]
    S[i] = sum(g, c)
    G[i, c] = g * 2.0
  }
})";
  for (const char* text : {two, one}) {
    Trial trial(text, {{"N", 5}, {"C", 70}});
    trial.fill_random(1);
    for (const RowMapping& by : {mapping(1), mapping(2), mapping(3), mapping(8)}) expect_rows(trial, by);
    // Programs that run twice would write twice.
    EXPECT_EQ(rows_disagree(trial, mapping(1, 2)) == "not legal", text == one);
  }
}

TEST(RowCases, B10_GridsAreRoundedUp) {
  for (const std::int64_t rows : {1, 32, 64, 96}) {
    Trial trial = library_trial("rowsum", {{"N", rows}, {"C", 20}, {"BR", 64}, {"BC", 64}});
    for (const RowMapping& by : {mapping(1), mapping(2)}) expect_rows(trial, by);
    Trial elements(realize::rows_library_text("swiglu"), {{"N", 1}, {"C", rows}, {"BR", 1}, {"BC", 64}});
    elements.fill_random(1);
    expect_elements(elements);
  }
}

TEST(RowCases, B13_SubgroupsWithoutElementsAddNothing) {
  Trial trial = library_trial("rowsum", {{"N", 3}, {"C", 40}, {"BR", 1}, {"BC", 64}});
  for (const RowMapping& by : {mapping(8), mapping(32), mapping(2, 1, 8)}) expect_rows(trial, by);
}

/// Conditions around the fences of a block.
void expect_fences_outside_of_conditions(const kernel::Program& program, kernel::BlockId block, bool in_condition) {
  for (kernel::OpId id : program.blocks[block].ops) {
    const kernel::OpPayload& payload = program.ops[id].payload;
    const bool is_together =
        std::holds_alternative<kernel::FenceOp>(payload) || std::holds_alternative<kernel::SubgroupReduceOp>(payload);
    EXPECT_FALSE(is_together && in_condition);
    const bool inside = in_condition || std::holds_alternative<kernel::IfOp>(payload);
    for (kernel::BlockId inner : kernel::nested_blocks(payload))
      expect_fences_outside_of_conditions(program, inner, inside);
  }
}

TEST(RowCases, C2_WhatWorkersDoTogetherStandsOutsideOfGuards) {
  // 48 of 64 workers have an element.
  for (const char* name : kRowPrograms)
    for (const RowMapping& by : {mapping(2), mapping(3), mapping(1, 3)}) {
      Trial trial = library_trial(name, {{"N", 7}, {"C", 48}, {"BR", 1}, {"BC", 64}});
      const std::string fault = rows_disagree(trial, by);
      if (fault == "not legal") continue;
      EXPECT_EQ(fault, "");
      const proof::Subject subject = subject_of(trial);
      const kernel::Program program = lowered_by(subject, *row_plan(subject, by));
      expect_fences_outside_of_conditions(program, program.kernels[0].body, false);
    }
}

TEST(RowCases, C7_NobodyLeavesEarly) {
  // Groups of 256 workers; the last one has programs for 128 of them.
  Trial trial = library_trial("rmsnorm", {{"N", 12}, {"C", 40}, {"BR", 1}, {"BC", 64}});
  std::vector<kernel::Counts> counts;
  ASSERT_EQ(rows_disagree(trial, mapping(1, 8), &counts), "");
  EXPECT_EQ(counts[0].tasks, 2u);
  EXPECT_EQ(counts[0].subgroup_exchanges, 16u);
}

TEST(RowCases, C8_AFenceThatOrdersNothingIsNoFence) {
  Trial trial = library_trial("rowsum", {{"N", 3}, {"C", 100}, {"BR", 1}, {"BC", 128}});
  const proof::Subject subject = subject_of(trial);
  kernel::Program program = lowered_by(subject, *row_plan(subject, mapping(4)));
  for (kernel::Op& op : program.ops)
    if (auto* fence = std::get_if<kernel::FenceOp>(&op.payload)) fence->memory = {};
  EXPECT_NE(kernels_disagree(trial, program).find("AccessRace"), std::string::npos);
}

TEST(RowCases, C9_NoGroupReadsWhatAnotherOneStores) {
  Trial trial(R"(program p(N, C) {
  inout X: f32[N + 1, C]
  parallel i in N {
    x[c: C] = X[i, c]
    X[i + 1, c] = x + sum(x, c)
  }
})",
              {{"N", 4}, {"C", 40}});
  EXPECT_EQ(realize::answer_of(trial.program()), "source_written");
  const auto elements = realize::elementwise_facts(subject_of(trial), 0, sets::Context());
  ASSERT_FALSE(elements);
}

TEST(RowCases, D2_EveryElementIsAddedOnce) {
  // Integers below 2^24 add up exactly: an element too many or too few shows.
  Values numbers(160);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  for (const std::int64_t block : {1, 4}) {
    Trial trial = library_trial("rowsum", {{"N", 4}, {"C", 40}, {"BR", block}, {"BC", 64}});
    trial.fill("X", numbers);
    const proof::Subject subject = subject_of(trial);
    for (const RowMapping& by : {mapping(4), mapping(3), mapping(1, 1, 8), mapping(2, 1, 2, 3)}) {
      std::vector<kernel::Counts> counts;
      EXPECT_EQ(kernels_disagree(trial, lowered_by(subject, *row_plan(subject, by)), &counts), "");
      EXPECT_EQ(counts[0].of(kernel::MemoryKind::Buffer).loads, 160u);
    }
  }
}

TEST(RowCases, D9_RowsOfMinusInfinity) {
  Trial trial = library_trial("softmax", {{"N", 4}, {"C", 40}, {"BR", 4}, {"BC", 64}});
  Values rows(160, 0.25);
  std::fill_n(rows.begin(), 40, -tile::testing::kInf);
  std::fill_n(rows.begin() + 41, 39, -tile::testing::kInf);
  trial.fill("X", rows);
  for (const RowMapping& by : {mapping(1), mapping(2), mapping(3)}) expect_rows(trial, by);
}

TEST(RowCases, D12_LabelsAreGatheredFromWhatWorkersShare) {
  const char* const whole = R"(program p(N, C) {
  in X: f32[N, C]
  in label: i32[N]
  out loss: f32[N]
  parallel i in N {
    want[] = label[i]
    x[c: C] = X[i, c]
    top = max(x, c)
    e[c] = exp(x - top)
    loss[i] = log(sum(e, c)) + top - gather(x, c, index(want), 0.0)
  }
})";
  const Values labels{0, 32, 5, -1, 33, 31, 16};
  for (const std::string& text : {std::string(whole), realize::rows_library_text("cross_entropy")}) {
    const bool is_whole = text == whole;
    Trial trial(text, is_whole ? Numbers{{"N", 7}, {"C", 33}} : Numbers{{"N", 7}, {"C", 33}, {"BR", 1}, {"BC", 64}});
    trial.fill_random(2);
    trial.fill("label", labels);
    expect_legal_rows(trial,
                      {mapping(1), mapping(2), mapping(3), mapping(1, 2), mapping(2, 1, 4), mapping(1, 1, 2, 2)});
  }
}

TEST(RowCases, G4_OffsetsThatOnlyTheMaskedElementsLeave) {
  // c + 2^26 (x - 32): in range for x = 32 alone, beyond 31 bits for most others.
  Trial trial(R"(program p() {
  in X: f32[8]
  out Y: f32[48, 8]
  parallel i in 6 {
    v[x: 8, c: 8] = X[c + 67108864*(i*8 + x - 32)]
    Y[i*8 + x, c] = v + 1.0
  }
})");
  trial.fill_random(3);
  expect_elements(trial);
  Trial rows(R"(program p() {
  in X: f32[8]
  out S: f32[6]
  parallel i in 6 {
    v[x: 8, c: 8] = X[c + 67108864*(i*8 + x - 32)]
    S[i] = sum(sum(v, c), x)
  }
})");
  EXPECT_NE(realize::answer_of(rows.program()), "rows");
}

TEST(RowCases, G5_BatchesPastSixteenBits) {
  for (const std::int64_t batch : {65535, 65536, 65537}) {
    Trial trial(R"(program p(B) {
  in X: f32[B, 4]
  out Y: f32[B, 4]
  parallel b in B, z in 1 {
    x[c: 4] = X[b, c]
    Y[b, c] = x * 2.0
  }
})",
                {{"B", batch}});
    trial.fill("X", Values(static_cast<std::size_t>(batch) * 4, 0.75));
    expect_elements(trial);
    const auto walk = lower::ProgramWalk::make({batch, 3, 5}, 2, 2);
    ASSERT_TRUE(walk);
    EXPECT_EQ(walk->task_extents(), (std::vector<std::int64_t>{batch * 15}));
    EXPECT_EQ(walk->coordinates_of_ordinal(batch * 15 - 1), (std::vector<std::int64_t>{batch - 1, 2, 4}));
  }
}

}  // namespace
}  // namespace tilewright::cases
