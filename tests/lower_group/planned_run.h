// One problem on the kernel interpreter by its plan: planned, lowered, verified, run, and checked against the oracle.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tilewright/check.h>

#include "driver/plan.h"
#include "kernel/interpreter.h"
#include "kernel/program.h"
#include "sync/facts.h"

namespace tilewright::lower::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct PlannedRun {
  driver::PlanReport plan;
  kernel::Program kernels;  ///< with the fences that the plan keeps
  sync::FenceFacts fences;
  std::vector<kernel::Counts> counts;  ///< of the last run
  bool right = false;                  ///< both fills, whole outputs
};

/// Of its first launch.
inline const plan::LaunchPlan& launch_of(const PlannedRun& run) { return run.plan.planned.plan.launches[0]; }

/// `line` is a program of the library (or the text of one, with `text`) and its assignments and views, as
/// "gemm M=65 N=33 K=17 view:A=strides:1x65". Failures are reported to the test. For metal-mpp views name their places
/// in matrices, which the interpreter holds them to.
std::optional<PlannedRun> run_planned(const std::string& line, const Settings& settings = {},
                                      const std::string& text = "", const std::string& target = "metal-simdgroup");

/// Plans and lowers without running.
std::optional<PlannedRun> lower_line(const std::string& line, const Settings& settings = {},
                                     const std::string& text = "", const std::string& target = "metal-simdgroup");

}  // namespace tilewright::lower::testing
