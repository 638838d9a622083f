// docs/planner.md says what the tables of the code say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/cost_basis.h"
#include "plan/plan_cases.h"
#include "plan/vector_plan.h"
#include "support/files.h"

namespace tilewright::plan::documentation_test {
namespace {

const std::string& text() {
  static const std::string kText = read_file(TILEWRIGHT_SOURCE_DIR "/docs/planner.md").value();
  return kText;
}

void expect_said(const std::string& part) { EXPECT_NE(text().find(part), std::string::npos) << part; }

TEST(PlannerDocumentation, EveryOptionWithDefaultRangeAndMeaning) {
  const auto expect_rows = [](std::span<const OptionRow> rows, const std::vector<OptionValue>& defaults) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].name, defaults[i].name);
      expect_said(fmt::format("| `{}` | {} | {} | {} |\n", rows[i].name, option_value_text(defaults[i]), rows[i].range,
                              rows[i].meaning));
    }
  };
  expect_rows(planner_option_rows(), option_values(PlannerOptions{}));
  expect_rows(compile_switch_rows(), option_values(CompileSwitches{}));
}

TEST(PlannerDocumentation, EveryFeatureCoefficientBasisAndConstraint) {
  for (const CostFeatureRow& row : cost_feature_rows())
    if (row.name != "priced" && row.name != "score" && row.name != "concurrent_waves" && row.name != "kernel_score")
      expect_said(fmt::format("| `{}` |", row.name));
  for (const CostPriorRow& row : cost_prior_rows()) expect_said(fmt::format("`{}`", row.name));
  for (const VectorCostRow& row : vector_cost_rows()) expect_said(fmt::format("| `{}` |", row.name));
  for (const CostBasis* basis : cost_bases()) expect_said(std::string(basis->name));
  for (std::size_t i = 0; i < realize::kMatrixConstraints; ++i)
    expect_said(fmt::format("`{}`", constraint_name(static_cast<realize::MatrixConstraint>(i))));
  for (const PlanConstraint constraint : {PlanConstraint::NoLegalMapping, PlanConstraint::SharedCapacity,
                                          PlanConstraint::ScoreNotFinite, PlanConstraint::NoReference})
    expect_said(fmt::format("`{}`", constraint_name(constraint)));
}

}  // namespace
}  // namespace tilewright::plan::documentation_test
