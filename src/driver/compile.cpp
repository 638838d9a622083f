// compile: the order of the stages, and Kernel.
#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tilewright/compile.h>

#include "driver/compile_for.h"
#include "driver/kernel_impl.h"
#include "driver/launch.h"
#include "driver/metal_direct.h"
#include "driver/metal_run.h"
#include "driver/program_impl.h"
#include "driver/request.h"
#include "driver/stage_clock.h"
#include "emit/llvm/emit.h"
#include "kernel/printer.h"
#include "kernel/verifier.h"
#include "lower/lower_scalar.h"
#include "runtime/cpu/host.h"
#include "support/check.h"
#include "support/result.h"
#include "support/spelling.h"
#include "tile/bind.h"
#include "tile/interpreter.h"
#include "tile/printer.h"
#include "tile/verifier.h"

namespace tilewright {

namespace {

using Impl = Kernel::Impl;
using driver::Purpose;

/// Where each binding of the code comes from, by name.
std::vector<Impl::Slot> place_slots(const Impl& impl, const lower::LaunchLayout& layout) {
  std::vector<Impl::Slot> slots;
  for (const artifact::Binding& binding : impl.object.bindings) {
    Impl::Slot slot;
    if (binding.kind != artifact::BindingKind::Temporary) {
      slot.object = driver::find_buffer(impl.bound, binding.name);
      TW_CHECK(slot.object.valid());
      slot.low = layout.buffers.at(slot.object).low;
    }
    slots.push_back(slot);
  }
  return slots;
}

Result<void> compile_for_cpu(Impl& impl, bool noalias, Purpose purpose) {
  std::vector<StageTime>& times = impl.stage_times;
  TW_TRY(const lower::LaunchLayout layout, driver::launch_layout(impl.bound, impl.rules));
  const target::HostFacts host = runtime_cpu::detect_host();
  const lower::LaneOptions lanes = lower::lane_options_for(host);
  TW_TRY(impl.lowered, driver::timed(times, "lower", [&] { return lower::lower_lanes(impl.bound, layout, lanes); }));
  TW_TRY_VOID(driver::timed(times, "verify kernel", [&] { return kernel::verify(impl.lowered); }));
  impl.emit_options = emit_llvm::options_for(host);
  impl.emit_options.noalias = noalias;
  TW_TRY(impl.object, driver::timed(times, "emit", [&] { return emit_llvm::emit(impl.lowered, impl.emit_options); }));
  if (purpose == Purpose::Look) return {};
  TW_TRY(runtime_cpu::LoadedArtifact code,
         driver::timed(times, "load", [&] { return runtime_cpu::load(impl.object); }));
  impl.code.emplace(std::move(code));
  impl.slots = place_slots(impl, layout);
  impl.object.code.clear();
  return {};
}

Result<void> compile_for_metal(Impl& impl, const Program& program, const Bindings& bindings,
                               const CompileOptions& options, Purpose purpose) {
  const auto compile = options.route == Route::Direct ? driver::compile_direct : driver::compile_metal;
  TW_TRY(impl.metal, compile(program, bindings, options, impl.stage_times));
  impl.bound = impl.metal->planned.bound;
  impl.bindings = impl.metal->planned.bindings;
  impl.rules = impl.metal->rules;
  if (purpose == Purpose::Look) return {};
  return driver::timed(impl.stage_times, "load", [&] { return driver::load_metal(*impl.metal); });
}

Result<Kernel> compile_stages(const Program& program, const Bindings& bindings, const CompileOptions& options,
                              Purpose purpose) {
  TW_TRY_VOID(driver::check_tensor_bindings(options.target, options.tensor_bindings));
  if (options.route == Route::Direct) TW_TRY_VOID(driver::check_direct_options(options));
  auto impl = std::make_shared<Impl>();
  impl->family = std::shared_ptr<const Program::Impl>(std::make_shared<Program>(program), &program.impl());
  impl->target = options.target;
  impl->stage_times = program.impl().stage_times;
  if (is_metal(options.target)) {
    TW_TRY_VOID(compile_for_metal(*impl, program, bindings, options, purpose));
    return Kernel(std::move(impl));
  }
  impl->bindings = driver::with_defaults(program, bindings);
  const tile::Bindings values{bindings.numbers, bindings.types};
  TW_TRY(impl->bound,
         driver::timed(impl->stage_times, "bind", [&] { return tile::bind(program.impl().program, values); }));
  TW_TRY_VOID(driver::timed(impl->stage_times, "verify bound", [&] { return tile::verify(impl->bound); }));
  TW_TRY(impl->rules, driver::launch_rules(impl->bound, options.layouts, options.noalias));
  if (options.target == Target::Cpu) TW_TRY_VOID(compile_for_cpu(*impl, options.noalias, purpose));
  return Kernel(std::move(impl));
}

Result<void> run_code(const Impl& impl, const driver::CheckedLaunch& launch, const RunOptions& options) {
  std::vector<void*> pointers;
  for (const Impl::Slot& slot : impl.slots) {
    if (!slot.object.valid()) {
      pointers.push_back(nullptr);
      continue;
    }
    const ArrayView& view = launch.arguments.at(slot.object);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    const bool empty = driver::element_range(view)->empty();
    pointers.push_back(empty ? view.data : view.data + (view.offset + slot.low) * bytes);
  }
  auto workspace = impl.workspaces.take();
  const auto result = runtime_cpu::run(*impl.code, pointers, {options.threads, workspace.get()});
  impl.workspaces.put(std::move(workspace));
  return result;
}

/// A stage and the targets that have it.
struct Stage {
  std::string_view name;
  bool cpu = false, metal = false;
};
constexpr Stage kStages[] = {{"parse", true, true},    {"bind", true, true}, {"plan", false, true},
                             {"kernel", true, true},   {"msl", false, true}, {"llvm", true, false},
                             {"assembly", true, false}};

/// "parse, bind, kernel": those of one target, or all.
std::string stage_list(std::optional<Target> target = std::nullopt) {
  std::vector<std::string_view> names;
  for (const Stage& stage : kStages) {
    const bool both = stage.cpu && stage.metal && stage.name != "kernel";
    if (!target || both || (*target == Target::Cpu && stage.cpu) || (is_metal(*target) && stage.metal))
      names.push_back(stage.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::unique_ptr<runtime_cpu::Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<runtime_cpu::Workspace>();
  auto workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::put(std::unique_ptr<runtime_cpu::Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
}

std::string_view target_name(Target target) {
  switch (target) {
    case Target::Cpu:
      return "cpu";
    case Target::Interp:
      return "interp";
    case Target::MetalSimdgroup:
      return "metal-simdgroup";
    case Target::MetalMpp:
      return "metal-mpp";
  }
  return "?";
}

std::optional<Target> target_from_name(std::string_view name) {
  for (Target target : {Target::Cpu, Target::Interp, Target::MetalSimdgroup, Target::MetalMpp})
    if (target_name(target) == name) return target;
  return std::nullopt;
}

std::string_view route_name(Route route) { return route == Route::Direct ? "direct" : "planned"; }

std::optional<Route> route_from_name(std::string_view name) {
  for (Route route : {Route::Planned, Route::Direct})
    if (route_name(route) == name) return route;
  return std::nullopt;
}

Result<Kernel> driver::compile_for(const Program& program, const Bindings& bindings, const CompileOptions& options,
                                   Purpose purpose) {
  try {
    return compile_stages(program, bindings, options, purpose);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to compile '{}'", program.name()),
                   "use smaller sizes");
  }
}

Result<Kernel> compile(const Program& program, const Bindings& bindings, const CompileOptions& options) {
  return driver::compile_for(program, bindings, options, Purpose::Run);
}

Result<void> Kernel::run(const Arguments& arguments, const RunOptions& options) const {
  try {
    TW_TRY(const driver::CheckedLaunch launch, driver::check_launch(impl_->bound, impl_->rules, arguments));
    if (impl_->target == Target::Cpu) return run_code(*impl_, launch, options);
    if (is_metal(impl_->target)) {
      TW_TRY_VOID(driver::emulate_kernel(*impl_->metal, launch, options.threads));
      return {};
    }
    return tile::interpret_typed(impl_->bound, launch.arguments);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to run '{}'", impl_->bound.name()),
                   "use smaller sizes");
  }
}

const std::vector<StageTime>& Kernel::stage_times() const { return impl_->stage_times; }

const Bindings& Kernel::bindings() const { return impl_->bindings; }

Result<std::string> Kernel::print_after(std::string_view stage) const {
  const auto known = std::ranges::find(kStages, stage, &Stage::name);
  if (known == std::end(kStages)) {
    std::vector<std::string_view> stages;
    for (const Stage& each : kStages) stages.push_back(each.name);
    const std::string guess = did_you_mean(stage, stages);
    return failure(DiagCode::BadOption, fmt::format("expected a stage, found '{}'", stage),
                   (guess.empty() ? "" : guess + " ") + "the stages are " + stage_list());
  }
  if (stage == "parse") return tile::print_program(impl_->family->program);
  if (stage == "bind") return tile::print_program(impl_->bound);
  const bool cpu = impl_->target == Target::Cpu, metal = is_metal(impl_->target);
  if (!(cpu && known->cpu) && !(metal && known->metal))
    return failure(DiagCode::BadOption,
                   fmt::format("the target '{}' has no stage '{}'", target_name(impl_->target), stage),
                   fmt::format("its stages are {}; {} belongs to the target {}", stage_list(impl_->target), stage,
                               known->cpu ? "cpu" : "metal-simdgroup or metal-mpp"));
  if (stage == "kernel") return kernel::print(metal ? impl_->metal->lowered : impl_->lowered);
  if (stage == "plan" && impl_->metal->route == Route::Direct)
    return failure(DiagCode::BadOption, "the direct route has no plan, and so no stage 'plan'", "--route planned");
  if (stage == "plan") return plan::print_plan(impl_->metal->planned.planned.plan);
  if (stage == "msl") return impl_->metal->text.code;
  if (stage == "llvm") return emit_llvm::emit_llvm_text(impl_->lowered, impl_->emit_options);
  return emit_llvm::emit_assembly_text(impl_->lowered, impl_->emit_options);
}

}  // namespace tilewright
