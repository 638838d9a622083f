// DirectLowering: one launch as the program of one subgroup, one step an operation (lower/lower_direct.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/roles.h"
#include "kernel/builder.h"
#include "lower/access.h"
#include "lower/elements.h"
#include "lower/index_emitter.h"
#include "lower/region_carries.h"
#include "lower/slot_pool.h"
#include "lower/value_plan.h"
#include "tile/program.h"

namespace tilewright::lower {

class DirectLowering {
 public:
  /// `objects` holds the buffers; `tensor_operation` names what an mma becomes. Premise: check_direct accepts the
  /// program.
  DirectLowering(const tile::Program& program, const ValuePlan& values, std::string tensor_operation,
                 kernel::Builder& builder, const std::map<tile::ObjectId, ObjectPlace>& objects);

  void lower_launch(const std::string& kernel_name, const tile::RegionOp& launch);

 private:
  using Axes = std::vector<tile::AxisId>;
  using Make = std::function<kernel::ValueId(const Point&)>;

  // ---- direct_lowering.cpp: blocks, values, stores ----
  void lower_block(tile::BlockId block);
  void lower_op(tile::OpId op);
  void lower_value(tile::ValueId value, const Make& element);
  void set_number(tile::ValueId value, const Make& number);
  void lower_store(tile::OpId id, const tile::StoreOp& op);
  void fence();

  /// The body once for each point, each by one worker, and a fence behind it. Equal axes deal alike.
  void each_element(const Axes& axes, const std::function<void(const Point&)>& body);
  Point point_of(const Axes& axes, kernel::ValueId ordinal);
  /// Storage that nobody uses, in the order of axes that the matrix operations want of `value`. The caller holds it.
  StridedView take(tile::ValueId value, kernel::ScalarType type);
  StridedView take(const Axes& order, kernel::ScalarType type, const std::string& name);
  /// The elements of a value into storage that they do not read.
  void evaluate(const StridedView& into, tile::ValueId value);
  /// The value lies there; the hold of the caller ends.
  void define(tile::ValueId value, const StridedView& view);
  void end_values(Place place);

  // ---- direct_mma.cpp ----
  /// An operand as a dense matrix; `is_packed`: in storage that is given back.
  struct Matrix {
    SlotId slot;
    bool is_packed = false;
  };
  static Axes joined(Axes batch, const Axes& outer, const Axes& inner);
  void prefer_matrix_orders();
  void lower_mma(tile::OpId id, tile::ValueId value, const tile::MmaOp& op);
  StridedView accumulator(tile::ValueId value, const tile::MmaOp& op, const Axes& order);
  Matrix matrix(tile::ValueId value, const Axes& order);
  void multiply(const analysis::MmaRoles& roles, const Matrix& a, const Matrix& b, const StridedView& sum,
                bool relaxed);

  // ---- direct_regions.cpp: loops, carries, conditions ----
  struct Carry : RegionCarry {
    StridedView view;  ///< tiles
  };
  using Numbers = std::vector<kernel::ValueId>;
  struct Move {
    tile::ValueId value;
    StridedView to;
  };
  void lower_region(tile::OpId id, const tile::RegionOp& region);
  Numbers enter(std::vector<Carry>& carries);
  Numbers lower_body(const tile::RegionOp& region, std::vector<Carry>& carries, const Numbers& numbers);
  void leave(std::vector<Carry>& carries, const Numbers& numbers);
  /// All at once: what one of them overwrites is read first.
  void move_all(const std::vector<Move>& moves);
  void lower_if(tile::OpId id, const tile::IfOp& op);
  Numbers lower_branch(tile::BlockId block, const std::vector<StridedView>& into);

  const tile::Program& program_;
  const ValuePlan& values_;
  const std::string tensor_operation_;
  kernel::Builder& b_;
  SlotPool slots_;
  IndexEmitter index_;
  AccessEmitter accesses_;
  Elements elements_;
  std::map<tile::ValueId, Axes> orders_;  ///< of the axes in storage, where it is not that of the value
  kernel::ValueId worker_;
};

}  // namespace tilewright::lower
