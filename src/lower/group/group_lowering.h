// GroupLowering: one launch as the program of a group, by the cooperative mapping of its plan.
//
// A group runs one program. Its tiles lie in shared storage, their elements are dealt out to the workers
// (distribution.h), matrix operations go to the subgroups. Numbers (rank 0) are computed by every worker. After each
// domain of elements and each matrix operation stands a compiler fence of the whole group over all memory: that is the
// reference, from which sync/ takes what no dependence needs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/elements.h"
#include "lower/group/distribution.h"
#include "lower/group/storage.h"
#include "lower/index_emitter.h"
#include "lower/region_carries.h"
#include "lower/slot_pool.h"
#include "plan/plan.h"
#include "proof/subject.h"
#include "realize/materialization.h"
#include "realize/mma_form.h"
#include "tile/program.h"

namespace tilewright::lower {

/// Unsupported, one for each: opaque calls, and tiles or memory that must be private to a worker.
Result<void> check_group(const proof::Subject& subject, const plan::LaunchPlan& launch);

class GroupLowering {
 public:
  /// `objects` holds the buffers; explicit memories are added where they come to life. Premise: check_group succeeds.
  GroupLowering(const proof::Subject& subject, const plan::LaunchPlan& launch,
                const realize::Materialization& materialization, kernel::Builder& builder,
                std::map<tile::ObjectId, ObjectPlace>& objects);

  /// The coordinates of the program are those of the kernel that is open.
  /// Unsupported: an operand or output that the plan has as a matrix in memory lies otherwise in this launch.
  Result<void> lower(const std::vector<kernel::ValueId>& coordinates);

 private:
  // ---- group_lowering.cpp: blocks, values, stores ----
  void allocate_tiles();
  void lower_ops(const std::vector<tile::OpId>& ops);
  void lower_block(tile::BlockId block) { lower_ops(program_.block(block).ops); }
  void lower_op(tile::OpId id);
  void lower_value(tile::ValueId value);
  void set_number(tile::ValueId value, const std::function<kernel::ValueId(const Point&)>& number);
  bool reads_memory(tile::ValueId value) const;
  void lower_store(tile::OpId id, const tile::StoreOp& op);
  void lower_memory(const tile::MemoryOp& op);
  void lower_barrier(const tile::BarrierOp& op);
  std::vector<tile::AxisId> store_axes(const tile::StoreOp& op) const;
  /// The elements into the storage of `target`, which they do not read.
  void fill(tile::ValueId target, const std::function<kernel::ValueId(const Point&)>& element, bool batched);
  void fence();

  // ---- group_folds.cpp: folds, and contractions without atoms ----
  void lower_reduce(tile::ValueId value, const tile::ReduceOp& op);
  void lower_contraction(tile::ValueId value, const tile::MmaOp& op);
  kernel::ValueId contraction_chain(tile::ValueId value, const tile::MmaOp& op, const std::vector<tile::AxisId>& depth,
                                    Point at);

  // ---- group_matrices.cpp: atoms ----
  using Fragments = std::vector<kernel::ValueId>;
  struct Matrix {
    const plan::MatrixPlan* plan = nullptr;
    const tile::MmaOp* op = nullptr;
    realize::MmaForm form;
    tile::ValueId result;
    std::uint32_t carry = 0;  ///< of the region, when the accumulator stays in fragments
    Fragments resident;       ///< then: what it is at present
  };
  /// What one subgroup has of a matrix: its first element, how many fragments, and how large each of them is.
  struct Rectangle {
    kernel::ValueId row, column;
    std::int64_t rows = 0, columns = 0;
    std::uint16_t extent_rows = 0, extent_columns = 0;
    kernel::Participants participants = kernel::Participants::Subgroup;  ///< Group: all of it is the group's
  };
  /// A matrix in memory: element (r, c) at index + r * row_step + c * column_step.
  struct MatrixView {
    kernel::MemoryRef memory;
    kernel::ValueId index;
    std::int64_t row_step = 0, column_step = 0;
  };
  void collect_matrices();
  void lower_mma(tile::OpId id, const tile::MmaOp& op);
  void lower_jobs(Matrix& matrix);
  void lower_rectangle(Matrix& matrix);
  bool may_round(const Matrix& matrix) const;
  Rectangle own_rectangle(const Matrix& matrix);
  MatrixView shared_view(tile::ValueId value, tile::AxisId row, tile::AxisId column);
  MatrixView sink_view(tile::OpId store, const Matrix& matrix);
  /// A fault when rows or columns of the object are not one after the other in memory.
  void expect_matrix(tile::OpId access_op, const Access& access, tile::AxisId row, tile::AxisId column);
  kernel::ValueId load_fragment(const MatrixView& view, const Rectangle& rectangle, kernel::ValueId row,
                                kernel::ValueId column);
  void each_fragment(const Rectangle& rectangle, const std::function<void(kernel::ValueId, kernel::ValueId)>& body);
  Fragments initial(const Matrix& matrix, const Rectangle& rectangle);
  Fragments filled(const Matrix& matrix, const Rectangle& rectangle, tile::ValueId literal);
  Fragments loaded(const Matrix& matrix, const Rectangle& rectangle, tile::ValueId value);
  Fragments multiplied(const Matrix& matrix, const Rectangle& rectangle, Fragments accumulator);
  /// part: of the one fragment of a tensor operation.
  void publish(const MatrixView& view, const Rectangle& rectangle, const Fragments& fragments,
               kernel::FragmentPart part = {});
  bool is_literal(tile::ValueId value) const;
  struct Place {
    kernel::ValueId index, stride;
    bool transposed = false;
  };
  Place place_of(const MatrixView& view, kernel::ValueId row, kernel::ValueId column);
  bool has_tensors() const { return launch_.family == realize::AtomFamily::MetalMpp; }

  // ---- group_tensors.cpp: tensor operations ----
  /// A or B in memory: element (outer, depth) at index + outer * outer_step + depth * depth_step. Lengths: how much of
  /// the tile the object has; none: all.
  struct TensorOperand {
    kernel::MemoryRef memory;
    kernel::ValueId index;
    std::int64_t outer_step = 0, depth_step = 0;
    kernel::ValueId outer_length, depth_length;
    kernel::ValueId outer_origin, depth_origin;  ///< in the matrix of the buffer; none: not as its views are
    bool depth_is_inner = false;                 ///< in that matrix
  };
  void name_origin(TensorOperand& operand, const Access& access, tile::AxisId outer, tile::AxisId depth);
  kernel::ValueId tensor_product(const Matrix& matrix, const Rectangle& rectangle, const Fragments& start);
  TensorOperand object_operand(const Matrix& matrix, std::size_t side);
  TensorOperand shared_operand(const Matrix& matrix, std::size_t side);
  kernel::AtomView atom_view(const TensorOperand& operand, std::size_t side, kernel::ValueId origin, std::int64_t local,
                             kernel::ValueId depth);
  void name_place(kernel::AtomView& view, const TensorOperand& operand, kernel::ValueId origin, std::int64_t step);
  kernel::ValueId valid_length(const Access& access, tile::AxisId axis);
  kernel::ValueId own_length(kernel::ValueId length, kernel::ValueId origin, std::int64_t local);
  kernel::ValueId clamped(kernel::ValueId value, std::int64_t high);
  void publish_output(tile::OpId store, const Matrix& matrix);
  Fragments output_of(tile::OpId store, const Matrix& matrix, const Rectangle& rectangle,
                      const kernel::FragmentPart& part);
  kernel::ValueId epilogue_operand(tile::OpId load, const Matrix& matrix, const Rectangle& rectangle,
                                   const kernel::FragmentPart& part);

  // ---- group_regions.cpp: loops, carries, conditions ----
  struct Carry : RegionCarry {
    Matrix* resident = nullptr;  ///< the operation that keeps it in fragments
    std::optional<SlotId> own;   ///< of each worker, for sums that are wider than their tile
  };
  /// What the loops of a region carry as values: numbers, then fragments.
  using State = std::vector<kernel::ValueId>;
  void lower_region(tile::OpId id, const tile::RegionOp& region);
  void lower_if(tile::OpId id, const tile::IfOp& op);
  std::vector<kernel::ValueId> lower_branch(tile::BlockId block, const std::vector<tile::ValueId>& results);
  std::vector<Carry> make_carries(tile::OpId id);
  void enter_carry(Carry& carry);
  void enter_fragments(Matrix& matrix, tile::ValueId from, bool is_filled);
  void leave_carry(Carry& carry);
  State entry_state(const std::vector<Carry>& carries);
  void take_state(const std::vector<Carry>& carries, const State& state);
  State next_state(const std::vector<Carry>& carries, const State& state);
  void set_results(const std::vector<Carry>& carries, const State& state);
  void update_tiles(const std::vector<Carry>& carries);
  void move_together(const std::vector<const Carry*>& carries, const std::vector<tile::AxisId>& axes);
  void fold_contribution(const Carry& carry);
  State loop_over(const tile::RegionOp& region, State state, const std::function<State(const State&)>& body);

  // ---- group_pipelines.cpp: two iterations in flight, copies in flight ----
  struct Overlap {
    std::vector<tile::OpId> producer, consumer;
    std::vector<tile::ValueId> tiles, numbers;  ///< that flow from one to the other
  };
  const plan::PipelinePlan* pipeline_of(tile::OpId region) const;
  Overlap overlap_of(const tile::RegionOp& region, std::uint32_t cut) const;
  State lower_overlapped(const tile::RegionOp& region, const plan::PipelinePlan& pipeline,
                         const std::vector<Carry>& carries, State state);
  State lower_prefetched(const tile::RegionOp& region, const plan::PipelinePlan& pipeline,
                         const std::vector<Carry>& carries, State state);
  void set_iteration(const tile::RegionOp& region, kernel::ValueId iteration);
  kernel::ValueId trips_of(const tile::RegionOp& region);
  void select_version(const Overlap& overlap, kernel::ValueId iteration);
  void forget_versions(const Overlap& overlap);
  std::vector<kernel::ValueId> copies_in_flight(const std::vector<tile::OpId>& copies);
  void land_copies(const std::vector<tile::OpId>& copies, const std::vector<kernel::ValueId>& values);

  const proof::Subject& subject_;
  const tile::Program& program_;
  const plan::LaunchPlan& launch_;
  const realize::Materialization& materialization_;
  kernel::Builder& b_;
  std::map<tile::ObjectId, ObjectPlace>& objects_;
  GroupStorage storage_;
  SlotPool slots_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  Elements elements_;
  kernel::ValueId subgroup_;
  std::optional<Distribution> domain_;
  std::map<tile::OpId, Matrix> matrices_;
  Diags faults_;
};

}  // namespace tilewright::lower
