#include "lower/direct/direct_lowering.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lower/fold_rules.h"
#include "lower/linear_form.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

namespace {

constexpr std::int32_t kDirectWorkers = 32;

}  // namespace

DirectLowering::DirectLowering(const Program& program, const ValuePlan& values, std::string tensor_operation,
                               kernel::Builder& builder, const std::map<ObjectId, ObjectPlace>& objects)
    : program_(program),
      values_(values),
      tensor_operation_(std::move(tensor_operation)),
      b_(builder),
      slots_(builder),
      index_(program, builder),
      accesses_(program, builder, index_),
      elements_(program, values, builder, slots_, index_, accesses_, objects) {
  prefer_matrix_orders();
}

void DirectLowering::lower_launch(const std::string& kernel_name, const RegionOp& launch) {
  std::vector<std::int64_t> extents;
  const std::vector<CoordId> coords = program_.list(launch.coords);
  for (CoordId coord : coords)
    extents.push_back(std::max<std::int64_t>(program_.index().as_constant(program_.coords()[coord].extent).value(), 0));
  const auto at = b_.begin_kernel(kernel_name, extents, {kDirectWorkers, kDirectWorkers});
  for (std::size_t d = 0; d < coords.size(); ++d) index_.set_coord(coords[d], at[d]);
  worker_ = b_.worker(kernel::WorkerQuery::Worker);
  lower_block(launch.body);
  b_.end_kernel();
}

void DirectLowering::lower_block(BlockId block) {
  const std::vector<OpId>& ops = program_.block(block).ops;
  for (std::size_t position = 0; position < ops.size(); ++position) {
    lower_op(ops[position]);
    end_values({block, position});
  }
}

void DirectLowering::lower_op(OpId id) {
  const Op& op = program_.op(id);
  const auto value = [&] { return program_.list(op.results).front(); };
  std::visit(Overloaded{
                 [&](const ReduceOp& reduce) {
                   lower_value(value(),
                               [&](const Point& at) { return fold_chain(b_, elements_, program_, reduce, at); });
                 },
                 [&](const MmaOp& mma) { lower_mma(id, value(), mma); },
                 [&](const StoreOp& store) { lower_store(id, store); },
                 [&](const RegionOp& region) { lower_region(id, region); },
                 [&](const IfOp& branch) { lower_if(id, branch); },
                 [&](const BarrierOp&) { fence(); },
                 [&](const StageCutOp&) {},
                 [&](const MemoryOp&) { TW_CHECK(!"explicit memory was refused"); },
                 [&](const OpaqueOp&) { TW_CHECK(!"opaque calls were refused"); },
                 [&](const auto&) {
                   lower_value(value(), [&](const Point& at) { return elements_.result_element(value(), at); });
                 },
             },
             op.payload);
}

void DirectLowering::lower_value(ValueId value, const Make& element) {
  if (values_.form(value) == ValueForm::Scalar) return set_number(value, element);
  if (values_.form(value) != ValueForm::Stored) return;
  const StridedView view = take(value, elements_.type(value));
  each_element(elements_.axes(value), [&](const Point& at) { elements_.store_to(view, at, element(at)); });
  define(value, view);
}

/// Every worker makes the number. When that reads memory, nobody may write there before all have read.
void DirectLowering::set_number(ValueId value, const Make& number) {
  elements_.nest(Axes{}, {}, [&](const Point& at) { elements_.set_scalar(value, number(at)); });
  const OpPayload& payload = program_.op(program_.value(value).def).payload;
  bool reads = std::holds_alternative<LoadOp>(payload);
  for_each_operand(program_, payload, [&](ValueId operand) { reads = reads || !elements_.axes(operand).empty(); });
  if (reads) fence();
}

void DirectLowering::fence() { b_.fence(kernel::Participants::Group, {.shared = true, .device = true}); }

// ---- Stores --------------------------------------------------------------------------------------------------------

void DirectLowering::lower_store(OpId id, const StoreOp& op) {
  const Access& access = elements_.access(id);
  if (access.place->empty()) return;
  Axes axes = elements_.axes(op.value);
  for (IndexId coord : program_.list(op.coords)) axes = join_axes(axes, program_.index().axes(coord));
  const auto store = [&](const Point& at) { elements_.store(id, op, at, {}); };
  if (touches_each_place_once(program_, access, axes)) return each_element(axes, store);
  // Where two points may meet the last one counts: one worker makes them all.
  each_element({}, [&](const Point&) { elements_.nest(axes, {}, store); });
}

// ---- Elements and storage ------------------------------------------------------------------------------------------

void DirectLowering::each_element(const Axes& axes, const std::function<void(const Point&)>& body) {
  if (const std::int64_t count = values_.volume(axes); count > 0) {
    const kernel::ValueId end = b_.const_i64(count);
    const kernel::ValueId ordinal = b_.begin_loop(worker_, end, kDirectWorkers).index;
    elements_.nest(Axes{}, point_of(axes, ordinal), body);
    b_.end_loop();
  }
  fence();
}

/// Row-major: the last axis is the lowest digit.
Point DirectLowering::point_of(const Axes& axes, kernel::ValueId ordinal) {
  std::vector<kernel::ValueId> digits(axes.size());
  for (std::size_t d = axes.size(); d-- > 0;) {
    const kernel::ValueId extent = b_.const_i64(bound_extent(program_, axes[d]));
    digits[d] = d == 0 ? ordinal : b_.binary(kernel::BinaryKind::FloorMod, ordinal, extent);
    if (d > 0) ordinal = b_.binary(kernel::BinaryKind::FloorDiv, ordinal, extent);
  }
  Point at;
  for (std::size_t d = 0; d < axes.size(); ++d) at.set(axes[d], digits[d]);
  return at;
}

StridedView DirectLowering::take(ValueId value, kernel::ScalarType type) {
  const auto preferred = orders_.find(value);
  const std::string& name = program_.value(value).name;
  return take(preferred == orders_.end() ? elements_.axes(value) : preferred->second, type,
              name.empty() ? "tile" : name);
}

StridedView DirectLowering::take(const Axes& order, kernel::ScalarType type, const std::string& name) {
  const SlotId slot = slots_.take(type, values_.volume(order), kernel::AllocationSpace::Shared, name);
  return {slot, elements_.dense_strides(order), {}};
}

void DirectLowering::evaluate(const StridedView& into, ValueId value) {
  const kernel::ScalarType type = slots_.scalar(into.slot);
  each_element(elements_.axes(value),
               [&](const Point& at) { elements_.store_to(into, at, b_.cast(type, elements_.element(value, at))); });
}

void DirectLowering::define(ValueId value, const StridedView& view) {
  elements_.set_view(value, view);
  slots_.add_value(view.slot, value);
  slots_.release(view.slot);
}

void DirectLowering::end_values(Place place) {
  for (ValueId value : values_.ending_at(place)) slots_.drop_value(elements_.slot(value), value);
}

}  // namespace tilewright::lower
