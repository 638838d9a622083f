// compile: the order of the stages, and Kernel.
#include <new>
#include <utility>

#include <fmt/format.h>

#include <tilewright/compile.h>

#include "driver/kernel_impl.h"
#include "driver/launch.h"
#include "driver/program_impl.h"
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

Result<lower::LaunchLayout> launch_layout(const Impl& impl) {
  lower::LaunchLayout layout;
  for (const auto& [id, strides] : impl.rules.strides) {
    // An axis of one point is never stepped along: its stride must not reach the address arithmetic.
    const std::vector<std::int64_t> extents = tile::bound_extents(impl.bound, id);
    std::vector<std::int64_t> used = strides;
    for (std::size_t d = 0; d < used.size(); ++d)
      if (extents[d] <= 1) used[d] = 0;
    TW_TRY(layout.buffers[id], lower::make_buffer_layout(extents, used));
  }
  return layout;
}

/// Where each binding of the code comes from, by name.
std::vector<Impl::Slot> place_slots(const Impl& impl, const lower::LaunchLayout& layout) {
  std::vector<Impl::Slot> slots;
  for (const artifact::Binding& binding : impl.code->bindings()) {
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

Result<void> compile_for_cpu(Impl& impl, bool noalias) {
  std::vector<StageTime>& times = impl.stage_times;
  TW_TRY(const lower::LaunchLayout layout, launch_layout(impl));
  TW_TRY(impl.lowered, driver::timed(times, "lower", [&] { return lower::lower_scalar(impl.bound, layout); }));
  TW_TRY_VOID(driver::timed(times, "verify kernel", [&] { return kernel::verify(impl.lowered); }));
  impl.emit_options = emit_llvm::options_for(runtime_cpu::detect_host());
  impl.emit_options.noalias = noalias;
  TW_TRY(const artifact::Artifact artifact,
         driver::timed(times, "emit", [&] { return emit_llvm::emit(impl.lowered, impl.emit_options); }));
  TW_TRY(runtime_cpu::LoadedArtifact code, driver::timed(times, "load", [&] { return runtime_cpu::load(artifact); }));
  impl.code.emplace(std::move(code));
  impl.slots = place_slots(impl, layout);
  return {};
}

Result<Kernel> compile_stages(const Program& program, const Bindings& bindings, const CompileOptions& options) {
  auto impl = std::make_shared<Impl>();
  impl->family = std::shared_ptr<const Program::Impl>(std::make_shared<Program>(program), &program.impl());
  impl->target = options.target;
  impl->stage_times = program.impl().stage_times;
  const tile::Bindings values{bindings.numbers, bindings.types};
  TW_TRY(impl->bound,
         driver::timed(impl->stage_times, "bind", [&] { return tile::bind(program.impl().program, values); }));
  TW_TRY_VOID(driver::timed(impl->stage_times, "verify bound", [&] { return tile::verify(impl->bound); }));
  TW_TRY(impl->rules, driver::launch_rules(impl->bound, options.layouts, options.noalias));
  if (options.target == Target::Cpu) TW_TRY_VOID(compile_for_cpu(*impl, options.noalias));
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

constexpr std::string_view kStages[] = {"parse", "bind", "kernel", "llvm", "assembly"};

std::string stage_list() { return fmt::format("parse, bind, kernel, llvm, assembly"); }

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
  }
  return "?";
}

std::optional<Target> target_from_name(std::string_view name) {
  for (Target target : {Target::Cpu, Target::Interp})
    if (target_name(target) == name) return target;
  return std::nullopt;
}

Result<Kernel> compile(const Program& program, const Bindings& bindings, const CompileOptions& options) {
  try {
    return compile_stages(program, bindings, options);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to compile '{}'", program.name()),
                   "use smaller sizes");
  }
}

Result<void> Kernel::run(const Arguments& arguments, const RunOptions& options) const {
  try {
    TW_TRY(const driver::CheckedLaunch launch, driver::check_launch(impl_->bound, impl_->rules, arguments));
    if (impl_->target == Target::Cpu) return run_code(*impl_, launch, options);
    return tile::interpret_typed(impl_->bound, launch.arguments);
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to run '{}'", impl_->bound.name()),
                   "use smaller sizes");
  }
}

const std::vector<StageTime>& Kernel::stage_times() const { return impl_->stage_times; }

Result<std::string> Kernel::print_after(std::string_view stage) const {
  if (stage == "parse") return tile::print_program(impl_->family->program);
  if (stage == "bind") return tile::print_program(impl_->bound);
  const std::vector<std::string_view> stages(std::begin(kStages), std::end(kStages));
  if (std::find(stages.begin(), stages.end(), stage) == stages.end()) {
    const std::string guess = did_you_mean(stage, stages);
    return failure(DiagCode::BadOption, fmt::format("expected a stage, found '{}'", stage),
                   (guess.empty() ? "" : guess + " ") + "the stages are " + stage_list());
  }
  if (impl_->target != Target::Cpu)
    return failure(DiagCode::BadOption,
                   fmt::format("the target '{}' has no stage '{}'", target_name(impl_->target), stage),
                   "use the target cpu, or one of the stages parse and bind");
  if (stage == "kernel") return kernel::print(impl_->lowered);
  if (stage == "llvm") return emit_llvm::emit_llvm_text(impl_->lowered, impl_->emit_options);
  return emit_llvm::emit_assembly_text(impl_->lowered, impl_->emit_options);
}

}  // namespace tilewright
