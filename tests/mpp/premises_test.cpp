// Counterexamples keep what the program has, and the plan says which premise failed; each is run on the kernel
// interpreter by that plan.
#include <algorithm>
#include <map>

#include <tilewright/plan.h>

#include "case_count.h"
#include "lower_group/planned_run.h"
#include "premise_rows.h"
#include "remarks.h"

namespace tilewright::mpp {
namespace {

Keeps kept(const plan::LaunchPlan& launch) {
  if (launch.matrices.empty()) return Keeps::Scalar;
  const plan::MatrixPlan& matrix = launch.matrices[0];
  if (!matrix.distribution.persistent_accumulator) return Keeps::SharedC;
  if (!matrix.distribution.direct_accumulator_store) return Keeps::StagedC;
  if (matrix.from_view[0]) return Keeps::Nothing;
  return matrix.from_view[1] ? Keeps::SnapshotOfA : Keeps::Snapshots;
}

/// Bytes of the tiles of A, B, C and D that stay.
std::int64_t staged_bytes(Keeps keeps) {
  constexpr std::int64_t kA = 32 * 16 * 4, kB = 16 * 32 * 4, kC = 32 * 32 * 4;
  switch (keeps) {
    case Keeps::Nothing:
    case Keeps::Scalar:
      return 0;
    case Keeps::SnapshotOfA:
      return kA;
    case Keeps::Snapshots:
      return kA + kB;
    case Keeps::StagedC:
      return kC;
    case Keeps::SharedC:
      return 2 * kC;
  }
  return -1;
}

void expect_remark(const PremiseRow& row, const plan::LaunchReport& report) {
  const std::vector<std::string> said = remarks(report);
  const bool found = std::ranges::any_of(said, [&](const std::string& remark) {
    return remark.starts_with(row.remark) && remark.find(row.names) != std::string::npos;
  });
  EXPECT_TRUE(found) << row.name << ": nothing begins with '" << row.remark << "' and names '" << row.names << "' in\n"
                     << testing::PrintToString(said);
}

/// The plan; where the row runs, the interpreter has run it, and the result was right.
std::optional<driver::PlanReport> plan_of(const PremiseRow& row) {
  std::string line = std::string("p ") + row.sizes;
  if (row.runs) {
    auto run = lower::testing::run_planned(line, row.settings, text_of(row), "metal-mpp");
    return run ? std::optional(std::move(run->plan)) : std::nullopt;
  }
  for (const auto& [name, value] : row.settings) line += " set:" + name + "=" + value;
  return plan_case(line, text_of(row));
}

void expect_rows(const std::vector<PremiseRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); i += kSanitized ? 3 : 1) {
    const PremiseRow& row = rows[i];
    SCOPED_TRACE(row.name);
    const auto plan = plan_of(row);
    ASSERT_TRUE(plan);
    const plan::LaunchPlan& launch = plan->planned.plan.launches[0];
    EXPECT_EQ(static_cast<int>(kept(launch)), static_cast<int>(row.keeps));
    EXPECT_EQ(launch.shared_memory_bytes, staged_bytes(row.keeps) + row.other_bytes);
    if (!row.remark.empty()) expect_remark(row, plan->planned.launches[0]);
  }
}

TEST(Premises, OfViews) { expect_rows(view_rows()); }
TEST(Premises, OfStores) { expect_rows(store_rows()); }
TEST(Premises, OfEpilogues) { expect_rows(epilogue_rows()); }

struct Answer {
  std::string plan, error;
  bool operator==(const Answer&) const = default;
};
Answer answer(const std::string& text, const std::map<std::string, std::int64_t>& numbers, bool bounded) {
  const auto program = Program::parse(text);
  EXPECT_TRUE(program) << text;
  PlanOptions options{.target = "metal-mpp", .device = {}, .settings = {}, .layouts = {}};
  if (!bounded) options.settings = {{"bounded_k", "0"}, {"bounded_mnk", "0"}};
  const auto plan = make_plan(*program, {.numbers = numbers, .types = {}}, options);
  return plan ? Answer{plan->text, ""} : Answer{"", render(plan.error())};
}

/// Bounded views are a transaction of the launch: where one product cannot have them, the plan is byte for byte that of
/// a device without them, and so are the errors of a launch that has none.
TEST(Premises, ADroppedTransactionLeavesNothing) {
  const std::map<std::string, std::int64_t> ragged{{"M", 70}, {"N", 45}, {"K", 23}};
  int dropped = 0;
  for (const PremiseRow& row : view_rows()) {
    if (row.keeps != Keeps::Snapshots || !row.settings.empty() || std::string(row.sizes) != "M=70 N=45 K=23") continue;
    const Answer with = answer(text_of(row), ragged, true);
    EXPECT_NE(with.plan, "") << row.name;
    EXPECT_EQ(with, answer(text_of(row), ragged, false)) << row.name;
    ++dropped;
  }
  EXPECT_GE(dropped, 8);
  EXPECT_NE(answer(kSquareText, ragged, true), answer(kSquareText, ragged, false));
  // 640 KiB of snapshots in a launch that must be a group.
  PremiseRow large{"", {}, {}, Keeps::Snapshots, "", ""};
  large.edits = {{"m: 32, n: 32, k: 16", "m: 128, n: 32, k: 1024"},
                 {"ceildiv(K, 16)", "ceildiv(K, 1024)"},
                 {"s*16", "s*1024"},
                 {"i*32", "i*128"},
                 {"ceildiv(M, 32)", "ceildiv(M, 128)"},
                 {"j in ceildiv(N, 32) {", "j in ceildiv(N, 32) scope group {"}};
  EXPECT_EQ(answer(text_of(large), ragged, true).error, "");
  large.edits.push_back({"B: f32[K, N]", "B: f32[K + 3, N]"});
  const Answer refused = answer(text_of(large), ragged, true);
  EXPECT_NE(refused.error.find("655360"), std::string::npos) << refused.error;
  EXPECT_EQ(refused, answer(text_of(large), ragged, false));
}

}  // namespace
}  // namespace tilewright::mpp
