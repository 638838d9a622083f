#include "lower_rows/row_trials.h"

#include <gtest/gtest.h>

namespace tilewright::lower::testing {

using tile::testing::Trial;

void expect_rows(Trial& trial, const RowMapping& by) { EXPECT_EQ(rows_disagree(trial, by), "") << mapping_text(by); }

void expect_legal_rows(Trial& trial, const std::vector<RowMapping>& mappings) {
  int ran = 0;
  for (const RowMapping& by : mappings) {
    const std::string fault = rows_disagree(trial, by);
    if (fault == "not legal") continue;
    ++ran;
    EXPECT_EQ(fault, "") << mapping_text(by);
  }
  EXPECT_GE(ran, 1);
}

Trial library_trial(const std::string& name, const Numbers& numbers, DataType type, std::uint64_t seed) {
  Trial trial(realize::rows_library_text(name), numbers, {{"T", type}});
  trial.fill_random(seed);
  return trial;
}

}  // namespace tilewright::lower::testing
