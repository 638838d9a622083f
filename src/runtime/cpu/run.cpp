#include "runtime/cpu/run.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "runtime/cpu/ieee_arithmetic.h"
#include "runtime/cpu/workspace_parts.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::runtime_cpu {

namespace {

// Waking a sleeping worker takes about 10 us, handing it one more range below 1 us; an operation in a scalar count
// takes 0.05 to 1 ns.
constexpr std::int64_t kInlineWork = 100'000;
constexpr std::int64_t kRangeWork = 20'000;

std::optional<std::int64_t> round_up(std::int64_t bytes) {
  const std::optional<std::int64_t> end = checked_add(bytes, kAlignment - 1);
  if (!end) return std::nullopt;
  return *end / kAlignment * kAlignment;
}

}  // namespace

Workspace::Workspace() : parts_(std::make_unique<WorkspaceParts>()) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

namespace {

Result<void> check_bindings(const LoadedArtifact& code, std::span<void* const> bindings) {
  const std::vector<artifact::Binding>& expected = code.bindings();
  if (bindings.size() != expected.size()) {
    return failure(DiagCode::MissingArgument,
                   fmt::format("expected {} buffers and scalars, found {}", expected.size(), bindings.size()));
  }
  Diags faults;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const bool needed = expected[i].kind != artifact::BindingKind::Temporary && expected[i].count > 0;
    if (!needed || bindings[i] != nullptr) continue;
    faults.push_back({DiagCode::MissingArgument, fmt::format("'{}' has no memory", expected[i].name), {}, {}, {}});
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

/// The pointer table, with the temporaries filled in.
Result<std::vector<void*>> place_bindings(const LoadedArtifact& code, std::span<void* const> bindings,
                                          WorkspaceParts& parts) {
  std::vector<std::int64_t> offsets;
  std::int64_t total = kAlignment;
  for (const artifact::Binding& binding : code.bindings()) {
    offsets.push_back(total);
    if (binding.kind != artifact::BindingKind::Temporary) continue;
    const auto size = static_cast<std::int64_t>(data_type_bytes(binding.type));
    std::optional<std::int64_t> bytes = checked_mul(binding.count, size);
    if (bytes) bytes = checked_add(*bytes, total);
    if (bytes) bytes = round_up(*bytes);
    if (!bytes) {
      return failure(DiagCode::OutOfMemory,
                     fmt::format("{} elements of {} bytes of temporary memory '{}' do not fit 64 bits", binding.count,
                                 size, binding.name));
    }
    total = *bytes;
  }
  std::vector<void*> table(bindings.begin(), bindings.end());
  const bool any = std::any_of(code.bindings().begin(), code.bindings().end(), [](const artifact::Binding& binding) {
    return binding.kind == artifact::BindingKind::Temporary;
  });
  if (!any) return table;
  TW_TRY_VOID(parts.temporaries.reserve(total, "temporary memory"));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (code.bindings()[i].kind == artifact::BindingKind::Temporary) table[i] = parts.temporaries.data() + offsets[i];
  }
  return table;
}

bool runs_inline(const artifact::Launch& launch, int threads) {
  if (threads == 1 || launch.task_count <= 1) return true;
  if (launch.work_per_task <= 0) return false;
  return launch.task_count <= kInlineWork / launch.work_per_task;
}

/// One run: the pieces that every launch of it needs.
struct Run {
  const LoadedArtifact& code;
  void* const* table;
  std::byte* scratch;
  std::int64_t scratch_stride;
  int threads;

  void call(const LoadedLaunch& launch, std::int64_t begin, std::int64_t end, int worker) const {
    const IeeeArithmetic ieee;
    launch.entry(table, begin, end, scratch + worker * scratch_stride);
  }
  /// One range a worker: what its tasks share is made once.
  void in_even_ranges(const LoadedLaunch& launch) const {
    const std::int64_t tasks = launch.facts.task_count, pieces = std::min<std::int64_t>(threads, tasks);
    const auto start_of = [&](std::int64_t piece) { return tasks / pieces * piece + std::min(piece, tasks % pieces); };
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          for (std::int64_t piece = range.begin(); piece < range.end(); ++piece)
            call(launch, start_of(piece), start_of(piece + 1), tbb::this_task_arena::current_thread_index());
        },
        tbb::simple_partitioner());
  }
  void all_launches() const {
    for (const LoadedLaunch& launch : code.launches()) {
      const std::int64_t tasks = launch.facts.task_count;
      if (tasks == 0) continue;
      if (runs_inline(launch.facts, threads)) {
        call(launch, 0, tasks, 0);
        continue;
      }
      if (launch.facts.ranges) {
        in_even_ranges(launch);
        continue;
      }
      const std::int64_t work = launch.facts.work_per_task;
      const std::int64_t grain = work > 0 ? std::max<std::int64_t>(1, kRangeWork / work) : 1;
      using Range = tbb::blocked_range<std::int64_t>;
      tbb::parallel_for(Range(0, tasks, static_cast<std::size_t>(grain)), [&](const Range& range) {
        call(launch, range.begin(), range.end(), tbb::this_task_arena::current_thread_index());
      });
    }
  }
};

Result<void> run_in(const LoadedArtifact& code, std::span<void* const> bindings, int threads, WorkspaceParts& parts) {
  TW_TRY(const std::vector<void*> table, place_bindings(code, bindings, parts));
  bool shared = false;
  std::int64_t scratch = 0;
  for (const LoadedLaunch& launch : code.launches()) {
    shared = shared || !runs_inline(launch.facts, threads);
    if (launch.facts.task_count > 0) scratch = std::max(scratch, launch.facts.scratch_bytes);
  }
  if (!shared) threads = 1;
  std::optional<std::int64_t> stride = round_up(scratch);
  const std::optional<std::int64_t> total = stride ? checked_mul(*stride, threads) : std::nullopt;
  if (!total) {
    return failure(DiagCode::OutOfMemory,
                   fmt::format("{} bytes of tile memory for each of {} threads do not fit 64 bits", scratch, threads));
  }
  TW_TRY_VOID(parts.scratch.reserve(*total, "tile memory"));

  const Run run{code, table.data(), parts.scratch.data(), *stride, threads};
  if (!shared) {
    run.all_launches();
    return {};
  }
  if (parts.arena == nullptr || parts.arena_threads != threads) {
    parts.arena = std::make_unique<tbb::task_arena>(threads);
    parts.arena_threads = threads;
  }
  parts.arena->execute([&] { run.all_launches(); });
  return {};
}

}  // namespace

Result<void> run(const LoadedArtifact& code, std::span<void* const> bindings, const RunOptions& options) {
  TW_TRY_VOID(check_bindings(code, bindings));
  try {
    // More workers than processors would not come, and TBB would say so on stderr.
    const int available = std::max(1, tbb::info::default_concurrency());
    const int threads = options.threads > 0 ? std::min(options.threads, available) : available;
    if (options.workspace != nullptr) return run_in(code, bindings, threads, options.workspace->parts());
    Workspace workspace;
    return run_in(code, bindings, threads, workspace.parts());
  } catch (const std::bad_alloc&) {
    return failure(DiagCode::OutOfMemory, "no memory was left for the threads of the run", "use fewer threads");
  } catch (const std::exception& error) {
    return failure(DiagCode::InternalError, fmt::format("the thread pool failed: {}", error.what()));
  }
}

}  // namespace tilewright::runtime_cpu
