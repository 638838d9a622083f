// Some of the counterexamples on the emulator.
#include <algorithm>

#include "premise_rows.h"
#include "tensor_case.h"

namespace tilewright::mpp {
namespace {

PremiseRow row_named(const std::string& name) {
  for (const std::vector<PremiseRow>& rows : {view_rows(), store_rows(), epilogue_rows()})
    for (const PremiseRow& row : rows)
      if (row.name == name) return row;
  ADD_FAILURE() << "no row is called " << name;
  return {"", {}, {}, Keeps::Nothing, "", ""};
}

class EmulatedPremises : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedPremises, AreRight) {
  const PremiseRow row = row_named(GetParam());
  std::string line = std::string("p set:schedules=2 set:layouts=3 ") + row.sizes;
  for (const auto& [name, value] : row.settings) line += " set:" + name + "=" + value;
  auto made = tensor_case(line, text_of(row));
  ASSERT_TRUE(made);
  expect_right_when_filled(*made, row.name);
}

std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, EmulatedPremises,
                         testing::Values("relabelled", "buffers may overlap", "another product needs the snapshot",
                                         "a load in a branch", "contractions of two lengths",
                                         "a contraction that begins before the input",
                                         "rows that begin before the output", "a carry that is looked at",
                                         "columns two apart", "an accumulator that is loaded",
                                         "the old output beside the store", "64 producers", "the transposed element",
                                         "a fold of it"),
                         test_name);

}  // namespace
}  // namespace tilewright::mpp
