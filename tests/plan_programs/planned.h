// Planning programs from text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan_program.h"
#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::plan {

using Sizes = std::map<std::string, std::int64_t>;
/// Seed 1: 512 programs of a tile of 32 x 64, 32 iterations.
inline const Sizes kWorkedExample{{"M", 512}, {"N", 2048}, {"K", 1024}, {"BM", 32}, {"BN", 64}, {"BK", 32}};
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The text of programs/NAME.tile.
std::string library_text(const std::string& name);
/// Bound and verified, or a failed test.
tile::Program bound_program(const std::string& text, const Sizes& sizes);

enum class Family { Simdgroup, Mpp, None };
/// 1,024 threads and 32 KiB; the shipped coefficients; for Mpp noalias (checked at launch) and all capabilities.
PlanningRequest planning_request(Family family, const Settings& settings = {});

/// A program with the subject that refers to it.
struct Bound {
  std::unique_ptr<tile::Program> program;
  std::unique_ptr<proof::Subject> subject;
};
Bound subject_of(const std::string& text, const Sizes& sizes, const PlanningRequest& request);

Result<PlannedProgram> try_plan(const std::string& text, const Sizes& sizes, const PlanningRequest& request);
/// The plan, or a failed test and an empty one.
PlannedProgram planned(const std::string& text, const Sizes& sizes, const PlanningRequest& request);

/// Replaces every occurrence; a failed test when there is none.
std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& changes);
bool has_refusal(const LaunchReport& launch, std::string_view code);
bool uses_proof(const LaunchPlan& launch, std::string_view family);

}  // namespace tilewright::plan
