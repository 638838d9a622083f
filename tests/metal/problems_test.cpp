// Every problem of the standard library as Metal text on the emulator: by its plan, and by the reference.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "driver/run.h"
#include "programs/problem_lines.h"

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
  RunRequest request;
  request.target = Target::MetalSimdgroup;
  request.threads = 1;
  request.check = true;
  std::istringstream words(problem.line);
  words >> request.program;
  for (std::string word; words >> word;) {
    if (word.starts_with("view:"))
      request.views.insert(*parse_view(word.substr(5)));
    else if (word.starts_with("rows:"))
      request.sample_rows = std::stol(word.substr(5));
    else
      request.assignments.push_back(word);
  }
  if (!problem.planned) request.settings.emplace_back("enabled", "false");
  return request;
}

class MetalProblems : public testing::TestWithParam<MetalProblem> {
 protected:
  static void SetUpTestSuite() {
    const std::filesystem::path cache = std::filesystem::temp_directory_path() / "tilewright-test-cache";
    ::setenv("TILEWRIGHT_CACHE", cache.c_str(), 1);
  }
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
