// From a loaded program to Metal text: plan, lower by it, synchronize, emit. The way without a plan is
// driver/metal_direct.h.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "artifact/artifact.h"
#include "driver/launch.h"
#include "driver/plan.h"
#include "emit/msl/emit.h"
#include "kernel/program.h"
#include "lower/launch_layout.h"
#include "runtime/msl_emulator/emulator.h"
#include "sync/facts.h"

namespace tilewright::driver {

/// What a kernel for Metal consists of, stage by stage.
struct MetalKernel {
  Route route = Route::Planned;
  /// Its program is the one that the rest is about. Of the direct route program, names, bindings, device and bound.
  PlanReport planned;
  /// Parameters that the direct route moved off their defaults, because the tiles did not fit.
  std::map<std::string, std::int64_t> fitted;
  LaunchRules rules;  ///< what every launch checks, the needs of the plan included
  lower::LaunchLayout layout;
  kernel::Program lowered;  ///< with the fences that are left
  sync::FenceFacts fences;  ///< what became of those of the reference
  artifact::Artifact text;
  EmulationOptions emulation;
  TensorBindings tensor_bindings = TensorBindings::Inline;
  bool device_is_named = false;  ///< by the caller; else the general device of the target

  /// The text, compiled for the emulator when it is first run; what went wrong is kept too.
  struct Emulated {
    std::mutex mutex;
    std::optional<Result<msl_emulator::CompiledLibrary>> library;
  };
  std::shared_ptr<Emulated> emulated = std::make_shared<Emulated>();
};

/// Every stage up to the text; nothing of the emulator is needed. The plan is made for the layouts. Errors: those of
/// plan_report, launch_rules, lower_planned, sync::synchronize and emit_msl::emit; ArgumentStrides when a stored plan
/// asks for rows that a layout does not have.
Result<MetalKernel> compile_metal(const Program& program, const Bindings& bindings, const CompileOptions& options,
                                  std::vector<StageTime>& times);

/// What becomes of the fences of each kernel of a plan for a Metal target, by lowering it. Errors: those of these
/// stages.
Result<std::vector<artifact::FenceRecord>> fence_records(const PlanReport& planned);

/// What the emitter is told of device, bindings and coordinates.
emit_msl::EmitOptions text_options(const MetalKernel& kernel);

/// How the objects of `rules` lie, for a lowering.
Result<lower::LaunchLayout> launch_layout(const tile::Program& bound, const LaunchRules& rules);

}  // namespace tilewright::driver
