// What a tilewright::Kernel holds: every stage's value, so that each can be printed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <tilewright/compile.h>

#include "driver/launch.h"
#include "driver/metal_compile.h"
#include "emit/llvm/emit.h"
#include "kernel/program.h"
#include "plan/plan.h"
#include "runtime/cpu/loader.h"
#include "runtime/cpu/run.h"
#include "tile/program.h"

namespace tilewright {

/// Memory and threads kept between the runs of one kernel. A run takes a workspace out and puts it back, so that runs
/// at the same time have one each.
class WorkspacePool {
 public:
  std::unique_ptr<runtime_cpu::Workspace> take();
  void put(std::unique_ptr<runtime_cpu::Workspace> workspace);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<runtime_cpu::Workspace>> free_;
};

struct Kernel::Impl {
  /// How one buffer of the code is found at a launch.
  struct Slot {
    tile::ObjectId object;  ///< none for a temporary
    std::int64_t low = 0;   ///< of lower::BufferLayout
  };

  std::shared_ptr<const Program::Impl> family;
  tile::Program bound;
  Target target = Target::Cpu;
  Bindings bindings;  ///< defaults included
  driver::LaunchRules rules;
  std::vector<StageTime> stage_times;

  // Target::Cpu alone.
  plan::Plan plan;
  kernel::Program lowered;
  emit_llvm::EmitOptions emit_options;
  std::optional<runtime_cpu::LoadedArtifact> code;
  std::vector<Slot> slots;  ///< one a binding of the code
  mutable WorkspacePool workspaces;
  artifact::Artifact object;  ///< without the code once that is loaded

  // Targets of Metal alone.
  std::optional<driver::MetalKernel> metal;
};

}  // namespace tilewright
