// Workloads, limits and options that several tests of the planner use.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/solver.h"

namespace tilewright::plan {

/// profiles/costs/priors-v1.json, and its text.
const CostPriors& shipped_priors();
std::string shipped_priors_text();

/// The defaults, with the shipped coefficients.
PlannerOptions shipped_options();
PlannerOptions options_with(const std::vector<std::pair<std::string, std::string>>& settings);

/// 256 threads, 32 KiB.
Limits metal_limits();

/// Tile 32x64, K tile 32, 32 iterations, 512 programs: gemm M=512 N=2048 K=1024 BM=32 BN=64 BK=32. 167,936 elements
/// (copies 98,304; yield 65,536; fill and sink 4,096) and 28 KiB of A, B, C and D.
GroupWorkload example_group();

/// One multiplication with all of K in one step, direct output, no other elements.
GroupWorkload mpp_group(std::int64_t rows, std::int64_t columns, std::int64_t contraction, std::int64_t programs,
                        bool overwrites);

/// The choice, or a failed test and an empty choice.
GroupChoice solved(const GroupWorkload& workload, const Limits& limits, const PlannerOptions& options);

/// The call fails with this one code, and the text says all of `mentions`.
template <class T>
void expect_code(const Result<T>& result, DiagCode code, const std::vector<std::string>& mentions) {
  ASSERT_FALSE(result) << "expected " << diag_code_name(code);
  ASSERT_EQ(result.error().size(), 1u) << render(result.error());
  EXPECT_EQ(diag_code_name(result.error()[0].code), diag_code_name(code)) << render(result.error());
  const std::string text = render(result.error());
  for (const std::string& part : mentions) EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace tilewright::plan
