// Regions as loops, what they carry, and conditions. A tile that a loop carries has one storage, into which the next
// value is copied at the end of each iteration.
#include <algorithm>
#include <set>

#include "lower/direct/direct_lowering.h"
#include "lower/fold_rules.h"

namespace tilewright::lower {

using namespace tile;

void DirectLowering::lower_region(OpId id, const RegionOp& region) {
  std::vector<Carry> carries;
  for (const RegionCarry& carry : region_carries(program_, id)) carries.push_back({carry, {}});
  Numbers numbers = enter(carries);
  const std::vector<CoordId> coords = program_.list(region.coords);
  std::vector<kernel::ValueId> extents;
  for (CoordId coord : coords) extents.push_back(index_.emit_extent(coord));
  const bool descending = region.kind == RegionKind::Reduce && region.order == FoldOrder::FoldRight;
  const kernel::ValueId zero = b_.const_i64(0), one = b_.const_i64(1);
  for (std::size_t d = 0; d < coords.size(); ++d) {
    const auto opened = b_.begin_loop(zero, extents[d], 1, std::move(numbers));
    kernel::ValueId at = opened.index;
    if (descending) {
      const kernel::ValueId last = b_.sub(extents[d], one);
      at = b_.sub(last, at);
    }
    index_.set_coord(coords[d], at);
    numbers = opened.carries;
  }
  numbers = lower_body(region, carries, numbers);
  for (std::size_t d = 0; d < coords.size(); ++d) numbers = b_.end_loop(std::move(numbers));
  leave(carries, numbers);
}

/// The incoming tiles in the storage of the carries; the incoming numbers.
DirectLowering::Numbers DirectLowering::enter(std::vector<Carry>& carries) {
  Numbers numbers;
  for (Carry& carry : carries) {
    if (carry.scalar) {
      numbers.push_back(b_.cast(carry.type, elements_.scalar(carry.init)));
      continue;
    }
    carry.view = take(carry.arg.valid() ? carry.arg : carry.result, carry.type);
    evaluate(carry.view, carry.init);
    if (!carry.arg.valid()) continue;
    // One hold is for the loop, until the result is defined; one for the argument.
    slots_.hold(carry.view.slot);
    define(carry.arg, carry.view);
  }
  return numbers;
}

DirectLowering::Numbers DirectLowering::lower_body(const RegionOp& region, std::vector<Carry>& carries,
                                                   const Numbers& numbers) {
  auto incoming = numbers.begin();
  for (const Carry& carry : carries) {
    if (!carry.scalar) continue;
    if (carry.arg.valid()) elements_.set_scalar(carry.arg, *incoming);
    ++incoming;
  }
  lower_block(region.body);
  std::vector<Move> moves;
  Numbers next;
  for (const Carry& carry : carries) {
    if (carry.scalar) {
      const kernel::ValueId yielded = b_.cast(carry.type, elements_.scalar(carry.yield));
      next.push_back(carry.arg.valid() ? yielded : folded(b_, carry.fold, numbers[next.size()], yielded));
    } else if (carry.arg.valid()) {
      moves.push_back({carry.yield, carry.view});
    } else {
      each_element(elements_.axes(carry.yield), [&](const Point& at) {
        const kernel::ValueId so_far = elements_.load_from(carry.view, at);
        const kernel::ValueId more = b_.cast(carry.type, elements_.element(carry.yield, at));
        elements_.store_to(carry.view, at, folded(b_, carry.fold, so_far, more));
      });
    }
  }
  move_all(moves);
  end_values({region.body, program_.block(region.body).ops.size()});
  return next;
}

void DirectLowering::leave(std::vector<Carry>& carries, const Numbers& numbers) {
  auto number = numbers.begin();
  for (const Carry& carry : carries) {
    const kernel::ScalarType type = elements_.type(carry.result);
    if (carry.scalar) {
      elements_.set_scalar(carry.result, b_.cast(type, *number++));
    } else if (carry.type == type) {
      define(carry.result, carry.view);
    } else {
      const StridedView rounded = take(carry.result, type);
      each_element(elements_.axes(carry.result), [&](const Point& at) {
        elements_.store_to(rounded, at, b_.cast(type, elements_.load_from(carry.view, at)));
      });
      slots_.release(carry.view.slot);
      define(carry.result, rounded);
    }
  }
}

void DirectLowering::move_all(const std::vector<Move>& moves) {
  struct Copied {
    Axes axes;
    StridedView from, to;
  };
  std::vector<const Move*> direct;
  std::vector<Copied> copied;
  std::set<SlotId> overwritten;
  for (const Move& move : moves) {
    const bool is_there = values_.form(move.value) == ValueForm::Stored && elements_.slot(move.value) == move.to.slot;
    if (is_there) continue;
    direct.push_back(&move);
    overwritten.insert(move.to.slot);
  }
  std::erase_if(direct, [&](const Move* move) {
    const std::set<SlotId> read = elements_.slots_read(move->value);
    if (std::ranges::none_of(read, [&](SlotId slot) { return overwritten.contains(slot); })) return false;
    const Axes axes = elements_.axes(move->value);
    const StridedView aside = take(axes, slots_.scalar(move->to.slot), "next");
    evaluate(aside, move->value);
    copied.push_back({axes, aside, move->to});
    return true;
  });
  for (const Move* move : direct) evaluate(move->to, move->value);
  for (const Copied& copy : copied) {
    each_element(copy.axes,
                 [&](const Point& at) { elements_.store_to(copy.to, at, elements_.load_from(copy.from, at)); });
    slots_.release(copy.from.slot);
  }
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

void DirectLowering::lower_if(OpId id, const IfOp& op) {
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  std::vector<StridedView> into;
  for (ValueId result : results)
    into.push_back(elements_.axes(result).empty() ? StridedView{} : take(result, elements_.type(result)));
  b_.begin_if(elements_.scalar(op.condition));
  const Numbers then_numbers = lower_branch(op.then_block, into);
  Numbers numbers;
  if (results.empty() && program_.block(op.else_block).ops.empty()) {
    b_.end_if();
  } else {
    b_.begin_else(then_numbers);
    numbers = b_.end_if(lower_branch(op.else_block, into));
  }
  auto number = numbers.begin();
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (into[j].slot.valid())
      define(results[j], into[j]);
    else
      elements_.set_scalar(results[j], *number++);
  }
}

/// Leaves the branch's tiles in the storage of the results, and gives its numbers.
DirectLowering::Numbers DirectLowering::lower_branch(BlockId block, const std::vector<StridedView>& into) {
  lower_block(block);
  const std::vector<ValueId> yields = program_.list(program_.block(block).yields);
  std::vector<Move> moves;
  Numbers numbers;
  for (std::size_t j = 0; j < yields.size(); ++j) {
    if (into[j].slot.valid())
      moves.push_back({yields[j], into[j]});
    else
      numbers.push_back(elements_.scalar(yields[j]));
  }
  move_all(moves);
  end_values({block, program_.block(block).ops.size()});
  return numbers;
}

}  // namespace tilewright::lower
