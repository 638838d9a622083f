// TaskLowering: the body of one top-level parallel region as one kernel.
//
// Blocks are lowered operation by operation. A Stored value gets a slot when it is defined and leaves it after its last
// use. A value that a loop carries is computed in the carry's own slot when nothing else still needs what lies there
// (see destination()), so that an accumulator is updated in place.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/elements.h"
#include "lower/index_emitter.h"
#include "lower/region_carries.h"
#include "lower/slot_pool.h"
#include "lower/value_plan.h"
#include "tile/program.h"

namespace tilewright::lower {

class TaskLowering {
 public:
  /// `objects` holds the buffers; explicit memories are added where they come to life.
  TaskLowering(const tile::Program& program, const ValuePlan& plan, kernel::Builder& builder,
               std::map<tile::ObjectId, ObjectPlace>& objects, const LaneOptions& lane_options = {});

  void lower_launch(const std::string& kernel_name, const tile::RegionOp& launch);

 private:
  // ---- Blocks and values: task_lowering.cpp ----
  void lower_ops(tile::BlockId block);
  void lower_op(tile::OpId op);
  void end_values(Place place);
  void define(tile::ValueId value, SlotId slot);
  bool can_take(SlotId slot, tile::ValueId value, Place place) const;
  /// A slot for a value defined at `place`: the one that it is wanted in, when that is free by then and `safe` agrees
  /// that the operation may write there; else another. The caller defines the value in it.
  SlotId destination(tile::ValueId value, Place place, const std::function<bool(SlotId)>& safe);
  SlotId fresh_slot(tile::ValueId value);
  SlotId scratch(kernel::ScalarType type, std::int64_t count, const std::string& name);
  kernel::AllocationSpace space_of(tile::ValueId value) const;
  /// Asks for the value to be computed in the slot, and for what it is an update of.
  void want(tile::ValueId value, SlotId slot);

  void lower_value(tile::ValueId value);
  void lower_elementwise(tile::ValueId value);
  void lower_memory(const tile::MemoryOp& op);
  /// slot[p] = cast of element(value, p) over the value's axes.
  void evaluate_into(SlotId slot, tile::ValueId value);
  void copy(SlotId from, SlotId to, const std::vector<tile::AxisId>& axes);
  /// Loops over a tile whose dense elements are made from those of a value; none: from a tile like it.
  void dense_nest(const std::vector<tile::AxisId>& axes, tile::ValueId value, bool own_op,
                  const std::function<void(const Point&)>& body);

  // ---- task_access.cpp ----
  struct Clamped {
    kernel::ValueId condition;  ///< does anything lie in range; none: always
    std::vector<AxisLoop> loops;
    std::vector<const Dimension*> tested;  ///< by element
  };
  Clamped clamp(const Access& access, const std::vector<tile::AxisId>& axes);
  kernel::ValueId tested_in_range(const Clamped& clamped, const Point& at);
  void lower_load(tile::OpId id, tile::ValueId value, const tile::LoadOp& op);
  void load_clamped(const Access& access, const tile::LoadOp& op, SlotId slot, const std::vector<tile::AxisId>& axes);
  void lower_store(tile::OpId id, const tile::StoreOp& op);
  std::vector<tile::AxisId> store_axes(const Access& access, const tile::StoreOp& op) const;
  void when(kernel::ValueId condition, const std::function<void()>& body);

  // ---- task_prefetch.cpp ----
  void prefetch_next(const Access& access, const std::vector<tile::AxisId>& axes);

  // ---- task_fold.cpp ----
  struct Fold {
    const tile::ReduceOp& op;
    kernel::ScalarType type;  ///< of the sums
    std::int64_t extent = 0;
  };
  void lower_reduce(tile::ValueId value, const tile::ReduceOp& op);
  kernel::ValueId fold_counter(const Fold& fold, kernel::ValueId counter);
  kernel::ValueId fold_operand(const Fold& fold, const Point& at);
  void fold_rows(const Fold& fold, const std::vector<tile::AxisId>& kept, SlotId slot);

  // ---- task_fold_lanes.cpp ----
  bool folds_in_lanes(const Fold& fold);
  /// A lane for each row, or a number for one. rows: points of the kept axes.
  kernel::ValueId fold_in_lanes(const Fold& fold, const std::vector<Point>& rows);
  std::vector<kernel::ValueId> fold_rest(const Fold& fold, const std::vector<Point>& rows, const LanePlan& plan,
                                         std::vector<kernel::ValueId> sums);
  void fold_rows_in_lanes(const Fold& fold, const std::vector<tile::AxisId>& kept, SlotId slot);
  kernel::ValueId fold_scalar_in_lanes(const Fold& fold);
  /// One vector a row, folded to one lane a row.
  kernel::ValueId fold_across(const Fold& fold, std::vector<kernel::ValueId> rows);

  // ---- task_mma.cpp ----
  struct MmaOperand {
    StridedView view;
    SlotId packed;  ///< to give back, when there is one
  };
  void lower_mma(tile::ValueId value, const tile::MmaOp& op);
  /// `later`: c is not put into it, unless it lies there anyway.
  SlotId mma_destination(tile::ValueId value, const tile::MmaOp& op, bool later);
  MmaOperand mma_operand(tile::ValueId value, kernel::ScalarType type, std::optional<tile::AxisId> innermost,
                         bool used_once);
  void emit_products(const std::vector<tile::AxisId>& depth, std::optional<tile::AxisId> innermost, const MmaOperand& a,
                     const MmaOperand& b, tile::ValueId value, SlotId slot, const Point& at);
  kernel::ValueId emit_chain(const std::vector<tile::AxisId>& depth, const MmaOperand& a, const MmaOperand& b,
                             kernel::ValueId init, Point at);
  void emit_scalar_products(tile::ValueId value, const tile::MmaOp& op, const std::vector<tile::AxisId>& depth,
                            const MmaOperand& a, const MmaOperand& b);
  kernel::ValueId operand_element(const MmaOperand& operand, const Point& at);

  // ---- task_mma_lanes.cpp ----
  struct MmaLanes {
    tile::AxisId column;              ///< the results lie side by side along it
    std::optional<tile::AxisId> row;  ///< of results that share the vectors of one operand
    std::vector<tile::AxisId> outer, depth;
  };
  /// Columns that are one vector, or a number.
  struct MmaPiece {
    std::int64_t begin = 0;
    std::uint16_t lanes = 1;
    std::int64_t used = 1;  ///< the first of the lanes
  };
  /// An operand: its own elements, or as packed.
  struct MmaSource {
    tile::ValueId value;
    std::optional<MmaOperand> packed;
    bool has_row = false, has_column = false;
  };
  struct MmaRectangle {
    const MmaLanes& lanes;
    std::array<MmaSource, 2> operands;
    tile::ValueId value;
    tile::ValueId init;  ///< where the sums begin; none: with what the slot holds
    SlotId slot;
    tile::ValueId root;  ///< what is stored in place of the sums: computed from them
  };
  std::optional<tile::ValueId> mma_root(tile::ValueId value, const MmaLanes& lanes);
  bool nothing_between(Place from, Place to) const;
  MmaSource mma_source(tile::ValueId value, kernel::ScalarType type, const MmaLanes& lanes);
  kernel::ValueId source_element(const MmaSource& source, const Point& at);
  std::optional<MmaLanes> mma_lanes(tile::ValueId value, const tile::MmaOp& op);
  std::vector<std::vector<MmaPiece>> mma_panels(tile::AxisId column);
  void lower_mma_lanes(tile::ValueId value, const tile::MmaOp& op, const MmaLanes& lanes);
  void emit_panel(const MmaRectangle& shape, const std::vector<MmaPiece>& panel, const Point& at);
  void emit_rectangle(const MmaRectangle& shape, const std::vector<MmaPiece>& panel, const std::vector<Point>& rows);
  std::vector<kernel::ValueId> emit_contraction(const MmaRectangle& shape, const std::vector<MmaPiece>& panel,
                                                const std::vector<Point>& rows, std::vector<kernel::ValueId> sums);
  void in_piece(const MmaLanes& lanes, const MmaPiece& piece, const Point& at,
                const std::function<void(const Point&)>& body);
  bool pack_transposed(tile::ValueId value, kernel::ScalarType type, tile::AxisId column, SlotId packed);
  void pack_square(tile::ValueId value, const StridedView& target, const LanePlan& column, const LanePlan& source,
                   const Point& at, kernel::ValueId first_column, kernel::ValueId first_source);

  // ---- task_regions.cpp ----
  struct Carry : RegionCarry {
    SlotId slot;  ///< tiles
  };
  struct OpenLoops {
    std::size_t count = 0;
    std::vector<kernel::ValueId> carries;
  };
  void lower_region(tile::OpId id, const tile::RegionOp& region);
  void enter_carry(Carry& carry, Place place);
  OpenLoops open_loops(const tile::RegionOp& region, std::vector<kernel::ValueId> inits);
  std::vector<kernel::ValueId> close_loops(const OpenLoops& loops, std::vector<kernel::ValueId> yields);
  std::vector<kernel::ValueId> lower_body(const tile::RegionOp& region, std::vector<Carry>& carries,
                                          const std::vector<kernel::ValueId>& scalars);
  void fold_contribution(const Carry& carry);
  void leave_carry(const Carry& carry, kernel::ValueId scalar, Place place);
  /// Moves values to slots, all at once.
  struct Move {
    tile::ValueId value;
    SlotId slot;
  };
  void move_all(const std::vector<Move>& moves);

  void lower_if(tile::OpId id, const tile::IfOp& op);
  std::vector<SlotId> if_slots(tile::OpId id, const tile::IfOp& op);
  std::vector<kernel::ValueId> lower_branch(tile::BlockId block, const std::vector<SlotId>& slots);

  const tile::Program& program_;
  const ValuePlan& plan_;
  kernel::Builder& b_;
  LaneOptions lane_options_;
  std::map<tile::ObjectId, ObjectPlace>& objects_;
  SlotPool slots_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  Elements elements_;
  std::vector<std::pair<tile::CoordId, kernel::ValueId>> loops_;  ///< of regions that are open, outermost first
  std::map<tile::ValueId, SlotId> wanted_;
  std::set<tile::ValueId> dropped_;  ///< values that left their slot before their last use, or never had one
  std::set<tile::ValueId> made_;     ///< values that were computed before their place
};

}  // namespace tilewright::lower
