// Every program of the standard library on both targets against the oracle: one problem a line.
//
// A line is the program and its bindings, as on the command line, with `view:NAME=...` for views and `rows:N` for
// sampled checks. Each runs with both fills, two poisons and guards, whole outputs compared within the oracle's own
// bound for each element.
#include <gtest/gtest.h>

#include <algorithm>

#include "driver/run.h"
#include "programs/problem_lines.h"
#include "programs/request_line.h"

namespace tilewright::driver {
namespace {

struct Problem {
  const char* line;
  Target target;
};

// GoogleTest looks for this name.
// NOLINTNEXTLINE(readability-identifier-naming)
void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.line << " on " << target_name(problem.target);
}

RunRequest parse(const Problem& problem) {
  RunRequest request = request_of_line(problem.line, problem.target);
  request.threads = 2;
  request.check = true;
  return request;
}

class Problems : public testing::TestWithParam<Problem> {};

TEST_P(Problems, AgreeWithTheOracle) {
  auto report = run_program(parse(GetParam()));
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->checks.size(), 2u);
  EXPECT_TRUE(report->ok()) << render(check_faults(*report));
  EXPECT_EQ(report->totals().undecided_elements, 0);
}

std::vector<Problem> all_problems() {
  std::vector<Problem> all;
  for (Target target : {Target::Cpu, Target::Interp})
    for (const char* line : kProblemLines) all.push_back({line, target});
  return all;
}

std::string test_name(const testing::TestParamInfo<Problem>& info) {
  std::string name =
      std::to_string(info.index) + "_" + info.param.line + "_" + std::string(target_name(info.param.target));
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllPrograms, Problems, testing::ValuesIn(all_problems()), test_name);

TEST(ProblemsTable, CoversEveryProgramOfTheLibrary) {
  auto paths = find_programs();
  ASSERT_TRUE(paths);
  for (const std::string& path : *paths) {
    const std::string name = path.substr(path.rfind('/') + 1, path.rfind('.') - path.rfind('/') - 1);
    EXPECT_TRUE(std::any_of(std::begin(kProblemLines), std::end(kProblemLines), [&](const std::string& line) {
      return line.starts_with(name + " ");
    })) << name;
  }
}

}  // namespace
}  // namespace tilewright::driver
