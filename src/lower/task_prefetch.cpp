// Hints ahead of loads: what the next iteration of a loop will load, where a buffer is larger than the caches.
#include "lower/task_lowering.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

namespace {

constexpr std::int64_t kLineBytes = 64;
/// Buffers below this stay near the worker, so that a hint would be one instruction too many.
constexpr std::int64_t kFarBytes = std::int64_t{4} << 20;

}  // namespace

/// Premise: a tile over `axes` was just loaded by `access`, in the innermost of the open loops.
void TaskLowering::prefetch_next(const Access& access, const std::vector<AxisId>& axes) {
  const kernel::BufferId id = access.place->memory.buffer;
  const auto along = elements_.innermost(axes);
  if (lane_options_.lanes < kLeastLanes || loops_.empty() || !id.valid() || !access.address || !along) return;
  const kernel::Buffer& buffer = b_.program().buffers[id];
  const auto bytes = static_cast<std::int64_t>(kernel::scalar_bytes(buffer.scalar));
  if (buffer.count < kFarBytes / bytes || access.address->factor_of(*along) != 1) return;
  const auto [coord, now] = loops_.back();
  const kernel::ValueId here = index_.emit_invariant(*access.address);
  index_.set_coord(coord, b_.add(now, 1));
  const kernel::ValueId next = index_.emit_invariant(*access.address);
  if (here != next) {
    std::vector<AxisId> outer;
    for (AxisId axis : axes)
      if (axis != *along) outer.push_back(axis);
    elements_.nest(outer, {}, [&](Point at) {
      const kernel::ValueId end = b_.const_i64(bound_extent(program_, *along));
      at.set(*along, b_.begin_loop(b_.const_i64(0), end, kLineBytes / bytes).index);
      b_.prefetch(access.place->memory, accesses_.address(access, at), /*near=*/true);
      b_.end_loop();
    });
  }
  index_.set_coord(coord, now);
}

}  // namespace tilewright::lower
