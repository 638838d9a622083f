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

/// Nothing is ordered, and nothing has to be.
TEST(EmulatedFences, IndependentSubgroupsWithoutAnyFence) {
  auto made = tensor_case("p M=70 N=45 K=23 set:elide_independent_subgroup_barriers=true set:schedules=8 set:layouts=3",
                          kSquareText);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->metal().fences[0].sites_after, 0);
  EXPECT_EQ(made->metal().text.code.find("barrier("), std::string::npos);
  expect_right_when_filled(*made, "without fences");
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
