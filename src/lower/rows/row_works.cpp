// Sweeps as the works of visits, and what is kept in stripes between them.
#include <algorithm>

#include "analysis/domain.h"
#include "lower/rows/row_lowering.h"
#include "realize/row_reduction_maps.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::CompareKind;
using realize::RowSweep;
using realize::RowSweepKind;

// ---- Before the launch ---------------------------------------------------------------------------------------------

void RowLowering::number_partials() {
  std::int64_t next = 0;
  for (const RowSweep& sweep : workload_.sweeps) {
    if (sweep.kind != RowSweepKind::Fold) continue;
    first_slots_[{sweep.op, sweep.carry}] = next;
    next += sweep.rows;
  }
  TW_CHECK(next == workload_.partial_slots);
  if (shares_programs())
    partials_ = slots_.take(kernel::ScalarType::F32, next * mapping_.subgroups_per_program,
                            kernel::AllocationSpace::Shared, "partials");
}

/// An input is loaded by the first visit that reads it; where that runs more often than the load stands in the program,
/// at the first of its loads.
void RowLowering::place_cached_inputs() {
  for (std::uint32_t input = 0; input < workload_.reused_inputs.size(); ++input) {
    std::set<std::uint32_t> visits;
    for (const realize::RowRead& read : workload_.reads)
      if (read.reused_input == input) visits.insert(read.visit);
    const auto first = std::find_if(workload_.sweeps.begin(), workload_.sweeps.end(),
                                    [&](const RowSweep& sweep) { return visits.contains(sweep.visit); });
    TW_CHECK(first != workload_.sweeps.end());
    const realize::ReusedInput& reused = workload_.reused_inputs[input];
    if (first->executions == reused.executions)
      cached_in_[first->visit].push_back(input);
    else
      cached_at_[reused.loads.front()].push_back(input);
  }
}

// ---- Works ---------------------------------------------------------------------------------------------------------

const RowSweep* RowLowering::sweep_at(OpId op) const {
  const auto found = std::find_if(workload_.sweeps.begin(), workload_.sweeps.end(),
                                  [&](const RowSweep& sweep) { return sweep.op == op; });
  return found == workload_.sweeps.end() ? nullptr : &*found;
}

RowLowering::Work RowLowering::work_of(const RowSweep& sweep) {
  Work work;
  work.op = sweep.op;
  work.element_axis = sweep.element_axis;
  work.live = sweep.live_elements;
  const OpPayload& payload = program_.op(sweep.op).payload;
  std::vector<AxisId> axes;
  switch (sweep.kind) {
    case RowSweepKind::Fold: {
      const auto* reduce = std::get_if<ReduceOp>(&payload);
      work.kind = WorkKind::Fold;
      work.value = reduce != nullptr ? reduce->operand
                                     : program_.list(program_.block(region(sweep.op).body).yields)[sweep.carry];
      axes = elements_.axes(reduce != nullptr ? result_of(sweep.op) : work.value);
      work.fold = sweep.fold;
      work.carry = sweep.carry;
      work.identity = sweep.identity.value();
      work.first_slot = first_slots_.at({sweep.op, sweep.carry});
      work.repeats = sweep.executions > 1;
      break;
    }
    case RowSweepKind::Store:
      work.kind = WorkKind::Store;
      work.value = std::get<StoreOp>(payload).value;
      axes = analysis::own_axes(program_, sweep.op);
      break;
    case RowSweepKind::Retain:
      work.kind = WorkKind::Retain;
      work.value = result_of(sweep.op);
      axes = elements_.axes(work.value);
      break;
  }
  work.row_axes = forms_.row_axes(axes);
  work.rows = forms_.points(work.row_axes);
  TW_CHECK(work.rows == sweep.rows);
  return work;
}

RowLowering::Work RowLowering::cache_work(std::uint32_t input, ValueId value) {
  const realize::ReusedInput& reused = workload_.reused_inputs[input];
  Work work;
  work.kind = WorkKind::Cache;
  work.op = program_.value(value).def;
  work.value = value;
  work.element_axis = forms_.element_axis(value);
  work.row_axes = forms_.row_axes(elements_.axes(value));
  work.rows = forms_.points(work.row_axes);
  work.live = reused.live_elements;
  for (OpId load : reused.loads) work.held.push_back(result_of(load));
  return work;
}

RowLowering::Visit RowLowering::visit_of(const RowSweep& sweep) {
  Visit visit;
  visit.number = sweep.visit;
  visit.extent = sweep.span.extent;
  visit.works.push_back(work_of(sweep));
  return visit;
}

std::vector<RowLowering::Visit> RowLowering::visits_of(OpId joint) {
  const std::vector<CoordId> coords = program_.list(region(joint).coords);
  std::vector<Visit> visits;
  const auto add = [&](const RowSweep& sweep) {
    const auto known =
        std::find_if(visits.begin(), visits.end(), [&](const Visit& visit) { return visit.number == sweep.visit; });
    if (known != visits.end()) {
      known->works.push_back(work_of(sweep));
      return;
    }
    Visit visit = visit_of(sweep);
    visit.coords = coords;
    for (CoordId coord : coords)
      visit.extents.push_back(*program_.index().as_constant(program_.coords()[coord].extent));
    visits.push_back(std::move(visit));
  };
  for (const RowSweep& sweep : workload_.sweeps)
    if (subject_.walk.encloses(joint, sweep.op)) add(sweep);
  // What the region folds itself is its body's last word.
  for (const RowSweep& sweep : workload_.sweeps)
    if (sweep.op == joint) add(sweep);
  return visits;
}

void RowLowering::lower_sweep(const RowSweep& sweep) {
  if (sweep.over_rows) return store_rows(sweep);
  const Visit visit = visit_of(sweep);
  const Totals totals = run_visit(visit);
  if (sweep.kind == RowSweepKind::Fold) define_total(result_of(sweep.op), totals.begin()->second);
}

/// Row r is worker r's, modulo the workers.
void RowLowering::store_rows(const RowSweep& sweep) {
  const auto& store = std::get<StoreOp>(program_.op(sweep.op).payload);
  std::vector<AxisId> axes = analysis::own_axes(program_, sweep.op);
  std::vector<std::int64_t> extents;
  for (AxisId axis : axes) extents.push_back(bound_extent(program_, axis));
  const std::int64_t rows = sweep.span.extent, workers = mapping_.workers();
  const auto store_row = [&](kernel::ValueId row) {
    const std::vector<kernel::ValueId> at = unflattened(b_, row, extents);
    Point point;
    for (std::size_t d = 0; d < axes.size(); ++d) point.set(axes[d], at[d]);
    elements_.nest(std::vector<AxisId>{}, point, [&](const Point& here) { store_element(sweep.op, store, here); });
  };
  if (rows <= kMostRowsTogether) {
    for (std::int64_t row = 0; row < rows; ++row)
      b_.if_then(b_.compare(CompareKind::Eq, worker_, b_.const_i64(row)), [&] { store_row(b_.const_i64(row)); });
    return;
  }
  const kernel::ValueId chunks = b_.const_i64(realize::row_chunks(rows, workers, 1));
  b_.loop(b_.const_i64(0), chunks, 1, [&](kernel::ValueId chunk) {
    const kernel::ValueId row = b_.add(b_.mul(chunk, workers), worker_);
    b_.if_then(b_.compare(CompareKind::Lt, row, b_.const_i64(rows)), [&] { store_row(row); });
  });
}

// ---- Stripes -------------------------------------------------------------------------------------------------------

/// One stripe for equal elements.
void RowLowering::make_stripe(const std::vector<ValueId>& values, const Work& work) {
  const std::int64_t lanes = mapping_.lane_elements;
  const std::int64_t places = realize::row_chunks(work.live, mapping_.workers(), lanes) * lanes;
  Stripe stripe;
  stripe.slot = slots_.take(elements_.type(work.value), places * work.rows, kernel::AllocationSpace::Private,
                            program_.value(work.value).name);
  stripe.row_strides = elements_.dense_strides(work.row_axes);
  stripe.rows = work.rows;
  for (ValueId value : values) stripes_[value] = stripe;
}

void RowLowering::cache_at(OpId load) {
  const auto found = cached_at_.find(load);
  if (found == cached_at_.end()) return;
  for (std::uint32_t input : found->second) {
    Visit visit;
    visit.number = kNoVisit;
    visit.extent = workload_.reused_inputs[input].span.extent;
    visit.works.push_back(cache_work(input, result_of(load)));
    run_visit(visit);
  }
}

void RowLowering::hold_cached_inputs(const Visit& visit, bool held) {
  if (!mapping_.cache_inputs) return;
  for (const realize::RowRead& read : workload_.reads) {
    if (!read.reused_input || read.visit != visit.number) continue;
    const ValueId value = result_of(read.load);
    if (held)
      forms_.hold(value);
    else
      forms_.drop(value);
  }
}

}  // namespace tilewright::lower
