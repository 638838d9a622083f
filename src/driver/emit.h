// The `emit` command as a function: the code of a planned program, and how to launch it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tilewright/compile.h>

#include "artifact/artifact.h"
#include "driver/request.h"
#include "support/result.h"

namespace tilewright::driver {

/// A file that goes beside the code, under the same name with another suffix.
struct EmitCompanion {
  std::string suffix;  ///< ".h"
  std::string contents;
};

struct EmitReport {
  std::string program;
  Target target{};
  std::string device;                          ///< of a target with plans; else empty
  std::string route;                           ///< "planned", "direct"; of a target with plans, else empty
  std::map<std::string, std::int64_t> fitted;  ///< see MetalKernel
  std::vector<std::string> names;              ///< of the bindings, in the order of the program
  Bindings bindings;                           ///< defaults and what the planner chose included
  artifact::Artifact artifact;
  std::vector<EmitCompanion> companions;  ///< what somebody needs who has the code alone: of an object its C header
  std::vector<StageTime> stage_times;
};

/// Where a companion of the code at `path` goes: the suffix takes the place of that of the path.
std::string companion_path(const std::string& path, const EmitCompanion& companion);

/// Of the request only program, assignments, target, views, settings and plan are used; nothing is run. Errors: those
/// of compile(); Unsupported for a target without code.
Result<EmitReport> emit_program(const RunRequest& request);

/// The same of a kernel that was compiled from that program and request.
EmitReport emit_report(const Program& program, const Kernel& kernel, const RunRequest& request);

}  // namespace tilewright::driver
