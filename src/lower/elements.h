// Elements: one element of a tile value as kernel IR, computed in place or read from where the value lies.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/index_emitter.h"
#include "lower/lane_options.h"
#include "lower/slot_pool.h"
#include "lower/value_forms.h"
#include "tile/program.h"

namespace tilewright::lower {

kernel::ScalarType scalar_type(DataType type);
/// The constant of a literal; integers saturate.
kernel::ValueId emit_literal(kernel::Builder& builder, kernel::ScalarType type, double value);

/// A tile as memory: element p lies at offset + sum(strides[axis] * p[axis]) of the slot; axes without stride
/// broadcast. No offset: 0.
struct StridedView {
  SlotId slot;
  std::map<tile::AxisId, std::int64_t> strides;
  kernel::ValueId offset;
};

/// One loop of a nest. Without bounds it runs over the whole axis.
struct AxisLoop {
  tile::AxisId axis;
  kernel::ValueId low, high;
};

/// Elements `lanes` at a time along an axis.
struct LanePlan {
  tile::AxisId axis;
  std::uint16_t lanes = 1;
};

class Elements {
 public:
  Elements(const tile::Program& program, const ValueForms& forms, kernel::Builder& builder, SlotPool& slots,
           IndexEmitter& index, AccessEmitter& accesses, const std::map<tile::ObjectId, ObjectPlace>& objects,
           const LaneOptions& lane_options = {});

  // ---- Where values are ----
  void set_scalar(tile::ValueId value, kernel::ValueId scalar) { scalars_[value] = scalar; }
  /// The value lies in the slot, dense and row-major over layout().
  void set_slot(tile::ValueId value, SlotId slot) { set_view(value, {slot, dense_strides(layout(value)), {}}); }
  /// The order of a value's axes in its slot; unless set, that of the value.
  void set_layout(tile::ValueId value, std::vector<tile::AxisId> axes) { layouts_[value] = std::move(axes); }
  std::vector<tile::AxisId> layout(tile::ValueId value) const;
  bool lies_as_declared(tile::ValueId value) const { return layout(value) == axes(value); }
  /// The layout in which an element-wise value reads what it is made from side by side.
  std::vector<tile::AxisId> natural_layout(tile::ValueId value) const;
  /// The same for a value that is read: its own layout where it is stored.
  std::vector<tile::AxisId> operand_layout(tile::ValueId value) const;
  void set_view(tile::ValueId value, StridedView view) { views_[value] = std::move(view); }
  kernel::ValueId scalar(tile::ValueId value) const;
  SlotId slot(tile::ValueId value) const { return view(value).slot; }
  const StridedView& view(tile::ValueId value) const;
  std::vector<tile::AxisId> axes(tile::ValueId value) const { return program_.list(program_.value(value).axes); }
  kernel::ScalarType type(tile::ValueId value) const { return scalar_type(program_.value(value).element.data); }
  std::map<tile::AxisId, std::int64_t> dense_strides(const std::vector<tile::AxisId>& axes) const;

  // ---- Elements ----
  /// Loops over the axes, outermost first; nothing when an extent is 0. Axes of extent 1 have no loop.
  void nest(const std::vector<AxisLoop>& loops, Point at, const std::function<void(const Point&)>& body);
  void nest(const std::vector<tile::AxisId>& axes, Point at, const std::function<void(const Point&)>& body);
  /// The element at a point of the value's axes (others are ignored).
  kernel::ValueId element(tile::ValueId value, const Point& at);
  /// The element that the operation of a value gives, whatever the value's own form is.
  kernel::ValueId result_element(tile::ValueId value, const Point& at);
  kernel::ValueId load_from(const StridedView& view, const Point& at);
  void store_to(const StridedView& view, const Point& at, kernel::ValueId value);
  kernel::ValueId load_from(SlotId slot, const std::map<tile::AxisId, std::int64_t>& strides, const Point& at) {
    return load_from(StridedView{slot, strides, {}}, at);
  }
  void store_to(SlotId slot, const std::map<tile::AxisId, std::int64_t>& strides, const Point& at,
                kernel::ValueId value) {
    store_to(StridedView{slot, strides, {}}, at, value);
  }
  /// The place in the slot of a view.
  kernel::ValueId place_in(const StridedView& view, const Point& at);
  kernel::ValueId fallback(const tile::LoadOp& load);
  /// One element of a store, where it lies in its object and `more` (none: always) holds.
  void store(tile::OpId id, const tile::StoreOp& op, const Point& at, kernel::ValueId more);
  /// The same with the element given. Premise: the object is not empty.
  void store_value(tile::OpId id, const Point& at, kernel::ValueId stored, kernel::ValueId more);
  const Access& access(tile::OpId op);

  /// Emits `emit` once, or twice under a test: with every Linear access among the loads fused into `root` and `more`
  /// known to be in range, and without. known_in_range() tells which one is being emitted. root may be none; own_op:
  /// its own operation is computed here, whatever its form. The value that emit returns (none: nothing) is passed on.
  kernel::ValueId versioned_value(tile::ValueId root, bool own_op, std::vector<const Access*> more,
                                  const std::function<kernel::ValueId()>& emit);
  template <class Emit>
  void versioned(tile::ValueId root, bool own_op, std::vector<const Access*> more, Emit&& emit) {
    versioned_value(root, own_op, std::move(more), [&] {
      emit();
      return kernel::ValueId{};
    });
  }
  bool known_in_range() const { return known_in_range_; }

  // ---- Several elements at once: element_lanes.cpp ----
  /// Why the elements of a value cannot be computed side by side along the axis. own_op: as for versioned_value.
  LaneRefusal lane_refusal(tile::ValueId value, bool own_op, tile::AxisId axis);
  LaneRefusal access_refusal(const Access& access, tile::AxisId axis) const;
  /// How the elements of a value are computed along the axis; none: one by one. Asked for where they are computed: it
  /// depends on known_in_range().
  std::optional<LanePlan> lane_plan(tile::ValueId value, bool own_op, std::optional<tile::AxisId> axis);
  std::uint16_t lanes_for(tile::AxisId axis) const;
  /// The last of the axes that has more than one element: dense tiles lie side by side along it.
  std::optional<tile::AxisId> innermost(const std::vector<tile::AxisId>& axes) const;
  /// As nest(), with the loop of the plan's axis innermost. Its counter is that of the first lane while the body makes
  /// the elements of all lanes; elements that make no whole vector are masked, or done one by one.
  void nest(const std::vector<AxisLoop>& loops, const std::optional<LanePlan>& plan, Point at,
            const std::function<void(const Point&)>& body);
  void lane_loop(const LanePlan& plan, kernel::ValueId low, kernel::ValueId high, const Point& at,
                 const std::function<void(const Point&)>& body);
  /// One body of such a loop, all lanes or the first `count` of them.
  void in_lanes(const LanePlan& plan, Point at, kernel::ValueId from, const std::function<void(const Point&)>& body);
  void in_first_lanes(const LanePlan& plan, kernel::ValueId count, Point at, kernel::ValueId from,
                      const std::function<void(const Point&)>& body);
  /// A stored value that is about to be made: it may be asked for as one that is computed in lanes, and its elements
  /// are those given to remember().
  void expect(std::optional<tile::ValueId> value) { expected_ = value; }
  /// In the body of a loop: the element of the value at this point.
  void remember(tile::ValueId value, const Point& at, kernel::ValueId element);
  /// Whether `of` is computed from the element of `value` at its own point, and from no other element of it.
  bool computes_in_place(tile::ValueId of, tile::ValueId value) const;
  /// The lanes of the element that is being computed; 1: a number.
  std::uint16_t lanes() const { return span_ ? span_->lanes : 1; }
  /// Which of the lanes are computed; none: all.
  kernel::ValueId lane_mask() const { return span_ ? span_->mask : kernel::ValueId{}; }
  /// In all lanes.
  kernel::ValueId spread(kernel::ValueId value);
  bool moves_in_lanes(const Access& access) const;
  /// Premise: moves_in_lanes(). `more`: as for store().
  void store_lanes(const Access& to, const Point& at, kernel::ValueId stored, kernel::ValueId more);

  /// A value as a fragment, all of whose elements are computed at once. `known` has the fragments that it starts from;
  /// everything else down to them is element-wise, and each value is made once.
  struct Fragments {
    std::uint16_t rows = 0, columns = 0;
    std::map<tile::ValueId, kernel::ValueId> known;
  };
  kernel::ValueId fragment(tile::ValueId value, Fragments& fragments);

  // ---- What an element reads ----
  /// Whether computing the value over `axes`, writing each element to `slot` right after, reads from `slot` no other
  /// element than the one to be written.
  bool reads_in_place(tile::ValueId value, SlotId slot, const std::vector<tile::AxisId>& axes, bool own_op) const;
  bool reads_slot(tile::ValueId value, SlotId slot) const;
  /// Slots that the elements of a value are read from.
  std::set<SlotId> slots_read(tile::ValueId value) const;
  /// Whether elements of the value are computed where they are used: Free or Fused.
  bool is_inline(tile::ValueId value) const;
  /// Whether computing the value there loads from buffers.
  bool loads_inline(tile::ValueId value);
  /// The same for its own operation.
  bool loads_in(tile::ValueId value);
  /// Whether the value is a load of elements that lie side by side, all of them.
  bool is_dense_load(tile::ValueId value);
  /// Whether the value is a load of which no element needs a test.
  bool is_inside_load(tile::ValueId value);
  /// The value as memory, when it is Stored or a linear rearrangement of a Stored value.
  std::optional<StridedView> strided(tile::ValueId value);

 private:
  struct LaneSpan {
    tile::AxisId axis;
    std::uint16_t lanes = 1;
    kernel::ValueId mask;  ///< none: all lanes
  };
  LaneRefusal lane_refusal(tile::ValueId value, bool own_op, tile::AxisId axis,
                           std::set<std::pair<tile::ValueId, tile::AxisId>>& seen);
  LaneRefusal reindex_refusal(const tile::ReindexOp& op, tile::AxisId axis,
                              std::set<std::pair<tile::ValueId, tile::AxisId>>& seen);
  std::optional<tile::AxisId> moved_axis(const tile::ReindexOp& op, tile::AxisId axis) const;
  void in_span(const LaneSpan& span, Point at, kernel::ValueId from, const std::function<void(const Point&)>& body);
  kernel::ValueId first_lanes(kernel::ValueId count, std::uint16_t lanes);
  void match(kernel::ValueId& a, kernel::ValueId& b);
  kernel::ValueId lane_number(tile::IndexId expr, const Point& at);
  kernel::ValueId lanes_in_range(const Access& access, const Point& at);
  kernel::ValueId with_span_mask(kernel::ValueId mask);
  kernel::ValueId load_lanes(const Access& from, const tile::LoadOp& op, const Point& at);
  bool reads_inline(tile::ValueId of, tile::ValueId value) const;
  std::optional<std::vector<tile::AxisId>> layout_read(tile::ValueId value, bool own_op) const;
  /// A comparison of index expressions that their ranges decide, or one number against the lanes of another.
  std::optional<kernel::ValueId> emit_index_compare(kernel::CompareKind kind, const tile::BinaryOp& op,
                                                    const Point& at);
  std::optional<kernel::ValueId> decided(kernel::CompareKind kind, tile::IndexId lhs, tile::IndexId rhs);
  kernel::ValueId emit_select(const tile::SelectOp& op, const Point& at);
  kernel::ValueId emit_reindex(const tile::ReindexOp& op, const Point& at);

  kernel::ValueId emit(tile::ValueId value, const tile::OpPayload& payload, const Point& at);
  kernel::ValueId fragment_element(tile::ValueId value);
  kernel::ValueId emit_binary(const tile::BinaryOp& op, const Point& at);
  kernel::ValueId emit_gather(const tile::GatherOp& op, const Point& at);
  kernel::ValueId emit_load(tile::OpId id, const tile::LoadOp& op, const Point& at);
  Point reindexed(const tile::ReindexOp& op, const Point& at);
  void collect_loads(tile::ValueId value, bool own_op, std::vector<const Access*>& found,
                     std::set<tile::ValueId>& seen);
  bool reads_in_place(tile::ValueId value, SlotId slot, const std::vector<tile::AxisId>& axes, bool own_op,
                      std::set<tile::ValueId>& seen) const;
  void collect_slots(tile::ValueId value, std::set<SlotId>& slots, std::set<tile::ValueId>& seen) const;
  const tile::OpPayload& definition(tile::ValueId value) const {
    return program_.op(program_.value(value).def).payload;
  }

  const tile::Program& program_;
  const ValueForms& forms_;
  kernel::Builder& b_;
  SlotPool& slots_;
  IndexEmitter& index_;
  AccessEmitter& accesses_;
  const std::map<tile::ObjectId, ObjectPlace>& objects_;

  std::map<tile::ValueId, kernel::ValueId> scalars_;
  std::map<tile::ValueId, StridedView> views_;
  std::map<tile::ValueId, std::vector<tile::AxisId>> layouts_;
  std::map<tile::OpId, Access> access_of_;
  /// Elements of the innermost loop body so far, by value, axis of the lanes (or none) and place.
  std::map<std::tuple<tile::ValueId, tile::AxisId, std::vector<kernel::ValueId>>, kernel::ValueId> known_;
  bool known_in_range_ = false;
  LaneOptions lane_options_;
  std::optional<tile::ValueId> expected_;
  std::optional<LaneSpan> span_;    ///< what is being computed, along an axis that it has
  Fragments* fragments_ = nullptr;  ///< while fragments are computed in place of elements
};

}  // namespace tilewright::lower
