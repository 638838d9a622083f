// Loops: stepped ones, which all workers run as they are, and joint ones, whose iterations are elements.
#include <algorithm>

#include "lower/fold_rules.h"
#include "lower/rows/row_lowering.h"

namespace tilewright::lower {

using namespace tile;

// ---- Stepped loops -------------------------------------------------------------------------------------------------

void RowLowering::lower_stepped(OpId op) {
  const RegionOp& loop = region(op);
  std::vector<Carry> carries = enter_carries(op);
  const auto numbers = [&] {
    std::vector<kernel::ValueId> all;
    for (const Carry& carry : carries)
      if (carry.is_number()) all.push_back(carry.number);
    return all;
  };
  const auto set_numbers = [&](const std::vector<kernel::ValueId>& all) {
    std::size_t next = 0;
    for (Carry& carry : carries)
      if (carry.is_number()) carry.number = all[next++];
  };
  const std::vector<CoordId> coords = program_.list(loop.coords);
  for (CoordId coord : coords) {
    const kernel::ValueId extent = index_.emit_extent(coord);
    const auto opened = b_.begin_loop(b_.const_i64(0), extent, 1, numbers());
    index_.set_coord(coord, opened.index);
    set_numbers(opened.carries);
  }
  for (const Carry& carry : carries) {
    if (!carry.arg.valid()) continue;
    if (carry.is_number())
      elements_.set_scalar(carry.arg, carry.number);
    else
      elements_.set_slot(carry.arg, carry.slot);
  }
  lower_block(loop.body);
  end_iteration(carries);
  for (std::size_t d = 0; d < coords.size(); ++d) set_numbers(b_.end_loop(numbers()));
  leave_carries(carries);
}

std::vector<RowLowering::Carry> RowLowering::enter_carries(OpId op) {
  const RegionOp& loop = region(op);
  const std::vector<ValueId> inits = program_.list(loop.inits), results = program_.list(program_.op(op).results);
  const std::vector<ValueId> args = program_.list(program_.block(loop.body).args);
  const std::vector<ValueId> yields = program_.list(program_.block(loop.body).yields);
  std::vector<Carry> carries;
  for (std::size_t j = 0; j < inits.size(); ++j) {
    Carry carry{inits[j], {}, yields[j], results[j], elements_.type(inits[j]), {}, {}, {}};
    if (loop.kind == RegionKind::Reduce) {
      carry.fold = loop.fold(j);
      carry.type = fold_type(carry.fold, carry.type);
    } else {
      carry.arg = args[j];
    }
    const std::vector<AxisId> axes = elements_.axes(results[j]);
    const auto start = [&](const Point& at) { return b_.cast(carry.type, elements_.element(carry.init, at)); };
    if (forms_.points(axes) == 1) {
      carry.number = start({});
    } else {
      carry.slot = row_slot(carry.type, axes, program_.value(results[j]).name);
      const auto strides = elements_.dense_strides(axes);
      elements_.nest(axes, {}, [&](const Point& at) { elements_.store_to(carry.slot, strides, at, start(at)); });
    }
    carries.push_back(carry);
  }
  return carries;
}

/// All carries are assigned at once: what is yielded is computed before any of them changes.
void RowLowering::end_iteration(std::vector<Carry>& carries) {
  struct Move {
    SlotId from, to;
    std::vector<AxisId> axes;
  };
  std::vector<Move> moves;
  std::vector<std::pair<Carry*, kernel::ValueId>> numbers;
  for (Carry& carry : carries) {
    if (carry.yield == carry.arg) continue;
    const auto next = [&](const Point& at, kernel::ValueId so_far) {
      const kernel::ValueId yielded = b_.cast(carry.type, elements_.element(carry.yield, at));
      return carry.arg.valid() ? yielded : folded(b_, carry.fold, so_far, yielded);
    };
    if (carry.is_number()) {
      numbers.emplace_back(&carry, next({}, carry.number));
      continue;
    }
    const std::vector<AxisId> axes = elements_.axes(carry.result);
    const auto strides = elements_.dense_strides(axes);
    const SlotId made = row_slot(carry.type, axes, "next");
    elements_.nest(axes, {}, [&](const Point& at) {
      const kernel::ValueId so_far =
          carry.arg.valid() ? kernel::ValueId{} : elements_.load_from(carry.slot, strides, at);
      elements_.store_to(made, strides, at, next(at, so_far));
    });
    moves.push_back({made, carry.slot, axes});
  }
  for (const auto& [carry, number] : numbers) carry->number = number;
  for (const Move& move : moves) {
    const auto strides = elements_.dense_strides(move.axes);
    elements_.nest(move.axes, {}, [&](const Point& at) {
      elements_.store_to(move.to, strides, at, elements_.load_from(move.from, strides, at));
    });
    slots_.release(move.from);
  }
}

void RowLowering::leave_carries(const std::vector<Carry>& carries) {
  for (const Carry& carry : carries) {
    const kernel::ScalarType type = elements_.type(carry.result);
    if (carry.is_number()) {
      elements_.set_scalar(carry.result, b_.cast(type, carry.number));
    } else if (type == carry.type) {
      elements_.set_slot(carry.result, carry.slot);
    } else {
      const auto strides = elements_.dense_strides(elements_.axes(carry.result));
      define_rows(carry.result,
                  [&](const Point& at) { return b_.cast(type, elements_.load_from(carry.slot, strides, at)); });
    }
  }
}

// ---- Joint loops ---------------------------------------------------------------------------------------------------

void RowLowering::lower_joint(OpId op) {
  bind_unchanged(op);
  Totals totals;
  for (const Visit& visit : visits_of(op)) totals.merge(run_visit(visit));
  finish_joint(op, totals);
}

/// A carry that stays as it is: its elements may be read in the body.
void RowLowering::bind_unchanged(OpId op) {
  const RegionOp& loop = region(op);
  if (loop.kind == RegionKind::Reduce) return;
  const std::vector<ValueId> inits = program_.list(loop.inits);
  const std::vector<ValueId> args = program_.list(program_.block(loop.body).args);
  const std::vector<ValueId> yields = program_.list(program_.block(loop.body).yields);
  for (std::size_t j = 0; j < args.size(); ++j)
    if (yields[j] == args[j]) define_rows(args[j], [&](const Point& at) { return elements_.element(inits[j], at); });
}

void RowLowering::finish_joint(OpId op, const Totals& totals) {
  const std::vector<ValueId> results = program_.list(program_.op(op).results);
  const std::vector<ValueId> inits = program_.list(region(op).inits);
  for (std::uint32_t carry = 0; carry < results.size(); ++carry) {
    const Total* total = total_of_carry(op, carry, totals);
    define_rows(results[carry], [&](const Point& at) {
      const kernel::ValueId init = elements_.element(inits[carry], at);
      return total == nullptr ? init : folded(b_, total->fold, init, total_at(*total, at));
    });
  }
}

/// The fold that the carry takes in: of the region itself, of its contribution, or of its update.
const RowLowering::Total* RowLowering::total_of_carry(OpId op, std::uint32_t carry, const Totals& totals) const {
  if (const auto direct = totals.find({op, carry}); direct != totals.end()) return &direct->second;
  const ValueId yield = program_.list(program_.block(region(op).body).yields)[carry];
  const OpId update = program_.value(yield).def;
  if (!update.valid()) return nullptr;
  const auto of = [&](OpId fold) {
    const auto found = totals.find({fold, 0});
    return found == totals.end() ? nullptr : &found->second;
  };
  if (region(op).kind == RegionKind::Reduce) return of(update);
  const auto* binary = std::get_if<BinaryOp>(&program_.op(update).payload);
  if (binary == nullptr) return nullptr;
  for (ValueId side : {binary->lhs, binary->rhs})
    if (const OpId def = program_.value(side).def; def.valid())
      if (const Total* total = of(def)) return total;
  return nullptr;
}

}  // namespace tilewright::lower
