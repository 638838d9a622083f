// Collectives: what each worker has of a row becomes the row's total, which all workers of the program hold.
#include <cmath>

#include "lower/fold_rules.h"
#include "lower/rows/row_lowering.h"

namespace tilewright::lower {

using namespace tile;
using kernel::CompareKind;

namespace {

kernel::LaneFold lane_fold(FoldKind kind) {
  switch (kind) {
    case FoldKind::Add:
      return kernel::LaneFold::Add;
    case FoldKind::Max:
      return kernel::LaneFold::Max;
    case FoldKind::Min:
      return kernel::LaneFold::Min;
  }
  return {};
}

}  // namespace

// ---- Totals --------------------------------------------------------------------------------------------------------

RowLowering::Total RowLowering::make_total(const Work& work) {
  Total total;
  total.fold = work.fold;
  total.axes = work.row_axes;
  if (work.rows > 1) total.slot = row_slot(kernel::ScalarType::F32, work.row_axes, "total");
  return total;
}

void RowLowering::set_total(Total& total, const Point& at, kernel::ValueId number) {
  if (total.slot.valid())
    elements_.store_to(total.slot, elements_.dense_strides(total.axes), at, number);
  else
    total.scalar = number;
}

kernel::ValueId RowLowering::total_at(const Total& total, const Point& at) {
  if (!total.slot.valid()) return total.scalar;
  return elements_.load_from(total.slot, elements_.dense_strides(total.axes), at);
}

void RowLowering::define_total(ValueId value, const Total& total) {
  if (total.slot.valid())
    elements_.set_slot(value, total.slot);
  else
    elements_.set_scalar(value, total.scalar);
}

// ---- Subgroups -----------------------------------------------------------------------------------------------------

kernel::ValueId RowLowering::subgroup_total(const Work& work, kernel::ValueId number) {
  return b_.subgroup_reduce(lane_fold(work.fold), number);
}

/// Slot of a row, times the subgroups.
kernel::ValueId RowLowering::slot_of(const Work& work, const Point& at) {
  kernel::ValueId slot = b_.const_i64(work.first_slot);
  const auto strides = elements_.dense_strides(work.row_axes);
  for (const auto& [axis, counter] : at.entries())
    if (const auto found = strides.find(axis); found != strides.end())
      slot = b_.add(slot, scaled(b_, counter, found->second));
  return b_.mul(slot, mapping_.subgroups_per_program);
}

void RowLowering::leave_partials(const std::vector<Partial>& partials) {
  b_.if_then(b_.compare(CompareKind::Eq, lane_, b_.const_i64(0)), [&] {
    for (const Partial& partial : partials) {
      const kernel::ValueId place = b_.add(slot_of(*partial.work, partial.at), subgroup_);
      b_.store(slots_.allocation(partials_), place, partial.number);
    }
  });
}

/// Every subgroup folds all partial results: lane s has that of subgroup s, the other lanes the identity.
kernel::ValueId RowLowering::read_partials(const Work& work, const Point& at) {
  const std::int64_t subgroups = mapping_.subgroups_per_program;
  const kernel::ValueId place = b_.add(slot_of(work, at), lane_);
  kernel::ValueId mask;
  if (subgroups < realize::kSubgroupSize) mask = b_.compare(CompareKind::Lt, lane_, b_.const_i64(subgroups));
  kernel::ValueId partial = b_.load(slots_.allocation(partials_), place, 1, mask);
  // A masked lane loads +0.
  const bool loads_identity = work.identity == 0 && !std::signbit(work.identity);
  if (mask.valid() && !loads_identity) {
    const kernel::ValueId identity = b_.const_float(kernel::ScalarType::F32, work.identity);
    partial = b_.select(mask, partial, identity);
  }
  return subgroup_total(work, partial);
}

}  // namespace tilewright::lower
