#include <cstring>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "case_count.h"
#include "runtime/msl_emulator/report_text.h"

namespace tilewright::msl_emulator {
namespace {

LaunchPlan small_plan(const Entry& entry) {
  LaunchPlan plan;
  plan.entry = &entry;
  plan.job = std::make_unique<runner::Job>();
  plan.job->slot_count = 1;
  plan.slots.resize(1);
  plan.slots[0].name = "out";
  return plan;
}

/// A kernel that takes over the runner can write anything into the answer.
TEST(RecordedFaults, AnyBytesAreReadSafely) {
  const Entry entry{"k", {}};
  const LaunchPlan plan = small_plan(entry);
  std::mt19937_64 random(5);
  const auto answer = std::make_unique<runner::Answer>();
  const int cases = case_count(200);
  for (int i = 0; i < cases; ++i) {
    const auto fill = [&](void* at, std::size_t bytes, bool small) {
      auto* words = static_cast<std::uint32_t*>(at);
      for (std::size_t w = 0; w < bytes / 4; ++w)
        words[w] = static_cast<std::uint32_t>(small ? random() % 20 : random());
    };
    const bool small = i % 2 == 0;
    for (std::size_t r = 0; r < 20; ++r) fill(&answer->reports[r], sizeof answer->reports[r], small);
    for (std::size_t s = 0; s < 40; ++s) fill(&answer->sites[s], sizeof answer->sites[s], small);
    fill(&answer->variables, sizeof answer->variables, small);
    fill(answer->strings.data(), answer->strings.size(), false);
    answer->report_count = small ? 20 : static_cast<std::uint32_t>(random());
    answer->variable_count = static_cast<std::uint32_t>(random());
    fill(&answer->slots, sizeof answer->slots, false);
    std::vector<RecordedFaults> runs;
    runs.push_back(copy_faults(*answer, plan, 0));
    static_cast<void>(code_addresses(runs));
    static_cast<void>(reports_of(runs, plan, {}));
  }
}

TEST(RecordedFaults, SameLinesAreOneReport) {
  Report report;
  report.kind = ReportKind::Race;
  report.file = "k.metal";
  report.line = 4;
  report.object = "tile";
  report.parties.resize(2);
  report.parties[1].file = "k.metal";
  report.parties[1].line = 9;
  Report again = report;
  again.count = 5;
  again.schedule = 2;
  Report elsewhere = report;
  elsewhere.parties[1].line = 10;
  const std::vector<Report> merged = merge_reports({elsewhere, again, report});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].count, 6u);
  EXPECT_EQ(merged[0].schedule, 0u);
}

TEST(RecordedFaults, KindsHaveTheirNames) {
  EXPECT_EQ(report_kind_name(ReportKind::OutOfBounds), "out_of_bounds");
  EXPECT_EQ(report_kind_name(ReportKind::CompileError), "compile_error");
}

}  // namespace
}  // namespace tilewright::msl_emulator
