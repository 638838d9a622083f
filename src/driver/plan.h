// The `plan` command as a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/compile.h>
#include <tilewright/plan.h>

#include "artifact/artifact.h"
#include "driver/plan_families.h"
#include "plan/plan_family.h"
#include "plan/plan_program.h"
#include "support/result.h"
#include "target/device_profile.h"
#include "tile/program.h"

namespace tilewright::driver {

struct StoredPlan {
  std::string text;
  std::string label;  ///< names it in diagnostics
};

struct PlanRequest {
  std::string program;                   ///< file or name
  std::vector<std::string> assignments;  ///< NAME=VALUE
  PlanOptions options;
  bool target_is_named = false;          ///< by the caller, which is a preference for its atom family
  std::vector<std::string> settings;     ///< OPTION=VALUE, beside those of the options
  std::optional<std::string> plan_file;  ///< a stored plan, to be verified in place of planning
};

struct PlanReport {
  std::string program;
  std::vector<std::string> names;  ///< of symbols and parameters, in order
  Bindings bindings;               ///< of the chosen capture, defaults included
  target::DeviceProfile device;
  plan::PlanningRequest request;  ///< options, switches and limits as they were in force
  tile::Program bound;            ///< what the ids of the plan mean
  plan::PlannedProgram planned;
  std::vector<plan::CaptureOutcome> captures;  ///< one when nothing is open; none for a stored plan
  bool from_file = false;                      ///< the plan was read and verified, not made
  /// Of a stored plan: what the planner would choose for the same program today; none when it would refuse.
  std::optional<plan::Plan> automatic;
  double milliseconds = 0;  ///< for all captures, without parsing
  // Of the command alone:
  std::vector<FamilyPlan> families;           ///< what other atom families would make of it
  std::vector<artifact::FenceRecord> fences;  ///< one a launch, where the plan can be lowered for a Metal target
  bool target_is_named = false;
};

/// The best plan over all bindings of the open parameters (plan::plan_family). Errors: UnknownTarget, UnknownProfile,
/// UnknownOption, BadOption, those of binding and planning (with the capture), PlanRefused when no capture has a plan,
/// PlanInvalid, PlanStale, PlanIllegal.
Result<PlanReport> plan_request(const PlanRequest& request);
/// The same for a loaded program.
Result<PlanReport> plan_report(const Program& program, const Bindings& bindings, const PlanOptions& options,
                               const std::optional<StoredPlan>& stored = std::nullopt);

/// The profile that a target is compiled for when none is named.
std::string_view general_device(std::string_view target);

/// What a target turns on, given what the device has: capabilities and whatever the launch can check.
Result<plan::CompileSwitches> target_switches(std::string_view target, const target::DeviceProfile& device);

}  // namespace tilewright::driver
