// Every problem of the library by its plan for tensor operations, on the kernel interpreter, against the oracle.
#include <algorithm>

#include "lower_group/planned_run.h"
#include "programs/problem_lines.h"

namespace tilewright::lower::testing {
namespace {

class TensorLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(TensorLibrary, AgreesWithTheOracle) { run_planned(GetParam(), {}, "", "metal-mpp"); }

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, TensorLibrary, ::testing::ValuesIn(driver::kProblemLines), test_name);

}  // namespace
}  // namespace tilewright::lower::testing
