// Loads into storage and stores: unguarded when the whole tile is in range, else over the part that is.
#include <algorithm>
#include <numeric>
#include <utility>

#include "lower/task_lowering.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;

void TaskLowering::when(kernel::ValueId condition, const std::function<void()>& body) {
  const auto known = condition.valid() ? b_.constant(condition) : std::optional<std::int64_t>(1);
  if (known && *known == 0) return;
  if (known) return body();
  b_.begin_if(condition);
  body();
  b_.end_if();
}

TaskLowering::Clamped TaskLowering::clamp(const Access& access, const std::vector<AxisId>& axes) {
  Clamped clamped;
  for (AxisId axis : axes) clamped.loops.push_back({axis, {}, {}});
  for (const Dimension& dimension : access.dimensions) {
    if (dimension.check == RangeCheck::None) continue;
    const bool linear = dimension.check == RangeCheck::Linear;
    if (linear && dimension.form.factors.empty()) {
      const kernel::ValueId at = index_.emit_invariant(dimension.form);
      clamped.condition = accesses_.both(clamped.condition, accesses_.dimension_in_range(dimension, at));
      continue;
    }
    const AxisId axis = dimension.form.unit_axis().value_or(AxisId{});
    const auto loop = std::find_if(clamped.loops.begin(), clamped.loops.end(),
                                   [&](const AxisLoop& candidate) { return candidate.axis == axis; });
    if (!linear || loop == clamped.loops.end()) {
      clamped.tested.push_back(&dimension);
      continue;
    }
    const std::int64_t extent = bound_extent(program_, axis);
    const kernel::ValueId zero = b_.const_i64(0);
    // Beyond [-extent, dimension.extent] nothing is in range: cut there, the differences below cannot wrap.
    kernel::ValueId start = b_.binary(BinaryKind::Max, index_.emit_invariant(dimension.form), b_.const_i64(-extent));
    start = b_.binary(BinaryKind::Min, start, b_.const_i64(dimension.extent));
    const kernel::ValueId low = b_.binary(BinaryKind::Max, b_.sub(zero, start), zero);
    const kernel::ValueId high =
        b_.binary(BinaryKind::Min, b_.sub(b_.const_i64(dimension.extent), start), b_.const_i64(extent));
    loop->low = loop->low.valid() ? b_.binary(BinaryKind::Max, loop->low, low) : low;
    loop->high = loop->high.valid() ? b_.binary(BinaryKind::Min, loop->high, high) : high;
  }
  return clamped;
}

kernel::ValueId TaskLowering::tested_in_range(const Clamped& clamped, const Point& at) {
  kernel::ValueId condition;
  for (const Dimension* dimension : clamped.tested)
    condition = accesses_.both(condition, accesses_.dimension_in_range(*dimension, index_.emit(dimension->coord, at)));
  return condition;
}

void TaskLowering::lower_load(OpId id, ValueId value, const LoadOp& op) {
  const std::vector<AxisId> axes = elements_.axes(value);
  const Access& access = elements_.access(id);
  const SlotId slot = destination(value, plan_.home(value), [](SlotId) { return true; });
  const auto strides = elements_.dense_strides(axes);
  elements_.versioned({}, false, {&access}, [&] {
    const bool in_lanes = elements_.lane_plan(value, true, elements_.innermost(axes)).has_value();
    if (!in_lanes && !elements_.known_in_range() && !access.place->empty()) return load_clamped(access, op, slot, axes);
    dense_nest(axes, value, true,
               [&](const Point& at) { elements_.store_to(slot, strides, at, elements_.result_element(value, at)); });
  });
  prefetch_next(access, axes);
  define(value, slot);
}

void TaskLowering::load_clamped(const Access& access, const LoadOp& op, SlotId slot, const std::vector<AxisId>& axes) {
  const auto strides = elements_.dense_strides(axes);
  const kernel::ValueId otherwise = elements_.fallback(op);
  elements_.nest(axes, {}, [&](const Point& at) { elements_.store_to(slot, strides, at, otherwise); });
  const Clamped clamped = clamp(access, axes);
  when(clamped.condition, [&] {
    elements_.nest(clamped.loops, {}, [&](const Point& at) {
      when(tested_in_range(clamped, at), [&] {
        const kernel::ValueId read = b_.load(access.place->memory, accesses_.address(access, at));
        elements_.store_to(slot, strides, at, read);
      });
    });
  });
}

/// The order of the loops. A plain access may be walked in the order of memory; any other keeps the order of the axes,
/// which decides who comes last when two elements go to one place.
std::vector<AxisId> TaskLowering::store_axes(const Access& access, const StoreOp& op) const {
  std::vector<AxisId> axes = elements_.axes(op.value);
  std::size_t used = 0;
  for (IndexId coord : program_.list(op.coords)) axes = join_axes(axes, program_.index().axes(coord));
  for (const Dimension& dimension : access.dimensions) {
    const auto form = linear_form(program_.index(), dimension.coord);
    if (!form || !(form->factors.empty() || form->unit_axis())) return axes;
    used += form->factors.size();
  }
  if (used != axes.size() || !access.address) return axes;
  const auto step = [&](AxisId axis) {
    const std::int64_t factor = access.address->factor_of(axis);
    return factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
  };
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(step(axes[b]), a) < std::pair(step(axes[a]), b); });
  std::vector<AxisId> sorted;
  for (std::size_t d : order) sorted.push_back(axes[d]);
  return sorted;
}

void TaskLowering::lower_store(OpId id, const StoreOp& op) {
  const Access& access = elements_.access(id);
  if (access.place->empty()) return;
  const std::vector<AxisId> axes = store_axes(access, op);
  const auto store = [&](const Point& at, kernel::ValueId mask) {
    if (elements_.moves_in_lanes(access)) return elements_.store_lanes(access, at, elements_.element(op.value, at), {});
    const auto known = mask.valid() ? b_.constant(mask) : std::optional<std::int64_t>(1);
    if (known && *known == 0) return;
    const kernel::ValueId element = elements_.element(op.value, at);
    b_.store(access.place->memory, accesses_.address(access, at), element, known ? kernel::ValueId{} : mask);
  };
  elements_.versioned(op.value, false, {&access}, [&] {
    const auto innermost = elements_.innermost(axes);
    const bool side_by_side = innermost && elements_.access_refusal(access, *innermost) == LaneRefusal::None &&
                              access.address && access.address->factor_of(*innermost) == 1;
    const auto lanes = side_by_side ? elements_.lane_plan(op.value, false, innermost) : std::optional<LanePlan>();
    if (lanes) {
      std::vector<AxisLoop> loops;
      for (AxisId axis : axes) loops.push_back({axis, {}, {}});
      return elements_.nest(loops, lanes, {}, [&](const Point& at) { store(at, {}); });
    }
    if (elements_.known_in_range()) {
      elements_.nest(axes, {}, [&](const Point& at) { store(at, accesses_.in_range(access, at, true)); });
      return;
    }
    const Clamped clamped = clamp(access, axes);
    when(clamped.condition,
         [&] { elements_.nest(clamped.loops, {}, [&](const Point& at) { store(at, tested_in_range(clamped, at)); }); });
  });
}

}  // namespace tilewright::lower
