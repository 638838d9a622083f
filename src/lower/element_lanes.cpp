// Several elements at once: which values can be computed in lanes along an axis, their loops, masks and loads.
#include <algorithm>
#include <bit>

#include "lower/elements.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;
using kernel::CompareKind;
using kernel::ScalarType;

// ---- Which values --------------------------------------------------------------------------------------------------

LaneRefusal Elements::access_refusal(const Access& access, AxisId axis) const {
  if (access.place->empty()) return LaneRefusal::None;
  bool moves = false;
  for (const Dimension& dimension : access.dimensions) {
    const bool depends = contains(program_.index().axes(dimension.coord), axis);
    moves = moves || depends;
    if (depends && dimension.check == RangeCheck::General) return LaneRefusal::TestedAlone;
  }
  if (!moves) return LaneRefusal::None;
  if (!access.address) return LaneRefusal::NotLinear;
  return access.address->factor_of(axis) == 1 ? LaneRefusal::None : LaneRefusal::Strided;
}

LaneRefusal Elements::lane_refusal(ValueId value, bool own_op, AxisId axis) {
  if (lane_options_.lanes < kLeastLanes) return LaneRefusal::NoLanes;
  if (bound_extent(program_, axis) < kLeastLanes) return LaneRefusal::TooShort;
  std::set<std::pair<ValueId, AxisId>> seen;
  return lane_refusal(value, own_op, axis, seen);
}

LaneRefusal Elements::lane_refusal(ValueId value, bool own_op, AxisId axis,
                                   std::set<std::pair<ValueId, AxisId>>& seen) {
  if (!contains(axes(value), axis) || !seen.insert({value, axis}).second) return LaneRefusal::None;
  if (!own_op && !is_inline(value)) {
    if (forms_.form(value) != ValueForm::Stored || value == expected_) return LaneRefusal::None;
    const StridedView& from = view(value);
    const auto step = from.strides.find(axis);
    return step == from.strides.end() || step->second == 1 ? LaneRefusal::None : LaneRefusal::Strided;
  }
  const OpPayload& payload = definition(value);
  if (const auto* load = std::get_if<LoadOp>(&payload)) {
    (void)load;
    return access_refusal(access(program_.value(value).def), axis);
  }
  if (const auto* number = std::get_if<IndexValueOp>(&payload))
    return linear_form(program_.index(), number->expr) ? LaneRefusal::None : LaneRefusal::NotLinear;
  if (std::holds_alternative<GatherOp>(payload)) return LaneRefusal::Gathered;
  if (const auto* reindex = std::get_if<ReindexOp>(&payload)) return reindex_refusal(*reindex, axis, seen);
  const bool element_wise = std::holds_alternative<ConstantOp>(payload) || std::holds_alternative<UnaryOp>(payload) ||
                            std::holds_alternative<BinaryOp>(payload) || std::holds_alternative<SelectOp>(payload) ||
                            std::holds_alternative<CastOp>(payload) || std::holds_alternative<BroadcastOp>(payload);
  if (!element_wise) return LaneRefusal::OtherOperation;
  LaneRefusal refusal = LaneRefusal::None;
  for_each_operand(program_, payload, [&](ValueId operand) {
    if (refusal == LaneRefusal::None) refusal = lane_refusal(operand, false, axis, seen);
  });
  return refusal;
}

/// The axis of the operand that the lanes move along, when they move along one, step by step.
std::optional<AxisId> Elements::moved_axis(const ReindexOp& op, AxisId axis) const {
  const std::vector<AxisId> operand_axes = axes(op.operand);
  const std::vector<IndexId> coords = program_.list(op.coords);
  std::optional<AxisId> moved;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    if (!contains(program_.index().axes(coords[d]), axis)) continue;
    const auto form = linear_form(program_.index(), coords[d]);
    if (moved || !form || form->factor_of(axis) != 1) return AxisId{};
    moved = operand_axes[d];
  }
  return moved;
}

LaneRefusal Elements::reindex_refusal(const ReindexOp& op, AxisId axis, std::set<std::pair<ValueId, AxisId>>& seen) {
  const std::optional<AxisId> moved = moved_axis(op, axis);
  if (!moved) return LaneRefusal::None;
  if (!moved->valid()) return LaneRefusal::NotLinear;
  return lane_refusal(op.operand, false, *moved, seen);
}

// ---- Loops ---------------------------------------------------------------------------------------------------------

std::uint16_t Elements::lanes_for(AxisId axis) const {
  const std::int64_t extent = bound_extent(program_, axis);
  return static_cast<std::uint16_t>(std::min<std::int64_t>(
      lane_options_.lanes, std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(extent)) - 1)));
}

std::optional<LanePlan> Elements::lane_plan(ValueId value, bool own_op, std::optional<AxisId> axis) {
  // Beyond an edge every load needs a mask.
  if (!axis || (value.valid() && !known_in_range_ && !lane_options_.masks)) return std::nullopt;
  if (lane_options_.lanes < kLeastLanes || bound_extent(program_, *axis) < kLeastLanes) return std::nullopt;
  if (value.valid() && lane_refusal(value, own_op, *axis) != LaneRefusal::None) return std::nullopt;
  return LanePlan{*axis, lanes_for(*axis)};
}

std::optional<AxisId> Elements::innermost(const std::vector<AxisId>& axes) const {
  for (std::size_t d = axes.size(); d-- > 0;)
    if (bound_extent(program_, axes[d]) > 1) return axes[d];
  return std::nullopt;
}

kernel::ValueId Elements::first_lanes(kernel::ValueId count, std::uint16_t lanes) {
  const kernel::ValueId iota = b_.iota(ScalarType::I32, lanes);
  return b_.compare(CompareKind::Lt, iota, b_.splat(b_.cast(ScalarType::I32, count), lanes));
}

void Elements::in_span(const LaneSpan& span, Point at, kernel::ValueId from,
                       const std::function<void(const Point&)>& body) {
  const std::optional<LaneSpan> outer = span_;
  span_ = span;
  known_.clear();
  at.set(span.axis, from);
  body(at);
  known_.clear();
  span_ = outer;
}

void Elements::in_lanes(const LanePlan& plan, Point at, kernel::ValueId from,
                        const std::function<void(const Point&)>& body) {
  in_span({plan.axis, plan.lanes, {}}, std::move(at), from, body);
}

void Elements::in_first_lanes(const LanePlan& plan, kernel::ValueId count, Point at, kernel::ValueId from,
                              const std::function<void(const Point&)>& body) {
  in_span({plan.axis, plan.lanes, first_lanes(count, plan.lanes)}, std::move(at), from, body);
}

void Elements::lane_loop(const LanePlan& plan, kernel::ValueId low, kernel::ValueId high, const Point& at,
                         const std::function<void(const Point&)>& body) {
  const std::uint16_t lanes = plan.lanes;
  const kernel::ValueId count = b_.sub(high, low);
  const auto known = b_.constant(count);
  const kernel::ValueId whole =
      known ? b_.const_i64(std::max<std::int64_t>(*known, 0) / lanes * lanes)
            : b_.mul(b_.binary(kernel::BinaryKind::FloorDiv, count, b_.const_i64(lanes)), lanes);
  const kernel::ValueId end = b_.add(low, whole);
  if (known && *known < 2 * lanes) {
    if (*known >= lanes) in_lanes(plan, at, low, body);
  } else {
    const kernel::ValueId from = b_.begin_loop(low, end, lanes).index;
    in_lanes(plan, at, from, body);
    b_.end_loop();
  }
  const kernel::ValueId rest = b_.sub(high, end);
  const auto known_rest = b_.constant(rest);
  if (known_rest && *known_rest <= 0) return;
  if (!lane_options_.masks) {
    Point here = at;
    here.set(plan.axis, b_.begin_loop(end, high).index);
    known_.clear();
    body(here);
    known_.clear();
    b_.end_loop();
    return;
  }
  if (!known_rest) b_.begin_if(b_.compare(CompareKind::Gt, rest, b_.const_i64(0)));
  in_first_lanes(plan, rest, at, end, body);
  if (!known_rest) b_.end_if();
}

void Elements::nest(const std::vector<AxisLoop>& loops, const std::optional<LanePlan>& plan, Point at,
                    const std::function<void(const Point&)>& body) {
  if (!plan) return nest(loops, std::move(at), body);
  std::vector<AxisLoop> outer;
  AxisLoop inner;
  for (const AxisLoop& loop : loops) {
    if (bound_extent(program_, loop.axis) == 0) return;
    (loop.axis == plan->axis ? inner : outer.emplace_back()) = loop;
  }
  TW_CHECK(inner.axis.valid());
  nest(outer, std::move(at), [&](const Point& here) {
    const kernel::ValueId low = inner.low.valid() ? inner.low : b_.const_i64(0);
    const kernel::ValueId high = inner.high.valid() ? inner.high : b_.const_i64(bound_extent(program_, inner.axis));
    lane_loop(*plan, low, high, here, body);
  });
}

void Elements::remember(ValueId value, const Point& at, kernel::ValueId element) {
  std::tuple<ValueId, AxisId, std::vector<kernel::ValueId>> key{value, span_ ? span_->axis : AxisId{}, {}};
  for (AxisId axis : axes(value)) std::get<2>(key).push_back(at.at(axis));
  known_[std::move(key)] = element;
}

// ---- Comparisons of indices
// ------------------------------------------------------------------------------------------

std::optional<kernel::ValueId> Elements::decided(CompareKind kind, IndexId lhs, IndexId rhs) {
  const auto a = index_.range(lhs), b = index_.range(rhs);
  if (!a || !b) return std::nullopt;
  const bool below = a->high<b->low, at_most = a->high <= b->low, above = a->low> b->high, at_least = a->low >= b->high;
  const auto answer = [&](bool surely, bool never) {
    return surely || never ? std::optional(b_.const_bool(surely)) : std::nullopt;
  };
  switch (kind) {
    case CompareKind::Lt:
      return answer(below, at_least);
    case CompareKind::Le:
      return answer(at_most, above);
    case CompareKind::Gt:
      return answer(above, at_most);
    case CompareKind::Ge:
      return answer(at_least, below);
    case CompareKind::Eq:
      return answer(false, below || above);
    case CompareKind::Ne:
      return answer(below || above, false);
  }
  return std::nullopt;
}

std::optional<kernel::ValueId> Elements::emit_index_compare(CompareKind kind, const BinaryOp& op, const Point& at) {
  if (lane_options_.lanes < kLeastLanes || fragments_ != nullptr || !is_inline(op.lhs) || !is_inline(op.rhs))
    return std::nullopt;
  const auto* lhs = std::get_if<IndexValueOp>(&definition(op.lhs));
  const auto* rhs = std::get_if<IndexValueOp>(&definition(op.rhs));
  if (lhs == nullptr || rhs == nullptr) return std::nullopt;
  if (const auto known = decided(kind, lhs->expr, rhs->expr)) return known;
  const auto moves = [&](IndexId expr) { return span_ && contains(program_.index().axes(expr), span_->axis); };
  const auto small = [&](IndexId expr) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 60;
    const auto range = index_.range(expr);
    return range && range->low > -kSmall && range->high < kSmall;
  };
  if (!moves(lhs->expr) || moves(rhs->expr) || !small(lhs->expr) || !small(rhs->expr)) return std::nullopt;
  const auto form = linear_form(program_.index(), lhs->expr);
  if (!form || form->factor_of(span_->axis) != 1) return std::nullopt;
  // first + lane against a number: the lane against their distance, which fits 32 bits once it is cut.
  const kernel::ValueId number = index_.emit(rhs->expr, at);
  kernel::ValueId distance = b_.sub(number, index_.emit(lhs->expr, at));
  distance = b_.binary(kernel::BinaryKind::Max, distance, b_.const_i64(-1));
  distance = b_.binary(kernel::BinaryKind::Min, distance, b_.const_i64(span_->lanes));
  const kernel::ValueId lane = b_.iota(ScalarType::I32, span_->lanes);
  return b_.compare(kind, lane, b_.splat(b_.cast(ScalarType::I32, distance), span_->lanes));
}

// ---- Values --------------------------------------------------------------------------------------------------------

kernel::ValueId Elements::spread(kernel::ValueId value) {
  if (!span_ || b_.type(value).lanes != 1) return value;
  return b_.splat(value, span_->lanes);
}

void Elements::match(kernel::ValueId& a, kernel::ValueId& b) {
  if (b_.type(a).lanes == b_.type(b).lanes) return;
  a = spread(a);
  b = spread(b);
}

kernel::ValueId Elements::lane_number(IndexId expr, const Point& at) {
  const kernel::ValueId first = index_.emit(expr, at);
  if (!span_ || !contains(program_.index().axes(expr), span_->axis)) return first;
  const std::int64_t step = linear_form(program_.index(), expr)->factor_of(span_->axis);
  kernel::ValueId steps = b_.iota(ScalarType::I64, span_->lanes);
  if (step != 1) steps = b_.mul(steps, b_.const_i64(step, span_->lanes));
  return b_.add(b_.splat(first, span_->lanes), steps);
}

kernel::ValueId Elements::lanes_in_range(const Access& access, const Point& at) {
  kernel::ValueId alike, apart;
  for (const Dimension& dimension : access.dimensions) {
    if (dimension.check == RangeCheck::None || (dimension.check == RangeCheck::Linear && known_in_range_)) continue;
    if (!contains(program_.index().axes(dimension.coord), span_->axis)) {
      alike = accesses_.both(alike, accesses_.dimension_in_range(dimension, index_.emit(dimension.coord, at)));
      continue;
    }
    const kernel::ValueId coord = lane_number(dimension.coord, at);
    const auto bound = [&](CompareKind kind, std::int64_t limit) {
      const kernel::ValueId holds = b_.compare(kind, coord, b_.const_i64(limit, span_->lanes));
      apart = apart.valid() ? b_.logical_and(apart, holds) : holds;
    };
    if (dimension.may_be_negative) bound(CompareKind::Ge, 0);
    if (dimension.may_be_beyond) bound(CompareKind::Lt, dimension.extent);
  }
  if (alike.valid() && b_.constant(alike) == 1) alike = {};
  if (!alike.valid()) return apart;
  const kernel::ValueId all = b_.splat(alike, span_->lanes);
  return apart.valid() ? b_.logical_and(apart, all) : all;
}

kernel::ValueId Elements::with_span_mask(kernel::ValueId mask) {
  if (!span_->mask.valid()) return mask;
  return mask.valid() ? b_.logical_and(mask, span_->mask) : span_->mask;
}

bool Elements::moves_in_lanes(const Access& access) const {
  return span_ && access.address && access.address->factor_of(span_->axis) != 0;
}

kernel::ValueId Elements::load_lanes(const Access& from, const LoadOp& op, const Point& at) {
  const kernel::ValueId inside = lanes_in_range(from, at);
  const kernel::ValueId address = accesses_.address(from, at);
  const kernel::ValueId read = b_.load(from.place->memory, address, span_->lanes, with_span_mask(inside));
  if (!inside.valid() || !op.fallback.valid()) return read;
  const kernel::ValueId otherwise = spread(fallback(op));
  return b_.select(inside, read, otherwise);
}

void Elements::store_lanes(const Access& to, const Point& at, kernel::ValueId stored, kernel::ValueId more) {
  kernel::ValueId mask = lanes_in_range(to, at);
  if (more.valid()) {
    const kernel::ValueId all = spread(more);
    mask = mask.valid() ? b_.logical_and(mask, all) : all;
  }
  mask = with_span_mask(mask);
  const kernel::ValueId address = accesses_.address(to, at);
  b_.store(to.place->memory, address, spread(stored), mask);
}

}  // namespace tilewright::lower
