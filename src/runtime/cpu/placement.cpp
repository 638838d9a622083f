#include "runtime/cpu/placement.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/cpu/workspace_parts.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::runtime_cpu {

namespace {

// Waking a sleeping worker takes about 10 us, handing it one more range below 1 us; an operation in a scalar count
// takes 0.05 to 1 ns.
constexpr std::int64_t kInlineWork = 100'000;
constexpr std::int64_t kRangeWork = 20'000;

}  // namespace

std::optional<std::int64_t> round_up_to_alignment(std::int64_t bytes) {
  const std::optional<std::int64_t> end = checked_add(bytes, kAlignment - 1);
  if (!end) return std::nullopt;
  return *end / kAlignment * kAlignment;
}

Result<TemporaryPlaces> place_temporaries(const std::vector<artifact::Binding>& bindings) {
  TemporaryPlaces places;
  bool any = false;
  std::int64_t total = kAlignment;
  for (const artifact::Binding& binding : bindings) {
    places.offsets.push_back(total);
    if (binding.kind != artifact::BindingKind::Temporary) continue;
    any = true;
    const auto size = static_cast<std::int64_t>(data_type_bytes(binding.type));
    std::optional<std::int64_t> bytes = checked_mul(binding.count, size);
    if (bytes) bytes = checked_add(*bytes, total);
    if (bytes) bytes = round_up_to_alignment(*bytes);
    if (!bytes) {
      return failure(DiagCode::OutOfMemory,
                     fmt::format("{} elements of {} bytes of temporary memory '{}' do not fit 64 bits", binding.count,
                                 size, binding.name));
    }
    total = *bytes;
  }
  if (any) places.bytes = total;
  return places;
}

std::int64_t most_scratch_bytes(const LoadedArtifact& code) {
  std::int64_t most = 0;
  for (const LoadedLaunch& launch : code.launches())
    if (launch.facts.task_count > 0) most = std::max(most, launch.facts.scratch_bytes);
  return most;
}

bool runs_inline(const artifact::Launch& launch, int threads) {
  if (threads == 1 || launch.task_count <= 1) return true;
  if (launch.work_per_task <= 0) return false;
  return launch.task_count <= kInlineWork / launch.work_per_task;
}

std::int64_t tasks_per_range(const artifact::Launch& launch) {
  return launch.work_per_task > 0 ? std::max<std::int64_t>(1, kRangeWork / launch.work_per_task) : 1;
}

}  // namespace tilewright::runtime_cpu
