// tilewright/run.h: entries, bound calls, and the caller's threads.
#include <new>
#include <utility>

#include <fmt/format.h>

#include <tilewright/run.h>

#include "driver/kernel_impl.h"
#include "driver/kernel_pointers.h"
#include "runtime/cpu/bound_call.h"
#include "runtime/cpu/tbb_pool.h"
#include "support/check.h"
#include "support/result.h"

namespace tilewright {

namespace {

using artifact::BindingAccess;
using artifact::BindingKind;

Result<void> expect_cpu(const Kernel::Impl& impl) {
  if (impl.code) return {};
  return failure(
      DiagCode::Unsupported,
      fmt::format("a kernel of the target '{}' has no functions of this processor", target_name(impl.target)),
      "compile it for the target cpu, or use Kernel::run()");
}

runtime_cpu::TaskPool pool_of(Executor& executor) {
  const auto for_each = [](void* pool, std::int64_t count, runtime_cpu::TaskPool::Piece piece, void* context) {
    static_cast<Executor*>(pool)->parallel_for(count, piece, context);
  };
  return {for_each, &executor, executor.workers()};
}

class TbbExecutor final : public Executor {
 public:
  explicit TbbExecutor(int threads) : tbb_(threads) {}
  int workers() const override { return tbb_.pool().workers; }
  void parallel_for(std::int64_t count, Piece piece, void* context) override {
    const runtime_cpu::TaskPool pool = tbb_.pool();
    pool.for_each(pool.pool, count, piece, context);
  }

 private:
  runtime_cpu::TbbPool tbb_;
};

}  // namespace

std::vector<void*> driver::kernel_pointers(const Kernel::Impl& impl, const CheckedLaunch& launch) {
  std::vector<void*> pointers;
  for (const Kernel::Impl::Slot& slot : impl.slots) {
    if (!slot.object.valid()) {
      pointers.push_back(nullptr);
      continue;
    }
    const ArrayView& view = launch.arguments.at(slot.object);
    const auto bytes = static_cast<std::int64_t>(data_type_bytes(view.type));
    const bool empty = driver::element_range(view)->empty();
    pointers.push_back(empty ? view.data : view.data + (view.offset + slot.low) * bytes);
  }
  return pointers;
}

Result<void> driver::run_on(Executor& executor, const runtime_cpu::LoadedArtifact& code,
                            std::span<void* const> pointers) {
  TW_TRY(runtime_cpu::BoundCall call, runtime_cpu::BoundCall::make(code, pointers));
  return call.run(pool_of(executor));
}

std::unique_ptr<Executor> make_default_executor(int threads) { return std::make_unique<TbbExecutor>(threads); }

std::vector<EntryBinding> entry_bindings(const Kernel& kernel) {
  const Kernel::Impl& impl = kernel.impl();
  std::vector<EntryBinding> bindings;
  if (!impl.code) return bindings;
  const std::vector<artifact::Binding>& code = impl.code->bindings();
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool temporary = code[i].kind == BindingKind::Temporary;
    bindings.push_back({code[i].name, code[i].kind == BindingKind::Scalar, temporary,
                        code[i].access != BindingAccess::Write, code[i].access != BindingAccess::Read, code[i].type,
                        impl.slots[i].low, code[i].count});
  }
  return bindings;
}

Result<RawEntry> raw_entry(const Kernel& kernel) {
  const Kernel::Impl& impl = kernel.impl();
  TW_TRY_VOID(expect_cpu(impl));
  const auto refuse = [&](const std::string& why) {
    return failure(DiagCode::Unsupported,
                   fmt::format("'{}' cannot be called as one function: {}", impl.bound.name(), why),
                   "bind a Call, which has temporaries and runs every launch");
  };
  if (impl.code->launches().size() != 1) return refuse(fmt::format("it has {} launches", impl.code->launches().size()));
  for (const artifact::Binding& binding : impl.code->bindings())
    if (binding.kind == BindingKind::Temporary) return refuse(fmt::format("it has the temporary '{}'", binding.name));
  const runtime_cpu::LoadedLaunch& launch = impl.code->launches().front();
  return RawEntry{launch.entry, launch.facts.task_count, launch.facts.scratch_bytes};
}

struct Call::State {
  std::shared_ptr<const Kernel::Impl> kernel;
  driver::CheckedLaunch arguments;  ///< holds the scalars
  runtime_cpu::BoundCall bound;
  std::vector<Launch> launches;
};

Call::Call(std::unique_ptr<State> state) : state_(std::move(state)) {
  for (const runtime_cpu::LoadedLaunch& launch : state_->kernel->code->launches())
    if (launch.facts.task_count > 0) state_->launches.push_back({launch.entry, launch.facts.task_count});
  refresh();
}
Call::Call(Call&&) noexcept = default;
Call& Call::operator=(Call&&) noexcept = default;
Call::~Call() = default;

void Call::refresh() {
  begin_ = state_->launches.data();
  end_ = begin_ + state_->launches.size();
  table_ = state_->bound.table();
  scratch_ = state_->bound.scratch();
}

Result<Call> Call::bind(const Kernel& kernel, const Arguments& arguments) {
  try {
    TW_TRY_VOID(expect_cpu(kernel.impl()));
    auto impl = kernel.shared_impl();
    TW_TRY(driver::CheckedLaunch launch, driver::check_launch(impl->bound, impl->rules, arguments));
    // Before the scalars move: they stay where they are, but a copy would not be where the pointers lead.
    const std::vector<void*> pointers = driver::kernel_pointers(*impl, launch);
    TW_TRY(runtime_cpu::BoundCall bound, runtime_cpu::BoundCall::make(*impl->code, pointers));
    return Call(std::make_unique<State>(std::move(impl), std::move(launch), std::move(bound)));
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, fmt::format("no memory was left to bind '{}'", kernel.impl().bound.name()),
                   "use smaller sizes");
  }
}

void Call::run() const { state_->bound.run(); }

Result<void> Call::run(Executor& executor) {
  const auto result = state_->bound.run(pool_of(executor));
  refresh();
  return result;
}

void Call::set_pointer(std::size_t binding, void* pointer) {
  const std::vector<artifact::Binding>& bindings = state_->kernel->code->bindings();
  TW_CHECK(binding < bindings.size() && bindings[binding].kind != BindingKind::Temporary);
  state_->bound.set_pointer(binding, pointer);
}

}  // namespace tilewright
