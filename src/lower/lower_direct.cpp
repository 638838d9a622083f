#include "lower/lower_direct.h"

#include <utility>

#include <fmt/format.h>

#include "lower/direct/direct_lowering.h"
#include "lower/direct/direct_refusals.h"
#include "lower/launch_buffers.h"
#include "lower/scalar_refusals.h"
#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::lower {

namespace {

using namespace tile;

/// The storage of one program of the kernel.
Result<void> check_storage(const kernel::Program& program, const kernel::Kernel& kernel, const DirectDevice& device) {
  std::optional<std::int64_t> total = 0;
  std::vector<Note> notes;
  for (kernel::AllocationId id : kernel.allocations) {
    const kernel::Allocation& allocation = program.allocations[id];
    const auto bytes =
        checked_mul(allocation.count, static_cast<std::int64_t>(kernel::scalar_bytes(allocation.scalar)));
    total = total && bytes ? checked_add(*total, *bytes) : std::nullopt;
    notes.push_back({fmt::format("{}: {} bytes", allocation.name, bytes ? std::to_string(*bytes) : "over 2^63"), {}});
  }
  if (total && *total <= device.shared_memory_bytes) return {};
  return std::unexpected(Diags{Diag{
      DiagCode::TileTooLarge,
      fmt::format("kernel {}: the direct route keeps its tiles in {} bytes of shared memory, {} has {}", kernel.name,
                  total ? std::to_string(*total) : "over 2^63", device.name, device.shared_memory_bytes),
      {},
      "smaller tiles, or --route planned",
      std::move(notes)}});
}

}  // namespace

Result<kernel::Program> lower_direct(const Program& bound, const LaunchLayout& layout, const DirectDevice& device) {
  TW_CHECK(bound.bound());
  const ValuePlan values(bound);
  TW_TRY_VOID(check_direct(bound, values, device));
  TW_TRY_VOID(check_scalar(bound));
  kernel::Builder builder(bound.name());
  TW_TRY(const auto objects, declare_buffers(bound, layout, builder));
  std::size_t ordinal = 0;
  for (OpId id : bound.block(bound.root()).ops) {
    const auto* launch = std::get_if<RegionOp>(&bound.op(id).payload);
    TW_CHECK(launch != nullptr && launch->kind == RegionKind::Parallel);
    DirectLowering(bound, values, device.tensor_operation.name, builder, objects)
        .lower_launch(fmt::format("{}_{}", bound.name(), ordinal++), *launch);
  }
  kernel::Program program = builder.finish();
  for (const kernel::Kernel& kernel : program.kernels) TW_TRY_VOID(check_storage(program, kernel, device));
  return program;
}

}  // namespace tilewright::lower
