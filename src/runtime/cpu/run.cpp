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
#include "runtime/cpu/placement.h"
#include "runtime/cpu/workspace_parts.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::runtime_cpu {

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
  TW_TRY(const TemporaryPlaces places, place_temporaries(code.bindings()));
  std::vector<void*> table(bindings.begin(), bindings.end());
  if (places.bytes == 0) return table;
  TW_TRY_VOID(parts.temporaries.reserve(places.bytes, "temporary memory"));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (code.bindings()[i].kind == artifact::BindingKind::Temporary) {
      table[i] = parts.temporaries.data() + places.offsets[i];
    }
  }
  return table;
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
      const std::int64_t grain = tasks_per_range(launch.facts);
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
  for (const LoadedLaunch& launch : code.launches()) shared = shared || !runs_inline(launch.facts, threads);
  const std::int64_t scratch = most_scratch_bytes(code);
  if (!shared) threads = 1;
  std::optional<std::int64_t> stride = round_up_to_alignment(scratch);
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
