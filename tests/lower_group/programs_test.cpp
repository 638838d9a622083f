// Every problem of the library by its plan for SIMD-group matrices, on the kernel interpreter, against the oracle.
#include <algorithm>

#include "lower_group/planned_run.h"
#include "programs/problem_lines.h"

namespace tilewright::lower::testing {
namespace {

class Library : public ::testing::TestWithParam<const char*> {};

TEST_P(Library, AgreesWithTheOracle) { run_planned(GetParam()); }

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Library, ::testing::ValuesIn(driver::problem_lines(5)), test_name);

}  // namespace
}  // namespace tilewright::lower::testing
