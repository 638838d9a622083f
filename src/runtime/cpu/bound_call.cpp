#include "runtime/cpu/bound_call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/cpu/ieee_arithmetic.h"
#include "runtime/cpu/placement.h"
#include "runtime/cpu/workspace_parts.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::runtime_cpu {

namespace {

/// More pieces than workers even out uneven threads; with much scratch memory each piece would meet cold caches.
constexpr std::int64_t kPiecesPerWorker = 4;
constexpr std::int64_t kLargeScratchBytes = 64 << 10;

/// One launch on its way through a pool.
struct SharedLaunch {
  const LoadedLaunch& launch;
  void* const* table;
  std::byte* scratch;
  std::int64_t scratch_stride;
  std::int64_t pieces;

  /// Where piece i begins: the first ones have one task more when they do not come out even.
  std::int64_t begin_of(std::int64_t piece) const {
    const std::int64_t tasks = launch.facts.task_count;
    return tasks / pieces * piece + std::min(piece, tasks % pieces);
  }
  static void run_piece(void* context, std::int64_t piece) {
    const auto& self = *static_cast<const SharedLaunch*>(context);
    const IeeeArithmetic ieee;
    self.launch.entry(self.table, self.begin_of(piece), self.begin_of(piece + 1),
                      self.scratch + piece * self.scratch_stride);
  }
};

}  // namespace

struct BoundCall::Memory {
  Block temporaries;
  Block scratch;
  std::int64_t scratch_stride = 0;  ///< bytes of one worker or piece
};

BoundCall::BoundCall(const LoadedArtifact& code, std::unique_ptr<Memory> memory)
    : code_(&code), memory_(std::move(memory)) {}
BoundCall::BoundCall(BoundCall&&) noexcept = default;
BoundCall& BoundCall::operator=(BoundCall&&) noexcept = default;
BoundCall::~BoundCall() = default;

Result<BoundCall> BoundCall::make(const LoadedArtifact& code, std::span<void* const> bindings) {
  TW_TRY(const TemporaryPlaces places, place_temporaries(code.bindings()));
  const std::optional<std::int64_t> stride = round_up_to_alignment(most_scratch_bytes(code));
  if (!stride) return failure(DiagCode::OutOfMemory, "the tile memory of one worker does not fit 64 bits");
  BoundCall call(code, std::make_unique<Memory>());
  call.memory_->scratch_stride = *stride;
  TW_TRY_VOID(call.memory_->scratch.reserve(*stride, "tile memory"));
  TW_TRY_VOID(call.memory_->temporaries.reserve(places.bytes, "temporary memory"));
  call.table_.assign(bindings.begin(), bindings.end());
  for (std::size_t i = 0; i < call.table_.size(); ++i)
    if (code.bindings()[i].kind == artifact::BindingKind::Temporary)
      call.table_[i] = call.memory_->temporaries.data() + places.offsets[i];
  return call;
}

void* BoundCall::scratch() const { return memory_->scratch.data(); }

void BoundCall::run() const {
  const IeeeArithmetic ieee;
  for (const LoadedLaunch& launch : code_->launches())
    launch.entry(table_.data(), 0, launch.facts.task_count, memory_->scratch.data());
}

std::int64_t BoundCall::piece_count(const artifact::Launch& launch, int workers) const {
  if (runs_inline(launch, workers)) return 1;
  const bool whole = launch.ranges || memory_->scratch_stride > kLargeScratchBytes;
  const std::int64_t each = whole ? 1 : kPiecesPerWorker;
  return std::min<std::int64_t>(launch.task_count, workers * each);
}

Result<void> BoundCall::run(const TaskPool& pool) {
  std::int64_t most = 1;
  for (const LoadedLaunch& launch : code_->launches()) most = std::max(most, piece_count(launch.facts, pool.workers));
  const std::optional<std::int64_t> bytes = checked_mul(memory_->scratch_stride, most);
  if (!bytes)
    return failure(
        DiagCode::OutOfMemory,
        fmt::format("{} bytes of tile memory for each of {} pieces do not fit 64 bits", memory_->scratch_stride, most));
  TW_TRY_VOID(memory_->scratch.reserve(*bytes, "tile memory"));
  for (const LoadedLaunch& launch : code_->launches()) {
    const std::int64_t pieces = piece_count(launch.facts, pool.workers);
    SharedLaunch shared{launch, table_.data(), memory_->scratch.data(), memory_->scratch_stride, pieces};
    if (launch.facts.task_count == 0) continue;
    if (pieces == 1)
      SharedLaunch::run_piece(&shared, 0);
    else
      pool.for_each(pool.pool, pieces, SharedLaunch::run_piece, &shared);
  }
  return {};
}

}  // namespace tilewright::runtime_cpu
