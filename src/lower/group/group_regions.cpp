// Regions, what they carry, and conditions.
//
// A tile that a loop carries has one storage from its initial value to its result; the next values are put there at the
// end of each iteration, all of them before anything reads them. Numbers and accumulators in fragments are carried as
// values.
#include <algorithm>

#include "lower/fold_rules.h"
#include "lower/group/group_lowering.h"
#include "support/check.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

std::vector<GroupLowering::Carry> GroupLowering::make_carries(OpId id) {
  std::vector<Carry> carries;
  for (const RegionCarry& read : region_carries(program_, id)) {
    Carry& carry = carries.emplace_back(Carry{read, {}, {}});
    for (auto& [op, matrix] : matrices_)
      if (matrix.plan->distribution.persistent_accumulator && matrix.plan->region == id &&
          matrix.carry + 1 == carries.size())
        carry.resident = &matrix;
  }
  return carries;
}

// ---- Entry and exit ------------------------------------------------------------------------------------------------

void GroupLowering::enter_carry(Carry& carry) {
  if (carry.scalar) return;
  const ValueId home = carry.arg.valid() ? carry.arg : carry.result;
  const auto initial = [&](const Point& at) { return b_.cast(carry.type, elements_.element(carry.init, at)); };
  if (carry.type != elements_.type(carry.result)) {
    // The wider sums stay with the worker that has the element.
    const std::vector<AxisId> axes = elements_.axes(carry.result);
    const std::int64_t chunks = domain_->chunks(axes);
    carry.own = slots_.take(carry.type, chunks, kernel::AllocationSpace::Private, "sums");
    domain_->over_own(axes, [&](kernel::ValueId chunk, const Point& at) {
      b_.store(slots_.allocation(*carry.own), chunk, initial(at));
    });
    return;
  }
  const bool direct = carry.resident != nullptr && carry.resident->plan->distribution.direct_accumulator_store;
  if (!direct) fill(home, initial, false);
  if (carry.resident == nullptr) return;
  enter_fragments(*carry.resident, direct ? carry.init : home, direct);
  if (!direct) fence();
}

/// The accumulator in fragments, from a literal or from its storage. Nothing, when the one step overwrites it.
void GroupLowering::enter_fragments(Matrix& matrix, ValueId from, bool is_filled) {
  if (matrix.plan->overwrites) {
    matrix.resident = {kernel::ValueId{}};
    return;
  }
  const Rectangle rectangle = own_rectangle(matrix);
  matrix.resident = is_filled ? filled(matrix, rectangle, from) : loaded(matrix, rectangle, from);
}

void GroupLowering::leave_carry(Carry& carry) {
  if (carry.scalar) return;
  const ValueId home = carry.arg.valid() ? carry.arg : carry.result;
  if (carry.own) {
    const StridedView& view = elements_.view(home);
    domain_->over_own(elements_.axes(home), [&](kernel::ValueId chunk, const Point& at) {
      const kernel::ValueId sum = b_.load(slots_.allocation(*carry.own), chunk);
      elements_.store_to(view, at, b_.cast(elements_.type(home), sum));
    });
    slots_.release(*carry.own);
    return fence();
  }
  if (carry.resident != nullptr) {
    if (carry.resident->plan->distribution.direct_accumulator_store) return;
    const Matrix& matrix = *carry.resident;
    publish(shared_view(home, matrix.form.row, matrix.form.column), own_rectangle(matrix), matrix.resident);
    fence();
  }
  if (home != carry.result) elements_.set_view(carry.result, elements_.view(home));
}

// ---- Numbers and fragments -----------------------------------------------------------------------------------------

GroupLowering::State GroupLowering::entry_state(const std::vector<Carry>& carries) {
  State state;
  for (const Carry& carry : carries) {
    if (carry.scalar) state.push_back(b_.cast(carry.type, elements_.scalar(carry.init)));
    if (carry.resident != nullptr)
      state.insert(state.end(), carry.resident->resident.begin(), carry.resident->resident.end());
  }
  return state;
}

/// What the body sees.
void GroupLowering::take_state(const std::vector<Carry>& carries, const State& state) {
  auto next = state.begin();
  for (const Carry& carry : carries) {
    if (carry.scalar) {
      if (carry.arg.valid()) elements_.set_scalar(carry.arg, *next);
      ++next;
    }
    if (carry.resident != nullptr)
      for (kernel::ValueId& fragment : carry.resident->resident) fragment = *next++;
  }
}

/// What the body leaves. `state` is what it was given.
GroupLowering::State GroupLowering::next_state(const std::vector<Carry>& carries, const State& state) {
  State next;
  for (const Carry& carry : carries) {
    if (carry.scalar) {
      const kernel::ValueId yielded = b_.cast(carry.type, elements_.scalar(carry.yield));
      next.push_back(carry.arg.valid() ? yielded : folded(b_, carry.fold, state[next.size()], yielded));
    }
    if (carry.resident != nullptr)
      next.insert(next.end(), carry.resident->resident.begin(), carry.resident->resident.end());
  }
  return next;
}

void GroupLowering::set_results(const std::vector<Carry>& carries, const State& state) {
  take_state(carries, state);
  auto next = state.begin();
  for (const Carry& carry : carries) {
    if (carry.scalar) elements_.set_scalar(carry.result, b_.cast(elements_.type(carry.result), *next++));
    if (carry.resident != nullptr) next += static_cast<std::ptrdiff_t>(carry.resident->resident.size());
  }
}

// ---- Tiles ---------------------------------------------------------------------------------------------------------

void GroupLowering::update_tiles(const std::vector<Carry>& carries) {
  std::vector<const Carry*> changed;
  for (const Carry& carry : carries) {
    if (carry.scalar || carry.resident != nullptr || carry.yield == carry.arg) continue;
    if (!carry.arg.valid())
      fold_contribution(carry);
    else
      changed.push_back(&carry);
  }
  while (!changed.empty()) {
    // Carries of one domain change together: an element is read and written by the same worker.
    const std::vector<AxisId> axes = elements_.axes(changed.front()->arg);
    const auto apart = std::partition(changed.begin(), changed.end(),
                                      [&](const Carry* carry) { return elements_.axes(carry->arg) == axes; });
    move_together(std::vector<const Carry*>(changed.begin(), apart), axes);
    changed.erase(changed.begin(), apart);
  }
}

void GroupLowering::move_together(const std::vector<const Carry*>& carries, const std::vector<AxisId>& axes) {
  if (carries.size() == 1) {
    const ValueId yield = carries.front()->yield;
    return fill(carries.front()->arg, [&](const Point& at) { return elements_.element(yield, at); }, true);
  }
  domain_->over(axes, [&](const Point& at) {
    std::vector<kernel::ValueId> values;
    for (const Carry* carry : carries) values.push_back(elements_.element(carry->yield, at));
    for (std::size_t j = 0; j < carries.size(); ++j) elements_.store_to(elements_.view(carries[j]->arg), at, values[j]);
  });
  fence();
}

void GroupLowering::fold_contribution(const Carry& carry) {
  const std::vector<AxisId> axes = elements_.axes(carry.result);
  if (carry.own) {
    domain_->over_own(axes, [&](kernel::ValueId chunk, const Point& at) {
      const kernel::ValueId so_far = b_.load(slots_.allocation(*carry.own), chunk);
      const kernel::ValueId next = b_.cast(carry.type, elements_.element(carry.yield, at));
      b_.store(slots_.allocation(*carry.own), chunk, folded(b_, carry.fold, so_far, next));
    });
  } else {
    const StridedView& view = elements_.view(carry.result);
    domain_->over(axes, [&](const Point& at) {
      const kernel::ValueId so_far = elements_.load_from(view, at);
      elements_.store_to(view, at, folded(b_, carry.fold, so_far, elements_.element(carry.yield, at)));
    });
  }
  fence();
}

// ---- Loops ---------------------------------------------------------------------------------------------------------

GroupLowering::State GroupLowering::loop_over(const RegionOp& region, State state,
                                              const std::function<State(const State&)>& body) {
  const bool descending = region.kind == RegionKind::Reduce && region.order == FoldOrder::FoldRight;
  const std::vector<CoordId> coords = program_.list(region.coords);
  std::vector<kernel::ValueId> extents;
  for (CoordId coord : coords) extents.push_back(index_.emit_extent(coord));
  const kernel::ValueId zero = b_.const_i64(0);
  if (std::all_of(extents.begin(), extents.end(), [&](kernel::ValueId extent) { return b_.constant(extent) == 1; })) {
    for (CoordId coord : coords) index_.set_coord(coord, zero);
    return body(state);
  }
  for (std::size_t d = 0; d < coords.size(); ++d) {
    const auto opened = b_.begin_loop(zero, extents[d], 1, std::move(state));
    kernel::ValueId at = opened.index;
    if (descending) {
      const kernel::ValueId last = b_.sub(extents[d], b_.const_i64(1));
      at = b_.sub(last, at);
    }
    index_.set_coord(coords[d], at);
    state = opened.carries;
  }
  state = body(state);
  for (std::size_t d = 0; d < coords.size(); ++d) state = b_.end_loop(std::move(state));
  return state;
}

void GroupLowering::lower_region(OpId id, const RegionOp& region) {
  std::vector<Carry> carries = make_carries(id);
  for (Carry& carry : carries) enter_carry(carry);
  State state = entry_state(carries);
  const plan::PipelinePlan* pipeline = pipeline_of(id);
  if (pipeline != nullptr && pipeline->window == 2)
    state = lower_overlapped(region, *pipeline, carries, std::move(state));
  else if (pipeline != nullptr && pipeline->prefetch_scalars_per_lane > 0)
    state = lower_prefetched(region, *pipeline, carries, std::move(state));
  else
    state = loop_over(region, std::move(state), [&](const State& now) {
      take_state(carries, now);
      lower_block(region.body);
      update_tiles(carries);
      return next_state(carries, now);
    });
  set_results(carries, state);
  for (Carry& carry : carries) leave_carry(carry);
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

void GroupLowering::lower_if(OpId id, const IfOp& op) {
  const std::vector<ValueId> results = program_.list(program_.op(id).results);
  b_.begin_if(elements_.scalar(op.condition));
  const std::vector<kernel::ValueId> then_numbers = lower_branch(op.then_block, results);
  if (results.empty() && program_.block(op.else_block).ops.empty()) {
    b_.end_if();
    return;
  }
  b_.begin_else(then_numbers);
  const std::vector<kernel::ValueId> numbers = b_.end_if(lower_branch(op.else_block, results));
  std::size_t next = 0;
  for (ValueId result : results)
    if (storage_.form(result) == ValueForm::Scalar) elements_.set_scalar(result, numbers[next++]);
}

/// Leaves the branch's tiles in the storage of the results, and gives its numbers.
std::vector<kernel::ValueId> GroupLowering::lower_branch(BlockId block, const std::vector<ValueId>& results) {
  lower_block(block);
  const std::vector<ValueId> yields = program_.list(program_.block(block).yields);
  std::vector<kernel::ValueId> numbers;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (storage_.form(results[j]) == ValueForm::Scalar)
      numbers.push_back(elements_.scalar(yields[j]));
    else
      fill(results[j], [&](const Point& at) { return elements_.element(yields[j], at); }, true);
  }
  return numbers;
}

}  // namespace tilewright::lower
