// The state of one interpretation, shared by the parts of the evaluator.
//
// The evaluator is one skeleton over two arithmetics A (Exact, Typed): regions in interpreter_regions.cpp, elementwise
// operations, mma, accesses and folds in files of their own. Faults of the program travel as InterpreterFault and end
// at interpret_exact / interpret_typed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tile/array_view.h"
#include "tile/interpreter.h"
#include "tile/interpreter_coordinates.h"
#include "tile/interpreter_tile.h"
#include "tile/interpreter_walk.h"
#include "tile/program.h"

namespace tilewright::tile {

struct InterpreterFault {
  Diag diag;
};

/// An object while the program runs: the caller's memory, or elements of our own.
template <class A>
struct Storage {
  DataType type = DataType::F32;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  std::int64_t elements = 0;          ///< addresses are 0 .. elements - 1
  std::byte* bytes = nullptr;         ///< the caller's memory, or null
  Elements<A> image;                  ///< used when bytes is null
  bool readable_at_first = false;     ///< has contents before the first store
  std::vector<std::uint8_t> written;  ///< by address; empty when nobody asks
};

/// Where one coordinate leads: its part of the address, or outside of the object.
struct Position {
  std::int64_t offset = 0;
  std::int64_t inside = 0;  ///< 0 or 1
};

/// The coordinates of a load, store or reindexing, over its iteration space.
struct Access {
  std::vector<CoordinateTable> tables;           ///< one a dimension of the object
  std::vector<std::vector<Position>> positions;  ///< of the tables' entries
  Walk walk;                                     ///< operands: one a dimension, then the tile
  std::vector<AxisId> space;
};

/// Extents of the roles of an mma, and how its operands are gathered into dense panels.
struct MmaShape {
  std::int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  bool swapped = false;      ///< a and b trade places, so that the longer side is the columns
  Walk left, right, result;  ///< operand 0 dense over [batch][row][depth], [batch][depth][column], [batch][row][column]
};

/// What does not change between two executions of one operation.
struct Prepared {
  std::optional<Walk> walk;
  std::optional<Access> access;
  std::optional<MmaShape> mma;
};

/// When values die. Each value appears once, under the block that defines it.
struct Lifetimes {
  std::vector<std::vector<ValueId>> after_op;  ///< by operation: nobody reads them after it
  std::vector<std::vector<ValueId>> at_end;    ///< by block: read by its yields, or by nobody
};
Lifetimes find_lifetimes(const Program& program);

template <class A>
struct Machine {
  explicit Machine(const Program& bound);

  const Program& program;
  std::vector<std::int64_t> axis_extents;
  std::vector<TileRef<A>> values;
  std::vector<Storage<A>> objects;
  std::vector<Prepared> prepared;      ///< by operation
  std::vector<ValueId> first_results;  ///< by operation, or none
  Lifetimes lifetimes;
  CoordinateValues at;
  std::vector<CoordId> active;  ///< coordinates of the enclosing regions, outermost first
  int undecided_depth = 0;      ///< > 0: inside a branch that executions may or may not take
  TilePool<A> pool;
  std::vector<IndexCode> extent_codes;                  ///< by coordinate
  std::vector<std::vector<typename A::Stored>> panels;  ///< scratch of mma

  std::vector<std::int64_t> extents_of(const std::vector<AxisId>& axes) const;
  std::vector<AxisId> axes_of(ValueId value) const { return program.list(program.value(value).axes); }
  DataType type_of(ValueId value) const { return program.value(value).element.data; }
  const Elements<A>& tile(ValueId value) const { return *values[value.index]; }
  ValueId result_of(OpId op) const { return first_results[op.index]; }
  std::int64_t size_of(ValueId value) const;
  /// Steps of a dense tile of `value` along the axes of an iteration space.
  std::vector<std::int64_t> strides_over(ValueId value, const std::vector<AxisId>& space) const;
  /// The walk over `result` (operand 0) with the given operands, made at the first call.
  const Walk& walk(OpId op, ValueId result, const std::vector<ValueId>& operands);
  void release(const std::vector<ValueId>& dead);

  [[noreturn]] void fault(OpId op, DiagCode code, std::string message, std::string hint = {}) const;
  /// "i = 3, j = 0", or empty outside of regions.
  std::string where() const;
};

/// The value of a value operation. Each is defined for both arithmetics in the file of its idea.
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ConstantOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const UnaryOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const BinaryOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const SelectOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const CastOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const BroadcastOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const IndexValueOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ReindexOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const GatherOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const LoadOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const ReduceOp& op);
template <class A>
TileRef<A> evaluate(Machine<A>& machine, OpId id, const MmaOp& op);
template <class A>
void execute_store(Machine<A>& machine, OpId id, const StoreOp& op);

/// Covers both branches of an undecided `if`.
template <class A>
TileRef<A> merge_branches(Machine<A>& machine, ValueId result, TileRef<A> chosen, TileRef<A> other);

/// The accumulators of a reduce region: folds contributions into an initial tile, element by element.
template <class A>
class TileFold {
 public:
  TileFold(FoldKind kind, DataType type, std::int64_t size, const Elements<A>& init);
  void add(const Elements<A>& contribution);
  void finish(Elements<A>& result) const;

 private:
  FoldKind kind_;
  DataType type_;
  std::int64_t size_;
  std::vector<typename A::Sum> sums_;       ///< of float sums
  std::vector<typename A::Real> extremes_;  ///< of float maxima and minima
  std::vector<typename A::WholeNumber> wholes_;
};

/// Extents of a region's domains at the current coordinates.
template <class A>
std::vector<std::int64_t> region_extents(Machine<A>& machine, OpId id, const RegionOp& op);

/// Runs one operation, or a block, with everything inside. Values that die are dropped by run_block.
template <class A>
void run_op(Machine<A>& machine, OpId id);
template <class A>
void run_block(Machine<A>& machine, BlockId block);

/// Runs the top-level launches (interpreter_launches.cpp).
template <class A>
void run_program(Machine<A>& machine, const InterpreterOptions& options);

}  // namespace tilewright::tile
