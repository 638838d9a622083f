// Matrix workloads: each fault has its own code, and the values next to it have none.
#include "realize/matrix_workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace tilewright::realize::matrix_workload_test {
namespace {

MatrixWorkload whole() {
  return {.rows = 32,
          .columns = 64,
          .contraction = 16,
          .executions = 6,
          .accumulator_iterations = 3,
          .has_direct_output = true,
          .mean_contraction = 15,
          .mean_rows = 31.5,
          .mean_columns = 64,
          .recurrence_elements = 7,
          .direct_output_elements = 5,
          .epilogue_storage_bytes = 128};
}

using Change = std::function<void(MatrixWorkload&)>;

void expect_only(DiagCode code, const Change& change, std::string_view mentions) {
  MatrixWorkload workload = whole();
  change(workload);
  const auto result = validate(workload);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().size(), 1u);
  for (const Diag& fault : result.error()) {
    EXPECT_EQ(diag_code_name(fault.code), diag_code_name(code));
    EXPECT_NE(fault.message.find(mentions), std::string::npos) << fault.message;
  }
}

void expect_valid(const Change& change) {
  MatrixWorkload workload = whole();
  change(workload);
  const auto result = validate(workload);
  EXPECT_TRUE(result) << render(result.error());
}

TEST(MatrixWorkload, ExtentsAreMultiplesOfAnAtom) {
  expect_valid([](MatrixWorkload&) {});
  for (const std::int64_t extent : {31, 33, 4, 0, -8}) {
    expect_only(
        DiagCode::WorkloadExtent,
        [&](MatrixWorkload& w) {
          w.rows = extent;
          w.mean_rows = 0;
        },
        "rows is expected to be a positive multiple of 8, found " + std::to_string(extent));
    expect_only(
        DiagCode::WorkloadExtent,
        [&](MatrixWorkload& w) {
          w.columns = extent;
          w.mean_columns = 0;
        },
        "columns");
    expect_only(
        DiagCode::WorkloadExtent,
        [&](MatrixWorkload& w) {
          w.contraction = extent;
          w.mean_contraction = 0;
        },
        "contraction");
  }
  expect_valid([](MatrixWorkload& w) { w.rows = 40; });
}

TEST(MatrixWorkload, MeansLieWithinTheNominalExtent) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double mean : {-1.0, 33.0, std::nan(""), infinity, -infinity})
    expect_only(
        DiagCode::WorkloadMeanExtent, [&](MatrixWorkload& w) { w.mean_contraction = mean; },
        "mean_contraction is expected to lie in 0 .. 16");
  expect_only(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_rows = 32.5; }, "mean_rows");
  expect_only(DiagCode::WorkloadMeanExtent, [](MatrixWorkload& w) { w.mean_columns = -0.5; }, "mean_columns");
  for (const double mean : {0.0, 0.125, 16.0}) expect_valid([&](MatrixWorkload& w) { w.mean_contraction = mean; });
}

TEST(MatrixWorkload, TheRecurrenceFitsTheExecutions) {
  for (const std::int64_t iterations : {-1, 4, 5, 12})
    expect_only(
        DiagCode::WorkloadIterations, [&](MatrixWorkload& w) { w.accumulator_iterations = iterations; },
        std::to_string(iterations));
  for (const std::int64_t iterations : {1, 2, 3, 6})
    expect_valid([&](MatrixWorkload& w) { w.accumulator_iterations = iterations; });
  for (const std::int64_t executions : {0, -6})
    expect_only(
        DiagCode::WorkloadExecutions, [&](MatrixWorkload& w) { w.executions = executions; },
        "executions is expected to be at least 1");
}

TEST(MatrixWorkload, DirectOutputNeedsARecurrence) {
  const auto without = [](MatrixWorkload& w) {
    w.accumulator_iterations = 0;
    w.recurrence_elements = 0;
  };
  expect_only(DiagCode::WorkloadDirectOutput, without, "has_direct_output");
  expect_valid([&](MatrixWorkload& w) {
    without(w);
    w.has_direct_output = false;
    w.direct_output_elements = w.epilogue_storage_bytes = 0;
  });
}

TEST(MatrixWorkload, ElementsLeaveOnlyWithWhatRemovesThem) {
  expect_only(DiagCode::WorkloadElements, [](MatrixWorkload& w) { w.recurrence_elements = -1; }, "-1");
  expect_only(DiagCode::WorkloadElements, [](MatrixWorkload& w) { w.direct_output_elements = -1; }, "-1");
  expect_only(
      DiagCode::WorkloadElements,
      [](MatrixWorkload& w) {
        w.has_direct_output = false;
        w.epilogue_storage_bytes = 0;
      },
      "direct_output_elements is 5");
  expect_only(
      DiagCode::WorkloadElements,
      [](MatrixWorkload& w) {
        w.has_direct_output = false;
        w.accumulator_iterations = w.epilogue_storage_bytes = w.direct_output_elements = 0;
      },
      "recurrence_elements is 7");
}

TEST(MatrixWorkload, StorageFits64Bits) {
  expect_only(DiagCode::WorkloadEpilogue, [](MatrixWorkload& w) { w.epilogue_storage_bytes = -1; }, "-1");
  expect_only(
      DiagCode::WorkloadEpilogue,
      [](MatrixWorkload& w) {
        w.has_direct_output = false;
        w.direct_output_elements = 0;
      },
      "128");
  const std::int64_t limit = INT64_MAX - 8 * 32 * 64;
  expect_valid([&](MatrixWorkload& w) { w.epilogue_storage_bytes = limit; });
  expect_only(DiagCode::WorkloadStorage, [&](MatrixWorkload& w) { w.epilogue_storage_bytes = limit + 1; }, "64 bits");
  const auto large = [](std::int64_t rows) {
    return [rows](MatrixWorkload& w) {
      w.rows = rows;
      w.columns = std::int64_t{1} << 30;
      w.epilogue_storage_bytes = 0;
      w.mean_rows = w.mean_columns = 0;
    };
  };
  expect_valid(large((std::int64_t{1} << 30) - 8));
  expect_only(DiagCode::WorkloadStorage, large(std::int64_t{1} << 30), "1073741824 x 1073741824");
}

TEST(MatrixWorkload, EveryFaultIsReported) {
  MatrixWorkload workload = whole();
  workload.rows = 31;
  workload.executions = 0;
  workload.epilogue_storage_bytes = -1;
  const auto result = validate(workload);
  ASSERT_FALSE(result);
  EXPECT_GE(result.error().size(), 3u);
}

TEST(MatrixWorkload, ReleasedBytes) {
  EXPECT_EQ(resident_release_bytes(whole()), 8 * 1024);
  EXPECT_EQ(direct_release_bytes(whole()), 16 * 1024 + 128);
}

}  // namespace
}  // namespace tilewright::realize::matrix_workload_test
