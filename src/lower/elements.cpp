#include "lower/elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lower/op_kinds.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

namespace {

using namespace tile;
using kernel::CompareKind;
using kernel::ScalarType;

double saturated(double value, double low, double high) {
  return std::isnan(value) ? 0 : std::clamp(std::trunc(value), low, high);
}

}  // namespace

kernel::ScalarType scalar_type(DataType type) {
  switch (type) {
    case DataType::F32:
      return ScalarType::F32;
    case DataType::F16:
      return ScalarType::F16;
    case DataType::BF16:
      return ScalarType::BF16;
    case DataType::I32:
      return ScalarType::I32;
    case DataType::Index:
      return ScalarType::I64;
    case DataType::Bool:
      return ScalarType::I1;
    case DataType::I8:
    case DataType::U8:
    case DataType::I4Scaled:
    case DataType::F8E4M3:
    case DataType::F8E5M2:
    case DataType::F64:
      break;
  }
  TW_CHECK(!"an element type that tiles can have");
  return {};
}

kernel::ValueId emit_literal(kernel::Builder& builder, kernel::ScalarType type, double value) {
  switch (type) {
    case ScalarType::I1:
      return builder.const_bool(value != 0);
    case ScalarType::I32:
      return builder.const_i32(static_cast<std::int32_t>(
          saturated(value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max())));
    case ScalarType::I64:
      return builder.const_i64(static_cast<std::int64_t>(saturated(value, -0x1p63, 0x1.fffffffffffffp62)));
    case ScalarType::F16:
    case ScalarType::BF16:
    case ScalarType::F32:
      return builder.const_float(type, value);
  }
  return {};
}

Elements::Elements(const Program& program, const ValueForms& forms, kernel::Builder& builder, SlotPool& slots,
                   IndexEmitter& index, AccessEmitter& accesses, const std::map<ObjectId, ObjectPlace>& objects,
                   const LaneOptions& lane_options)
    : program_(program),
      forms_(forms),
      b_(builder),
      slots_(slots),
      index_(index),
      accesses_(accesses),
      objects_(objects),
      lane_options_(lane_options) {}

kernel::ValueId Elements::scalar(ValueId value) const {
  const auto found = scalars_.find(value);
  TW_CHECK(found != scalars_.end());
  return found->second;
}

const StridedView& Elements::view(ValueId value) const {
  const auto found = views_.find(value);
  TW_CHECK(found != views_.end());
  return found->second;
}

std::map<AxisId, std::int64_t> Elements::dense_strides(const std::vector<AxisId>& axes) const {
  std::vector<std::int64_t> extents;
  for (AxisId axis : axes) extents.push_back(bound_extent(program_, axis));
  const std::vector<std::int64_t> strides = tile::dense_strides(extents);
  std::map<AxisId, std::int64_t> by_axis;
  for (std::size_t d = 0; d < axes.size(); ++d) by_axis[axes[d]] = strides[d];
  return by_axis;
}

const Access& Elements::access(OpId id) {
  if (const auto found = access_of_.find(id); found != access_of_.end()) return found->second;
  const OpPayload& payload = program_.op(id).payload;
  const auto* load = std::get_if<LoadOp>(&payload);
  const auto* store = std::get_if<StoreOp>(&payload);
  TW_CHECK(load != nullptr || store != nullptr);
  const auto place = objects_.find(load ? load->object : store->object);
  TW_CHECK(place != objects_.end());
  const auto coords = program_.list(load ? load->coords : store->coords);
  Access made = accesses_.analyze(place->second, coords, load ? load->bounds : store->bounds);
  return access_of_.emplace(id, std::move(made)).first->second;
}

// ---- Loops ---------------------------------------------------------------------------------------------------------

void Elements::nest(const std::vector<AxisId>& axes, Point at, const std::function<void(const Point&)>& body) {
  std::vector<AxisLoop> loops;
  for (AxisId axis : axes) loops.push_back({axis, {}, {}});
  nest(loops, std::move(at), body);
}

void Elements::nest(const std::vector<AxisLoop>& loops, Point at, const std::function<void(const Point&)>& body) {
  for (const AxisLoop& loop : loops)
    if (bound_extent(program_, loop.axis) == 0) return;
  std::size_t opened = 0;
  for (const AxisLoop& loop : loops) {
    const std::int64_t extent = bound_extent(program_, loop.axis);
    if (extent == 1 && !loop.low.valid()) {
      at.set(loop.axis, b_.const_i64(0));
      continue;
    }
    const kernel::ValueId low = loop.low.valid() ? loop.low : b_.const_i64(0);
    const kernel::ValueId high = loop.high.valid() ? loop.high : b_.const_i64(extent);
    at.set(loop.axis, b_.begin_loop(low, high).index);
    ++opened;
  }
  known_.clear();
  body(at);
  known_.clear();
  for (; opened > 0; --opened) b_.end_loop();
}

kernel::ValueId Elements::versioned_value(ValueId root, bool own_op, std::vector<const Access*> more,
                                          const std::function<kernel::ValueId()>& emit) {
  std::set<ValueId> seen;
  if (root.valid()) collect_loads(root, own_op, more, seen);
  for (const Access* access : more) accesses_.hoist(*access);
  const kernel::ValueId whole = accesses_.whole_in_range(more);
  const auto known = whole.valid() ? b_.constant(whole) : std::optional<std::int64_t>(1);
  const bool outer = known_in_range_;
  kernel::ValueId result;
  if (known) {
    known_in_range_ = *known != 0;
    result = emit();
  } else {
    const auto yield = [](kernel::ValueId value) {
      return value.valid() ? std::vector{value} : std::vector<kernel::ValueId>{};
    };
    b_.begin_if(whole);
    known_in_range_ = true;
    b_.begin_else(yield(emit()));
    known_in_range_ = false;
    const std::vector<kernel::ValueId> results = b_.end_if(yield(emit()));
    if (!results.empty()) result = results.front();
  }
  known_in_range_ = outer;
  return result;
}

// ---- Elements ------------------------------------------------------------------------------------------------------

bool Elements::is_inline(ValueId value) const {
  const ValueForm form = forms_.form(value);
  return form == ValueForm::Free || form == ValueForm::Fused;
}

kernel::ValueId Elements::place_in(const StridedView& view, const Point& at) {
  kernel::ValueId place = view.offset.valid() ? view.offset : b_.const_i64(0);
  for (const auto& [axis, counter] : at.entries())
    if (const auto found = view.strides.find(axis); found != view.strides.end())
      place = b_.add(place, scaled(b_, counter, found->second));
  return place;
}

kernel::ValueId Elements::load_from(const StridedView& view, const Point& at) {
  const kernel::ValueId place = place_in(view, at);
  if (!span_ || !view.strides.contains(span_->axis)) return b_.load(slots_.allocation(view.slot), place);
  return b_.load(slots_.allocation(view.slot), place, span_->lanes, span_->mask);
}

void Elements::store_to(const StridedView& view, const Point& at, kernel::ValueId value) {
  const kernel::ValueId place = place_in(view, at);
  b_.store(slots_.allocation(view.slot), place, spread(value), lane_mask());
}

kernel::ValueId Elements::fragment(ValueId value, Fragments& fragments) {
  fragments_ = &fragments;
  const kernel::ValueId made = element(value, {});
  fragments_ = nullptr;
  return made;
}

kernel::ValueId Elements::fragment_element(ValueId value) {
  if (const auto found = fragments_->known.find(value); found != fragments_->known.end()) return found->second;
  kernel::ValueId made = forms_.form(value) == ValueForm::Scalar ? scalar(value) : emit(value, definition(value), {});
  if (!b_.type(made).is_fragment()) made = b_.fragment_fill(made, fragments_->rows, fragments_->columns);
  fragments_->known.emplace(value, made);
  return made;
}

kernel::ValueId Elements::element(ValueId value, const Point& at) {
  if (fragments_ != nullptr) return fragment_element(value);
  if (forms_.form(value) == ValueForm::Scalar) return scalar(value);
  if (span_ && !contains(axes(value), span_->axis)) {
    const LaneSpan outer = *std::exchange(span_, std::nullopt);
    const kernel::ValueId alike = element(value, at);
    span_ = outer;
    return alike;
  }
  std::tuple<ValueId, AxisId, std::vector<kernel::ValueId>> key{value, span_ ? span_->axis : AxisId{}, {}};
  for (AxisId axis : axes(value)) std::get<2>(key).push_back(at.at(axis));
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const kernel::ValueId made = is_inline(value) ? result_element(value, at) : load_from(view(value), at);
  known_.emplace(std::move(key), made);
  return made;
}

kernel::ValueId Elements::result_element(ValueId value, const Point& at) { return emit(value, definition(value), at); }

kernel::ValueId Elements::emit(ValueId value, const OpPayload& payload, const Point& at) {
  return std::visit(Overloaded{
                        [&](const ConstantOp& op) { return emit_literal(b_, type(value), op.literal.value()); },
                        [&](const IndexValueOp& op) { return lane_number(op.expr, at); },
                        [&](const UnaryOp& op) { return b_.unary(unary_kind(op.kind), element(op.operand, at)); },
                        [&](const BinaryOp& op) { return emit_binary(op, at); },
                        [&](const SelectOp& op) { return emit_select(op, at); },
                        [&](const CastOp& op) { return b_.cast(type(value), element(op.operand, at)); },
                        [&](const BroadcastOp& op) { return element(op.operand, at); },
                        [&](const ReindexOp& op) { return emit_reindex(op, at); },
                        [&](const GatherOp& op) { return emit_gather(op, at); },
                        [&](const LoadOp& op) { return emit_load(program_.value(value).def, op, at); },
                        [&](const auto&) {
                          TW_CHECK(!"an operation with elements of its own");
                          return kernel::ValueId{};
                        },
                    },
                    payload);
}

kernel::ValueId Elements::emit_select(const SelectOp& op, const Point& at) {
  const kernel::ValueId condition = element(op.condition, at);
  if (const auto known = b_.type(condition).is_scalar() ? b_.constant(condition) : std::nullopt)
    return element(*known != 0 ? op.if_true : op.if_false, at);
  kernel::ValueId if_true = element(op.if_true, at);
  kernel::ValueId if_false = element(op.if_false, at);
  match(if_true, if_false);
  if (b_.type(condition).is_fragment() || b_.type(condition).lanes == 1) return b_.select(condition, if_true, if_false);
  if_true = spread(if_true);
  if_false = spread(if_false);
  return b_.select(condition, if_true, if_false);
}

/// The lanes move along an axis of the operand, or all of them read one element.
kernel::ValueId Elements::emit_reindex(const ReindexOp& op, const Point& at) {
  const Point inner = reindexed(op, at);
  if (!span_) return element(op.operand, inner);
  const LaneSpan outer = *span_;
  if (const std::optional<AxisId> moved = moved_axis(op, outer.axis))
    span_->axis = *moved;
  else
    span_.reset();
  const kernel::ValueId made = element(op.operand, inner);
  span_ = outer;
  return made;
}

kernel::ValueId Elements::emit_binary(const BinaryOp& op, const Point& at) {
  const auto compare = compare_kind(op.kind);
  if (const auto known = compare ? emit_index_compare(*compare, op, at) : std::nullopt) return *known;
  kernel::ValueId lhs = element(op.lhs, at);
  kernel::ValueId rhs = element(op.rhs, at);
  if (op.kind == BinaryKind::And || op.kind == BinaryKind::Or) {
    for (const auto& [one, other] : {std::pair{lhs, rhs}, std::pair{rhs, lhs}})
      if (const auto known = b_.constant(one); known && type(op.lhs) == ScalarType::I1 && b_.type(one).is_scalar())
        return (*known != 0) == (op.kind == BinaryKind::And) ? other : one;
  }
  match(lhs, rhs);
  if (compare) return b_.compare(*compare, lhs, rhs);
  return b_.binary(binary_kind(op.kind, kernel::is_float_scalar(type(op.lhs))), lhs, rhs);
}

Point Elements::reindexed(const ReindexOp& op, const Point& at) {
  const std::vector<AxisId> operand_axes = axes(op.operand);
  const std::vector<IndexId> coords = program_.list(op.coords);
  Point inner;
  for (std::size_t d = 0; d < operand_axes.size(); ++d) inner.set(operand_axes[d], index_.emit(coords[d], at));
  return inner;
}

/// The clamped element is read whether or not it is picked: it lies inside of the operand.
kernel::ValueId Elements::emit_gather(const GatherOp& op, const Point& at) {
  const std::int64_t extent = bound_extent(program_, op.axis);
  const kernel::ValueId otherwise = element(op.fallback, at);
  if (extent == 0) return otherwise;
  const kernel::ValueId wanted = b_.cast(ScalarType::I64, element(op.indices, at));
  const kernel::ValueId zero = b_.const_i64(0), last = b_.const_i64(extent - 1);
  const kernel::ValueId clamped =
      b_.binary(kernel::BinaryKind::Min, b_.binary(kernel::BinaryKind::Max, wanted, zero), last);
  Point inner;
  for (AxisId axis : axes(op.operand)) inner.set(axis, axis == op.axis ? clamped : at.at(axis));
  const kernel::ValueId read = element(op.operand, inner);
  return b_.select(b_.compare(CompareKind::Eq, wanted, clamped), read, otherwise);
}

kernel::ValueId Elements::fallback(const LoadOp& load) {
  if (load.fallback.valid()) return element(load.fallback, {});
  return emit_literal(b_, scalar_type(program_.object(load.object).element.data), 0);
}

kernel::ValueId Elements::emit_load(OpId id, const LoadOp& op, const Point& at) {
  const Access& from = access(id);
  if (from.place->empty()) return fallback(op);
  if (moves_in_lanes(from)) return load_lanes(from, op, at);
  const kernel::ValueId condition = accesses_.in_range(from, at, known_in_range_);
  const auto known = condition.valid() ? b_.constant(condition) : std::optional<std::int64_t>(1);
  if (known) return *known != 0 ? b_.load(from.place->memory, accesses_.address(from, at)) : fallback(op);
  if (!op.fallback.valid()) return b_.load(from.place->memory, accesses_.address(from, at), 1, condition);
  const kernel::ValueId otherwise = fallback(op);
  b_.begin_if(condition);
  const kernel::ValueId read = b_.load(from.place->memory, accesses_.address(from, at));
  b_.begin_else({read});
  return b_.end_if({otherwise}).front();
}

void Elements::store(OpId id, const StoreOp& op, const Point& at, kernel::ValueId more) {
  if (!access(id).place->empty()) store_value(id, at, element(op.value, at), more);
}

void Elements::store_value(OpId id, const Point& at, kernel::ValueId stored, kernel::ValueId more) {
  const Access& to = access(id);
  const kernel::ValueId mask = accesses_.both(accesses_.in_range(to, at, known_in_range_), more);
  const auto known = mask.valid() ? b_.constant(mask) : std::optional<std::int64_t>(1);
  if (known && *known == 0) return;
  const kernel::ValueId place = accesses_.address(to, at);
  b_.store(to.place->memory, place, stored, known ? kernel::ValueId{} : mask);
}

}  // namespace tilewright::lower
