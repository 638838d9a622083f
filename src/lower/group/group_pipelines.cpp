// Pipelines with two iterations in flight, and copies that wait in registers (background 4.14).
//
//   window 2         produce 0; for i: produce i + 1, consume i; consume the last. What flows from producer to consumer
//                    has two versions, used in turn.
//   late prefetch    load 0; for i: store to shared storage, load i + 1 unless i is the last, consume.
#include <algorithm>
#include <set>

#include "lower/group/group_lowering.h"
#include "realize/pipeline_window.h"
#include "support/check.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;

const plan::PipelinePlan* GroupLowering::pipeline_of(OpId region) const {
  const auto found = std::find_if(launch_.pipelines.begin(), launch_.pipelines.end(),
                                  [&](const plan::PipelinePlan& pipeline) { return pipeline.region == region; });
  return found == launch_.pipelines.end() ? nullptr : &*found;
}

/// Folded values belong to the phase that evaluates them.
GroupLowering::Overlap GroupLowering::overlap_of(const RegionOp& region, std::uint32_t cut) const {
  Overlap overlap;
  const auto segments = realize::pipeline_segments(program_, region);
  TW_CHECK(cut > 0 && cut < segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    std::vector<OpId>& phase = i < cut ? overlap.producer : overlap.consumer;
    phase.insert(phase.end(), segments[i].begin(), segments[i].end());
  }
  std::set<ValueId> used;
  const std::function<void(ValueId)> use = [&](ValueId value) {
    if (!used.insert(value).second || storage_.form(value) != ValueForm::Fused) return;
    for_each_operand(program_, program_.op(program_.value(value).def).payload, use);
  };
  for (OpId op : overlap.consumer) for_each_operand(program_, program_.op(op).payload, use);
  for (ValueId yield : program_.list(program_.block(region.body).yields)) use(yield);
  for (OpId op : overlap.producer)
    for (ValueId result : program_.list(program_.op(op).results)) {
      if (!used.contains(result)) continue;
      if (storage_.form(result) == ValueForm::Stored) overlap.tiles.push_back(result);
      if (storage_.form(result) == ValueForm::Scalar) overlap.numbers.push_back(result);
    }
  return overlap;
}

kernel::ValueId GroupLowering::trips_of(const RegionOp& region) {
  kernel::ValueId trips = b_.const_i64(1);
  for (CoordId coord : program_.list(region.coords)) {
    const kernel::ValueId extent = b_.binary(BinaryKind::Max, index_.emit_extent(coord), b_.const_i64(0));
    trips = b_.mul(trips, extent);
  }
  return trips;
}

/// The coordinates of an iteration by its number, row-major.
void GroupLowering::set_iteration(const RegionOp& region, kernel::ValueId iteration) {
  const std::vector<CoordId> coords = program_.list(region.coords);
  for (std::size_t d = coords.size(); d-- > 0;) {
    if (d == 0) {
      index_.set_coord(coords[d], iteration);
      break;
    }
    const kernel::ValueId extent = index_.emit_extent(coords[d]);
    index_.set_coord(coords[d], b_.binary(BinaryKind::FloorMod, iteration, extent));
    iteration = b_.binary(BinaryKind::FloorDiv, iteration, extent);
  }
}

void GroupLowering::select_version(const Overlap& overlap, kernel::ValueId iteration) {
  const kernel::ValueId version = b_.binary(BinaryKind::And, iteration, b_.const_i64(1));
  for (ValueId tile : overlap.tiles) {
    StridedView view = elements_.view(tile);
    view.offset = b_.mul(version, storage_.version_elements(tile));
    elements_.set_view(tile, view);
  }
}

GroupLowering::State GroupLowering::lower_overlapped(const RegionOp& region, const plan::PipelinePlan& pipeline,
                                                     const std::vector<Carry>& carries, State state) {
  const Overlap overlap = overlap_of(region, pipeline.cut);
  const auto produce = [&](kernel::ValueId iteration) {
    set_iteration(region, iteration);
    select_version(overlap, iteration);
    lower_ops(overlap.producer);
    State numbers;
    for (ValueId number : overlap.numbers) numbers.push_back(elements_.scalar(number));
    return numbers;
  };
  const auto consume = [&](kernel::ValueId iteration, const State& now) {
    set_iteration(region, iteration);
    select_version(overlap, iteration);
    take_state(carries, now);
    lower_ops(overlap.consumer);
    update_tiles(carries);
    return next_state(carries, now);
  };
  const auto take_numbers = [&](State& all) {
    const std::size_t own = all.size() - overlap.numbers.size();
    for (std::size_t i = 0; i < overlap.numbers.size(); ++i) elements_.set_scalar(overlap.numbers[i], all[own + i]);
    all.resize(own);
  };
  const kernel::ValueId zero = b_.const_i64(0);
  const State first = produce(zero);
  state.insert(state.end(), first.begin(), first.end());
  const kernel::ValueId last = b_.add(trips_of(region), -1);
  state = b_.loop(zero, last, 1, std::move(state), [&](kernel::ValueId iteration, State now) {
    const State ahead = produce(b_.add(iteration, 1));
    take_numbers(now);
    State next = consume(iteration, now);
    next.insert(next.end(), ahead.begin(), ahead.end());
    return next;
  });
  take_numbers(state);
  state = consume(last, state);
  forget_versions(overlap);
  return state;
}

/// After the loop nobody asks for the tiles; their views must not hold values of a block that is closed.
void GroupLowering::forget_versions(const Overlap& overlap) {
  for (ValueId tile : overlap.tiles) {
    StridedView view = elements_.view(tile);
    view.offset = {};
    elements_.set_view(tile, view);
  }
}

// ---- Late prefetch -------------------------------------------------------------------------------------------------

std::vector<kernel::ValueId> GroupLowering::copies_in_flight(const std::vector<OpId>& copies) {
  std::vector<kernel::ValueId> values;
  for (OpId copy : copies) {
    const ValueId value = program_.list(program_.op(copy).results).front();
    const kernel::ValueId nothing = emit_literal(b_, elements_.type(value), 0);
    const auto loaded = domain_->gather(
        elements_.axes(value), [&](const Point& at) { return elements_.result_element(value, at); }, nothing);
    values.insert(values.end(), loaded.begin(), loaded.end());
  }
  return values;
}

void GroupLowering::land_copies(const std::vector<OpId>& copies, const std::vector<kernel::ValueId>& values) {
  auto next = values.begin();
  for (OpId copy : copies) {
    const ValueId value = program_.list(program_.op(copy).results).front();
    const std::vector<AxisId> axes = elements_.axes(value);
    const auto end = next + static_cast<std::ptrdiff_t>(domain_->chunks(axes));
    const StridedView view = elements_.view(value);
    domain_->scatter(axes, {next, end},
                     [&](const Point& at, kernel::ValueId element) { elements_.store_to(view, at, element); });
    next = end;
  }
  fence();
}

GroupLowering::State GroupLowering::lower_prefetched(const RegionOp& region, const plan::PipelinePlan& pipeline,
                                                     const std::vector<Carry>& carries, State state) {
  const Overlap overlap = overlap_of(region, pipeline.cut);
  const std::size_t own = state.size();
  const kernel::ValueId zero = b_.const_i64(0);
  const kernel::ValueId trips = trips_of(region);
  set_iteration(region, zero);
  const State first = copies_in_flight(overlap.producer);
  state.insert(state.end(), first.begin(), first.end());
  state = b_.loop(zero, trips, 1, std::move(state), [&](kernel::ValueId iteration, const State& now) {
    const auto middle = now.begin() + static_cast<std::ptrdiff_t>(own);
    const State waiting(middle, now.end());
    land_copies(overlap.producer, waiting);
    const kernel::ValueId next_iteration = b_.add(iteration, 1);
    b_.begin_if(b_.compare(kernel::CompareKind::Lt, next_iteration, trips));
    set_iteration(region, next_iteration);
    b_.begin_else(copies_in_flight(overlap.producer));
    const State ahead = b_.end_if(waiting);
    set_iteration(region, iteration);
    const State mine(now.begin(), middle);
    take_state(carries, mine);
    lower_ops(overlap.consumer);
    State next = next_state(carries, mine);
    next.insert(next.end(), ahead.begin(), ahead.end());
    return next;
  });
  state.resize(own);
  return state;
}

}  // namespace tilewright::lower
