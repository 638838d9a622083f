// Group workloads: faults of the group, each with its code, and sums that would overflow.
#include "plan/group_workload.h"

#include <gtest/gtest.h>

#include "plan/plan_cases.h"

namespace tilewright::plan::group_workload_test {
namespace {

TEST(GroupWorkload, TheExampleIsValid) {
  EXPECT_TRUE(validate(example_group()));
  EXPECT_TRUE(validate(mpp_group(64, 64, 512, 64, true)));
  EXPECT_TRUE(validate(GroupWorkload{}));
}

TEST(GroupWorkload, Counts) {
  const auto refused = [](std::int64_t GroupWorkload::* member, std::int64_t value, const std::string& name) {
    GroupWorkload w = example_group();
    w.matrices.clear();
    w.*member = value;
    expect_code(validate(w), DiagCode::GroupCount, {name, std::to_string(value)});
  };
  refused(&GroupWorkload::programs, -1, "programs");
  refused(&GroupWorkload::independent_elements, -1, "independent_elements");
  refused(&GroupWorkload::max_independent_elements, 0, "max_independent_elements");
  refused(&GroupWorkload::shared_memory_bytes, -1, "shared_memory_bytes");
  refused(&GroupWorkload::max_collective_outputs, -1, "max_collective_outputs");
}

TEST(GroupWorkload, MatricesAreOfOneFamily) {
  GroupWorkload w = example_group();
  w.matrices.push_back(mpp_group(32, 32, 32, 1, true).matrices[0]);
  expect_code(validate(w), DiagCode::GroupFamilies, {"matrix 0", "metal.simdgroup8x8", "matrix 1", "metal.mpp"});
}

TEST(GroupWorkload, FaultsOfAMatrixNameIt) {
  GroupWorkload w = example_group();
  w.matrices.push_back(w.matrices[0]);
  w.matrices[1].rows = 31;
  expect_code(validate(w), DiagCode::WorkloadExtent, {"matrix 1", "rows", "31"});
}

TEST(GroupWorkload, SubsetsFitTheElements) {
  GroupWorkload w = example_group();
  w.independent_elements = 65'536 + 4'096;
  EXPECT_TRUE(validate(w));
  --w.independent_elements;
  expect_code(validate(w), DiagCode::GroupElements, {"removes 4096", "only 4095 of the group's 69631"});
  // The sum of these would leave 64 bits.
  w.independent_elements = INT64_MAX;
  w.matrices[0].recurrence_elements = w.matrices[0].direct_output_elements = INT64_MAX;
  expect_code(validate(w), DiagCode::GroupElements, {"removes 9223372036854775807", "only 0"});
}

TEST(GroupWorkload, ReleasesFitTheStorage) {
  GroupWorkload w = example_group();
  w.shared_memory_bytes = 16 * 1024;
  EXPECT_TRUE(validate(w));
  --w.shared_memory_bytes;
  expect_code(validate(w), DiagCode::GroupStorage, {"16384", "16383"});
  w.matrices[0].has_direct_output = false;
  w.matrices[0].direct_output_elements = 0;
  EXPECT_TRUE(validate(w));
  w.shared_memory_bytes = 8 * 1024 - 1;
  expect_code(validate(w), DiagCode::GroupStorage, {"8192", "8191"});
  w.shared_memory_bytes = INT64_MAX;
  w.matrices[0].has_direct_output = true;
  w.matrices[0].epilogue_storage_bytes = INT64_MAX - 16 * 1024;
  w.matrices.push_back(w.matrices[0]);
  w.matrices[1].recurrence_elements = 0;
  expect_code(validate(w), DiagCode::GroupStorage, {"matrix 1", "only 0"});
}

}  // namespace
}  // namespace tilewright::plan::group_workload_test
