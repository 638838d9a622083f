// Regions, their carries, and conditions.
#include <algorithm>

#include "lower/fold_rules.h"
#include "lower/task_lowering.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

// ---- Loops ---------------------------------------------------------------------------------------------------------

TaskLowering::OpenLoops TaskLowering::open_loops(const RegionOp& region, std::vector<kernel::ValueId> inits) {
  const std::vector<CoordId> coords = program_.list(region.coords);
  const bool descending = region.kind == RegionKind::Reduce && region.order == FoldOrder::FoldRight;
  std::vector<kernel::ValueId> extents;
  for (CoordId coord : coords) extents.push_back(index_.emit_extent(coord));
  OpenLoops loops{0, std::move(inits)};
  for (std::size_t d = 0; d < coords.size(); ++d) {
    const auto opened = b_.begin_loop(b_.const_i64(0), extents[d], 1, loops.carries);
    kernel::ValueId at = opened.index;
    if (descending) at = b_.sub(b_.sub(extents[d], b_.const_i64(1)), at);
    index_.set_coord(coords[d], at);
    if (!descending) loops_.emplace_back(coords[d], at);
    loops.carries = opened.carries;
    ++loops.count;
  }
  return loops;
}

std::vector<kernel::ValueId> TaskLowering::close_loops(const OpenLoops& loops, std::vector<kernel::ValueId> yields) {
  for (std::size_t n = 0; n < loops.count; ++n) yields = b_.end_loop(std::move(yields));
  return yields;
}

void TaskLowering::lower_region(OpId id, const RegionOp& region) {
  const Place place = plan_.place_of(id);
  std::vector<Carry> carries;
  for (const RegionCarry& carry : region_carries(program_, id)) carries.push_back({carry, {}});
  std::vector<kernel::ValueId> inits;
  for (Carry& carry : carries) {
    if (carry.scalar)
      inits.push_back(b_.cast(carry.type, elements_.scalar(carry.init)));
    else
      enter_carry(carry, place);
  }
  const std::size_t around = loops_.size();
  const OpenLoops loops = open_loops(region, std::move(inits));
  const auto scalars = close_loops(loops, lower_body(region, carries, loops.carries));
  loops_.resize(around);
  std::size_t next = 0;
  for (const Carry& carry : carries) leave_carry(carry, carry.scalar ? scalars[next++] : kernel::ValueId{}, place);
}

/// The carry's slot, with the incoming value in it: the slot where that lies already, when only this loop needs it.
void TaskLowering::enter_carry(Carry& carry, Place place) {
  if (carry.type != elements_.type(carry.init)) {
    carry.slot = scratch(carry.type, plan_.volume(elements_.axes(carry.init)), "sums");
    return evaluate_into(carry.slot, carry.init);
  }
  const bool stored = plan_.form(carry.init) == ValueForm::Stored;
  const ValuePlan::ReadCount reads = plan_.reads_at(carry.init, place);
  const auto alone = [&](SlotId slot) { return slots_.values(slot) == std::vector<ValueId>{carry.init}; };
  if (stored && reads.all == 1 && reads.direct == 1 && alone(elements_.slot(carry.init)) &&
      elements_.lies_as_declared(carry.init) && can_take(elements_.slot(carry.init), carry.result, place)) {
    carry.slot = elements_.slot(carry.init);
    slots_.hold(carry.slot);
    // Nobody reads the incoming value as such any more: it must not keep the iterations from writing.
    slots_.drop_value(carry.slot, carry.init);
    dropped_.insert(carry.init);
  } else {
    carry.slot = destination(carry.result, place, [&](SlotId slot) { return slots_.values(slot).empty(); });
    evaluate_into(carry.slot, carry.init);
  }
  if (!carry.arg.valid()) return;
  // One hold is for the loop, until the result is defined; one for the argument.
  slots_.hold(carry.slot);
  define(carry.arg, carry.slot);
}

std::vector<kernel::ValueId> TaskLowering::lower_body(const RegionOp& region, std::vector<Carry>& carries,
                                                      const std::vector<kernel::ValueId>& scalars) {
  std::size_t next = 0;
  for (const Carry& carry : carries) {
    if (!carry.arg.valid()) continue;
    if (carry.scalar)
      elements_.set_scalar(carry.arg, scalars[next++]);
    else
      want(carry.yield, carry.slot);
  }
  lower_ops(region.body);
  std::vector<Move> moves;
  std::vector<kernel::ValueId> yields;
  next = 0;
  for (const Carry& carry : carries) {
    if (carry.scalar) {
      const kernel::ValueId yielded = elements_.scalar(carry.yield);
      const bool fold = !carry.arg.valid();
      yields.push_back(fold ? folded(b_, carry.fold, scalars[next], b_.cast(carry.type, yielded)) : yielded);
      ++next;
    } else if (carry.arg.valid()) {
      moves.push_back({carry.yield, carry.slot});
    } else {
      fold_contribution(carry);
    }
  }
  move_all(moves);
  end_values({region.body, program_.block(region.body).ops.size()});
  return yields;
}

void TaskLowering::fold_contribution(const Carry& carry) {
  const std::vector<AxisId> axes = elements_.axes(carry.yield);
  const auto strides = elements_.dense_strides(axes);
  elements_.versioned(carry.yield, false, {}, [&] {
    dense_nest(axes, carry.yield, false, [&](const Point& at) {
      const kernel::ValueId so_far = elements_.load_from(carry.slot, strides, at);
      const kernel::ValueId next = elements_.spread(b_.cast(carry.type, elements_.element(carry.yield, at)));
      elements_.store_to(carry.slot, strides, at, folded(b_, carry.fold, so_far, next));
    });
  });
}

void TaskLowering::leave_carry(const Carry& carry, kernel::ValueId scalar, Place place) {
  if (carry.scalar) {
    elements_.set_scalar(carry.result, b_.cast(elements_.type(carry.result), scalar));
    return;
  }
  if (carry.type == elements_.type(carry.result)) {
    define(carry.result, carry.slot);
    return;
  }
  const SlotId slot = destination(carry.result, place, [](SlotId) { return true; });
  copy(carry.slot, slot, elements_.axes(carry.result));
  slots_.release(carry.slot);
  define(carry.result, slot);
}

void TaskLowering::move_all(const std::vector<Move>& moves) {
  struct Pending {
    Move move;
    SlotId temporary;
  };
  std::vector<Pending> pending;
  for (const Move& move : moves) {
    const bool there = plan_.form(move.value) == ValueForm::Stored && elements_.slot(move.value) == move.slot;
    if (!there) pending.push_back({move, {}});
  }
  // What reads a slot that is about to be overwritten goes through a temporary.
  for (Pending& entry : pending) {
    const std::set<SlotId> read = elements_.slots_read(entry.move.value);
    const bool clash = std::any_of(pending.begin(), pending.end(),
                                   [&](const Pending& other) { return read.contains(other.move.slot); });
    if (!clash) continue;
    const std::vector<AxisId> axes = elements_.axes(entry.move.value);
    entry.temporary = scratch(slots_.scalar(entry.move.slot), plan_.volume(axes), "swap");
    evaluate_into(entry.temporary, entry.move.value);
  }
  for (const Pending& entry : pending)
    if (!entry.temporary.valid()) evaluate_into(entry.move.slot, entry.move.value);
  for (const Pending& entry : pending) {
    if (!entry.temporary.valid()) continue;
    copy(entry.temporary, entry.move.slot, elements_.axes(entry.move.value));
    slots_.release(entry.temporary);
  }
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

void TaskLowering::lower_if(OpId id, const IfOp& op) {
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  const std::vector<SlotId> slots = if_slots(id, op);
  b_.begin_if(elements_.scalar(op.condition));
  const std::vector<kernel::ValueId> then_scalars = lower_branch(op.then_block, slots);
  const bool has_else = !results.empty() || !program_.block(op.else_block).ops.empty();
  std::vector<kernel::ValueId> scalars;
  if (has_else) {
    b_.begin_else(then_scalars);
    scalars = b_.end_if(lower_branch(op.else_block, slots));
  } else {
    b_.end_if();
  }
  std::size_t next = 0;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (slots[j].valid())
      define(results[j], slots[j]);
    else
      elements_.set_scalar(results[j], scalars[next++]);
  }
}

/// Where the results will lie: in the slot of the incoming value when nobody needs that afterwards, so that a branch
/// that does not assign does nothing.
std::vector<SlotId> TaskLowering::if_slots(OpId id, const IfOp& op) {
  const Place place = plan_.place_of(id);
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  const std::vector<ValueId> inits = program_.list(op.inits);
  std::vector<SlotId> slots;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (elements_.axes(results[j]).empty()) {
      slots.push_back({});
      continue;
    }
    const auto untaken = [&](SlotId slot) { return std::find(slots.begin(), slots.end(), slot) == slots.end(); };
    if (plan_.form(inits[j]) == ValueForm::Stored && elements_.lies_as_declared(inits[j])) {
      const SlotId own = elements_.slot(inits[j]);
      if (can_take(own, results[j], place) && untaken(own)) {
        slots_.hold(own);
        slots.push_back(own);
        continue;
      }
    }
    slots.push_back(destination(results[j], place, untaken));
  }
  return slots;
}

/// Lowers a branch, leaves its tiles in the slots and gives its scalars.
std::vector<kernel::ValueId> TaskLowering::lower_branch(BlockId block, const std::vector<SlotId>& slots) {
  const std::vector<ValueId> yields = program_.list(program_.block(block).yields);
  for (std::size_t j = 0; j < yields.size(); ++j)
    if (slots[j].valid() && plan_.home(yields[j]).block == block) want(yields[j], slots[j]);
  lower_ops(block);
  std::vector<Move> moves;
  std::vector<kernel::ValueId> scalars;
  for (std::size_t j = 0; j < yields.size(); ++j) {
    if (slots[j].valid())
      moves.push_back({yields[j], slots[j]});
    else
      scalars.push_back(elements_.scalar(yields[j]));
  }
  move_all(moves);
  end_values({block, program_.block(block).ops.size()});
  return scalars;
}

}  // namespace tilewright::lower
