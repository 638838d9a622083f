// Every problem of the standard library as Metal text on the emulator: by its plan, and by the reference.
#include <algorithm>

#include <gtest/gtest.h>

#include "driver/run.h"
#include "metal/test_cache.h"
#include "programs/problem_lines.h"
#include "programs/request_line.h"

namespace tilewright::driver {
namespace {

struct MetalProblem {
  const char* line;
  bool planned;
};
// GoogleTest looks for this name.
// NOLINTNEXTLINE(readability-identifier-naming)
void PrintTo(const MetalProblem& problem, std::ostream* out) {
  *out << problem.line << (problem.planned ? "" : " without the planner");
}

RunRequest request_of(const MetalProblem& problem) {
  RunRequest request = request_of_line(problem.line, Target::MetalSimdgroup);
  request.threads = 1;
  request.check = true;
  if (!problem.planned) request.settings.emplace_back("enabled", "false");
  return request;
}

class MetalProblems : public testing::TestWithParam<MetalProblem> {
 protected:
  static void SetUpTestSuite() { use_test_cache(); }
};

TEST_P(MetalProblems, AgreeWithTheOracleWithoutAReport) {
  const auto report = run_program(request_of(GetParam()));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->checks.size(), 2u);
  EXPECT_TRUE(report->ok()) << render(check_faults(*report));
}

std::vector<MetalProblem> all_metal_problems() {
  std::vector<MetalProblem> all;
  for (const bool planned : {true, false})
    for (const char* line : kProblemLines) all.push_back({line, planned});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Library, MetalProblems, testing::ValuesIn(all_metal_problems()));

}  // namespace
}  // namespace tilewright::driver
