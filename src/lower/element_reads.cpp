// What the elements of a value are read from: the questions of Elements that emit nothing or only offsets.
#include <algorithm>

#include "lower/elements.h"
#include "support/checked_math.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

void Elements::collect_loads(ValueId value, bool own_op, std::vector<const Access*>& found, std::set<ValueId>& seen) {
  const OpId def = program_.value(value).def;
  if (!def.valid() || (!own_op && !is_inline(value)) || !seen.insert(value).second) return;
  const OpPayload& payload = program_.op(def).payload;
  if (std::holds_alternative<RegionOp>(payload) || std::holds_alternative<IfOp>(payload)) return;
  if (std::holds_alternative<LoadOp>(payload)) found.push_back(&access(def));
  for_each_operand(program_, payload, [&](ValueId operand) { collect_loads(operand, false, found, seen); });
}

bool Elements::reads_inline(ValueId of, ValueId value) const {
  if (of == value) return true;
  if (forms_.form(of) == ValueForm::Scalar || !is_inline(of)) return false;
  bool found = false;
  for_each_operand(program_, definition(of), [&](ValueId operand) { found = found || reads_inline(operand, value); });
  return found;
}

bool Elements::computes_in_place(ValueId of, ValueId value) const {
  const OpId def = program_.value(of).def;
  if (!def.valid()) return false;
  const OpPayload& payload = program_.op(def).payload;
  const bool element_wise = std::holds_alternative<UnaryOp>(payload) || std::holds_alternative<BinaryOp>(payload) ||
                            std::holds_alternative<SelectOp>(payload) || std::holds_alternative<CastOp>(payload);
  if (!element_wise || axes(of).size() != axes(value).size()) return false;
  bool in_place = true;
  for_each_operand(program_, payload, [&](ValueId operand) {
    in_place = in_place && (operand == value || !reads_inline(operand, value) || computes_in_place(operand, value));
  });
  return in_place;
}

std::vector<AxisId> Elements::layout(ValueId value) const {
  const auto found = layouts_.find(value);
  return found == layouts_.end() ? axes(value) : found->second;
}

std::vector<AxisId> Elements::natural_layout(ValueId value) const {
  if (lane_options_.lanes < kLeastLanes) return axes(value);
  return layout_read(value, true).value_or(axes(value));
}

std::vector<AxisId> Elements::operand_layout(ValueId value) const {
  return layout_read(value, false).value_or(axes(value));
}

/// Of an operand that has all axes. Numbers of indices lie nowhere: they follow the others.
std::optional<std::vector<AxisId>> Elements::layout_read(ValueId value, bool own_op) const {
  if (forms_.form(value) == ValueForm::Scalar) return std::nullopt;
  if (!own_op && !is_inline(value)) return layout(value);
  const OpPayload& payload = definition(value);
  if (std::holds_alternative<LoadOp>(payload)) return axes(value);
  const bool element_wise = std::holds_alternative<UnaryOp>(payload) || std::holds_alternative<BinaryOp>(payload) ||
                            std::holds_alternative<SelectOp>(payload) || std::holds_alternative<CastOp>(payload);
  if (!element_wise) return std::nullopt;
  std::optional<std::vector<AxisId>> found;
  for_each_operand(program_, payload, [&](ValueId operand) {
    if (found) return;
    found = layout_read(operand, false);
    if (found && found->size() != axes(value).size()) found.reset();
  });
  return found;
}

bool Elements::loads_in(ValueId value) {
  std::vector<const Access*> found;
  std::set<ValueId> seen;
  collect_loads(value, true, found, seen);
  return !found.empty();
}

bool Elements::is_inside_load(ValueId value) {
  const OpId def = program_.value(value).def;
  if (!def.valid() || !std::holds_alternative<LoadOp>(program_.op(def).payload)) return false;
  const Access& from = access(def);
  return !from.place->empty() &&
         std::ranges::all_of(from.dimensions, [](const Dimension& d) { return d.check == RangeCheck::None; });
}

bool Elements::is_dense_load(ValueId value) {
  const OpId def = program_.value(value).def;
  if (!def.valid() || !std::holds_alternative<LoadOp>(program_.op(def).payload)) return false;
  const Access& from = access(def);
  if (!from.address) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (AxisId axis : axes(value))
    if (bound_extent(program_, axis) > 1)
      steps.emplace_back(from.address->factor_of(axis), bound_extent(program_, axis));
  std::ranges::sort(steps);
  std::int64_t next = 1;
  return std::ranges::all_of(steps, [&](const auto& step) {
    const bool follows = step.first == next;
    next = step.first * step.second;
    return follows;
  });
}

bool Elements::loads_inline(ValueId value) {
  std::vector<const Access*> found;
  std::set<ValueId> seen;
  collect_loads(value, false, found, seen);
  return !found.empty();
}

bool Elements::reads_in_place(ValueId value, SlotId slot, const std::vector<AxisId>& result_axes, bool own_op) const {
  std::set<ValueId> seen;
  return reads_in_place(value, slot, result_axes, own_op, seen);
}

bool Elements::reads_in_place(ValueId value, SlotId slot, const std::vector<AxisId>& result_axes, bool own_op,
                              std::set<ValueId>& seen) const {
  if (forms_.form(value) == ValueForm::Scalar || !seen.insert(value).second) return true;
  if (!own_op && !is_inline(value)) return this->slot(value) != slot || layout(value) == result_axes;
  const OpPayload& payload = definition(value);
  const bool rearranges = std::holds_alternative<ReindexOp>(payload);
  const auto* gather = std::get_if<GatherOp>(&payload);
  bool in_place = true;
  for_each_operand(program_, payload, [&](ValueId operand) {
    if (rearranges || (gather != nullptr && operand == gather->operand))
      in_place = in_place && !reads_slot(operand, slot);
    else
      in_place = in_place && reads_in_place(operand, slot, result_axes, false, seen);
  });
  return in_place;
}

bool Elements::reads_slot(ValueId value, SlotId slot) const { return slots_read(value).contains(slot); }

std::set<SlotId> Elements::slots_read(ValueId value) const {
  std::set<SlotId> slots;
  std::set<ValueId> seen;
  collect_slots(value, slots, seen);
  return slots;
}

void Elements::collect_slots(ValueId value, std::set<SlotId>& slots, std::set<ValueId>& seen) const {
  if (forms_.form(value) == ValueForm::Scalar || !seen.insert(value).second) return;
  if (!is_inline(value)) {
    slots.insert(slot(value));
    return;
  }
  for_each_operand(program_, definition(value), [&](ValueId operand) { collect_slots(operand, slots, seen); });
}

std::optional<StridedView> Elements::strided(ValueId value) {
  if (forms_.form(value) == ValueForm::Stored) {
    StridedView own = view(value);
    if (!own.offset.valid()) own.offset = b_.const_i64(0);
    return own;
  }
  if (!is_inline(value)) return std::nullopt;
  const OpPayload& payload = definition(value);
  if (const auto* broadcast = std::get_if<BroadcastOp>(&payload)) return strided(broadcast->operand);
  const auto* reindex = std::get_if<ReindexOp>(&payload);
  if (reindex == nullptr) return std::nullopt;
  const auto inner = strided(reindex->operand);
  if (!inner) return std::nullopt;
  StridedView view{inner->slot, {}, inner->offset};
  const std::vector<AxisId> operand_axes = axes(reindex->operand);
  const std::vector<IndexId> coords = program_.list(reindex->coords);
  for (std::size_t d = 0; d < operand_axes.size(); ++d) {
    const auto step = inner->strides.find(operand_axes[d]);
    if (step == inner->strides.end()) continue;
    const auto form = linear_form(program_.index(), coords[d]);
    if (!form) return std::nullopt;
    view.offset = b_.add(view.offset, scaled(b_, index_.emit_invariant(*form), step->second));
    for (const auto& [axis, factor] : form->factors) {
      const auto moved = checked_mul(factor, step->second);
      if (!moved) return std::nullopt;
      view.strides[axis] += *moved;
    }
  }
  return view;
}

}  // namespace tilewright::lower
