#include "lower/task_lowering.h"

#include <algorithm>

#include "support/checked_math.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

TaskLowering::TaskLowering(const Program& program, const ValuePlan& plan, kernel::Builder& builder,
                           std::map<ObjectId, ObjectPlace>& objects, const LaneOptions& lane_options)
    : program_(program),
      plan_(plan),
      b_(builder),
      lane_options_(lane_options),
      objects_(objects),
      slots_(builder),
      index_(program, builder),
      accesses_(program, builder, index_),
      elements_(program, plan, builder, slots_, index_, accesses_, objects, lane_options) {}

void TaskLowering::lower_launch(const std::string& kernel_name, const RegionOp& launch) {
  std::vector<std::int64_t> extents;
  const std::vector<CoordId> coords = program_.list(launch.coords);
  for (CoordId coord : coords) {
    const auto extent = program_.index().as_constant(program_.coords()[coord].extent);
    TW_CHECK(extent.has_value());
    extents.push_back(std::max<std::int64_t>(*extent, 0));
  }
  const std::vector<kernel::ValueId> at = b_.begin_kernel(kernel_name, extents);
  for (std::size_t d = 0; d < coords.size(); ++d) index_.set_coord(coords[d], at[d]);
  lower_ops(launch.body);
  b_.end_kernel();
}

void TaskLowering::lower_ops(BlockId block) {
  const std::vector<OpId>& ops = program_.block(block).ops;
  for (std::size_t position = 0; position < ops.size(); ++position) {
    lower_op(ops[position]);
    end_values({block, position});
  }
}

void TaskLowering::lower_op(OpId id) {
  const Op& op = program_.op(id);
  const auto value = [&] { return program_.list(op.results).front(); };
  std::visit(Overloaded{
                 [&](const LoadOp& load) {
                   if (plan_.form(value()) == ValueForm::Stored)
                     lower_load(id, value(), load);
                   else
                     lower_value(value());
                 },
                 [&](const ReduceOp& reduce) { lower_reduce(value(), reduce); },
                 [&](const MmaOp& mma) { lower_mma(value(), mma); },
                 [&](const StoreOp& store) { lower_store(id, store); },
                 [&](const MemoryOp& memory) { lower_memory(memory); },
                 [&](const RegionOp& region) { lower_region(id, region); },
                 [&](const IfOp& branch) { lower_if(id, branch); },
                 // One worker runs the whole group: it never waits for another.
                 [&](const BarrierOp&) {},
                 [&](const StageCutOp&) {},
                 [&](const OpaqueOp&) { TW_CHECK(!"opaque calls were refused"); },
                 [&](const auto&) { lower_value(value()); },
             },
             op.payload);
}

void TaskLowering::lower_value(ValueId value) {
  switch (plan_.form(value)) {
    case ValueForm::Dead:
    case ValueForm::Free:
    case ValueForm::Fused:
      return;
    case ValueForm::Scalar:
      if (made_.erase(value) != 0) return;
      elements_.nest(std::vector<AxisId>{}, {},
                     [&](const Point& at) { elements_.set_scalar(value, elements_.result_element(value, at)); });
      return;
    case ValueForm::Stored:
      return lower_elementwise(value);
  }
}

void TaskLowering::lower_elementwise(ValueId value) {
  if (made_.erase(value) != 0) return;
  const std::vector<AxisId> axes = elements_.natural_layout(value);
  elements_.set_layout(value, axes);
  const SlotId slot = destination(value, plan_.home(value), [&](SlotId candidate) {
    return elements_.reads_in_place(value, candidate, axes, true);
  });
  const auto strides = elements_.dense_strides(axes);
  elements_.versioned(value, true, {}, [&] {
    dense_nest(axes, value, true,
               [&](const Point& at) { elements_.store_to(slot, strides, at, elements_.result_element(value, at)); });
  });
  define(value, slot);
}

void TaskLowering::dense_nest(const std::vector<AxisId>& axes, ValueId value, bool own_op,
                              const std::function<void(const Point&)>& body) {
  std::vector<AxisLoop> loops;
  for (AxisId axis : axes) loops.push_back({axis, {}, {}});
  elements_.nest(loops, elements_.lane_plan(value, own_op, elements_.innermost(axes)), {}, body);
}

void TaskLowering::evaluate_into(SlotId slot, ValueId value) {
  const std::vector<AxisId> axes = elements_.axes(value);
  const auto strides = elements_.dense_strides(axes);
  const kernel::ScalarType type = slots_.scalar(slot);
  elements_.versioned(value, false, {}, [&] {
    dense_nest(axes, value, false, [&](const Point& at) {
      elements_.store_to(slot, strides, at, b_.cast(type, elements_.element(value, at)));
    });
  });
}

void TaskLowering::copy(SlotId from, SlotId to, const std::vector<AxisId>& axes) {
  const auto strides = elements_.dense_strides(axes);
  const kernel::ScalarType type = slots_.scalar(to);
  dense_nest(axes, {}, false, [&](const Point& at) {
    elements_.store_to(to, strides, at, b_.cast(type, elements_.load_from(from, strides, at)));
  });
}

void TaskLowering::lower_memory(const MemoryOp& op) {
  const Object& object = program_.object(op.object);
  const auto space =
      object.space == MemorySpace::Shared ? kernel::AllocationSpace::Shared : kernel::AllocationSpace::Private;
  const kernel::ScalarType type = scalar_type(object.element.data);
  // Held for good: its contents are a state of their own, not a value that ends.
  const SlotId slot = slots_.take(type, memory_capacity(program_, op.object), space, object.name);
  ObjectPlace place;
  place.memory = kernel::Memory(slots_.allocation(slot));
  place.extents = bound_extents(program_, op.object);
  place.layout_axes = object.layout_axes;
  place.layout = object.layout;
  if (!object.layout.valid()) place.strides = dense_strides(place.extents);
  objects_[op.object] = std::move(place);
}

// ---- Slots ---------------------------------------------------------------------------------------------------------

void TaskLowering::end_values(Place place) {
  for (ValueId value : plan_.ending_at(place))
    if (dropped_.erase(value) == 0) slots_.drop_value(elements_.slot(value), value);
}

void TaskLowering::define(ValueId value, SlotId slot) {
  elements_.set_slot(value, slot);
  slots_.add_value(slot, value);
  slots_.release(slot);
}

kernel::AllocationSpace TaskLowering::space_of(ValueId value) const {
  return program_.value(value).placement == MemorySpace::Shared ? kernel::AllocationSpace::Shared
                                                                : kernel::AllocationSpace::Private;
}

bool TaskLowering::can_take(SlotId slot, ValueId value, Place place) const {
  if (slots_.scalar(slot) != elements_.type(value)) return false;
  if (program_.value(value).placement != MemorySpace::Auto && slots_.space(slot) != space_of(value)) return false;
  const std::vector<ValueId>& inside = slots_.values(slot);
  return std::all_of(inside.begin(), inside.end(), [&](ValueId other) { return plan_.dead_after(other, place); });
}

SlotId TaskLowering::destination(ValueId value, Place place, const std::function<bool(SlotId)>& safe) {
  if (const auto found = wanted_.find(value); found != wanted_.end()) {
    const SlotId slot = found->second;
    if (elements_.lies_as_declared(value) && can_take(slot, value, place) && safe(slot)) {
      slots_.hold(slot);
      return slot;
    }
  }
  return fresh_slot(value);
}

SlotId TaskLowering::fresh_slot(ValueId value) {
  return slots_.take(elements_.type(value), plan_.volume(elements_.axes(value)), space_of(value),
                     program_.value(value).name);
}

SlotId TaskLowering::scratch(kernel::ScalarType type, std::int64_t count, const std::string& name) {
  return slots_.take(type, count, kernel::AllocationSpace::Private, name);
}

void TaskLowering::want(ValueId value, SlotId slot) {
  while (plan_.form(value) == ValueForm::Stored && wanted_.emplace(value, slot).second) {
    const OpId def = program_.value(value).def;
    if (!def.valid()) return;
    const OpPayload& payload = program_.op(def).payload;
    const auto result_position = [&] {
      const std::vector<ValueId> results = program_.list(program_.op(def).results);
      return static_cast<std::size_t>(std::find(results.begin(), results.end(), value) - results.begin());
    };
    const BlockId block = plan_.home(value).block;
    if (const auto* mma = std::get_if<MmaOp>(&payload))
      value = mma->c;
    else if (const auto* region = std::get_if<RegionOp>(&payload))
      value = program_.list(region->inits)[result_position()];
    else if (const auto* branch = std::get_if<IfOp>(&payload))
      value = program_.list(branch->inits)[result_position()];
    else
      return;
    if (plan_.home(value).block != block) return;
  }
}

}  // namespace tilewright::lower
