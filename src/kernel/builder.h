// Builder: the one way in which passes make kernel programs.
//
// It keeps the types, folds index arithmetic on known integers, reuses equal constants and equal i64 operations that
// are already in scope, and gives ids in canonical order. Wrong use (a type that does not fit, a value out of scope,
// blocks closed in the wrong order) is a TW_CHECK: callers are our own passes.
//
//   Builder b("axpy");
//   BufferId x = b.argument("x", ScalarType::F32, Access::Read, 1024);
//   BufferId y = b.argument("y", ScalarType::F32, Access::ReadWrite, 1024);
//   std::vector<ValueId> at = b.begin_kernel("axpy", {64});
//   ValueId index = b.mul(at[0], b.const_i64(16));
//   ValueId left = b.load(x, index, 16);
//   ValueId right = b.load(y, index, 16);
//   b.store(y, index, b.add(left, right));
//   b.end_kernel();
//   Program program = b.finish();
//
// C++ does not say in which order arguments are evaluated: two calls of the builder within one argument list give
// programs that depend on the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/program.h"

namespace tilewright::kernel {

/// A buffer or an allocation; both convert to it.
struct Memory : MemoryRef {
  Memory(BufferId id) : MemoryRef{id, {}} {}
  Memory(AllocationId id) : MemoryRef{{}, id} {}
  Memory(MemoryRef ref) : MemoryRef(ref) {}
};

class Builder {
 public:
  explicit Builder(std::string program_name);

  // ---- Declarations. Names of buffers are unique; buffers may be declared at any time before finish(). ----
  BufferId buffer(Buffer buffer);
  BufferId argument(std::string name, ScalarType scalar, Access access, std::int64_t count);
  BufferId temporary(std::string name, ScalarType scalar, std::int64_t count);
  BufferId scalar(std::string name, ScalarType scalar);

  // ---- Kernels ----
  /// The coordinates, one a dimension.
  std::vector<ValueId> begin_kernel(std::string name, std::vector<std::int64_t> task_extents, Group group = {});
  /// A number of groups that run all tasks in a task loop.
  void begin_persistent_kernel(std::string name, std::vector<std::int64_t> task_extents, std::int64_t groups,
                               Group group);
  /// Of ranges of `tasks` tasks: begin and end.
  std::pair<ValueId, ValueId> begin_range_kernel(std::string name, std::int64_t tasks);
  void end_kernel();
  /// Memory of the kernel that is open. A name that is taken gets a number appended.
  AllocationId allocation(std::string name, AllocationSpace space, ScalarType scalar, std::int64_t count,
                          AllocationLayout layout = {});
  /// A ring of the kernel that is open; its number.
  std::uint32_t ring(Ring ring);
  /// The program; the builder is empty afterwards. Every kernel is closed.
  Program finish();

  // ---- What is known ----
  ValueType type(ValueId value) const;
  /// The value of an integer or I1 constant (all lanes).
  std::optional<std::int64_t> constant(ValueId value) const;
  /// Of the memory's elements.
  ScalarType scalar_of(Memory memory) const;
  const Program& program() const { return program_; }

  // ---- Constants. lanes > 1 gives a vector. ----
  ValueId const_i64(std::int64_t value, std::uint16_t lanes = 1);
  ValueId const_i32(std::int32_t value, std::uint16_t lanes = 1);
  ValueId const_bool(bool value, std::uint16_t lanes = 1);
  /// Rounded to the float type.
  ValueId const_float(ScalarType scalar, double value, std::uint16_t lanes = 1);
  /// Of any type: integers are truncated and must fit.
  ValueId const_number(ValueType type, double value);

  // ---- Values ----
  ValueId unary(UnaryKind kind, ValueId operand);
  ValueId binary(BinaryKind kind, ValueId lhs, ValueId rhs);
  ValueId compare(CompareKind kind, ValueId lhs, ValueId rhs);
  ValueId select(ValueId condition, ValueId if_true, ValueId if_false);
  /// The operand itself when it has that scalar type already.
  ValueId cast(ScalarType scalar, ValueId operand);
  ValueId fma(ValueId a, ValueId b, ValueId c);
  /// The operand itself for one lane.
  ValueId splat(ValueId operand, std::uint16_t lanes);
  /// The constant 0 for one lane.
  ValueId iota(ScalarType scalar, std::uint16_t lanes);
  /// The operand itself when it has that many lanes.
  ValueId extract(ValueId operand, std::uint16_t lane, std::uint16_t lanes = 1);
  ValueId zip(ValueId lhs, ValueId rhs, bool high);
  /// The operand itself when it is a scalar.
  ValueId fold_lanes(LaneFold kind, ValueId operand);

  ValueId add(ValueId lhs, ValueId rhs) { return binary(BinaryKind::Add, lhs, rhs); }
  ValueId sub(ValueId lhs, ValueId rhs) { return binary(BinaryKind::Sub, lhs, rhs); }
  ValueId mul(ValueId lhs, ValueId rhs) { return binary(BinaryKind::Mul, lhs, rhs); }
  ValueId logical_and(ValueId lhs, ValueId rhs) { return binary(BinaryKind::And, lhs, rhs); }
  /// value + number, value * number for an i64 scalar.
  ValueId add(ValueId value, std::int64_t number) { return add(value, const_i64(number)); }
  ValueId mul(ValueId value, std::int64_t number) { return mul(value, const_i64(number)); }

  // ---- Memory ----
  ValueId load(Memory memory, ValueId index, std::uint16_t lanes = 1, ValueId mask = {});
  void store(Memory memory, ValueId index, ValueId value, ValueId mask = {});
  void prefetch(Memory memory, ValueId index, bool near = false);

  // ---- What the workers of a group do together (kernel/group_ops.h) ----
  ValueId worker(WorkerQuery query);
  ValueId group_ordinal();
  ValueId subgroup_reduce(LaneFold kind, ValueId operand);
  ValueId shuffle(ShuffleKind kind, ValueId operand, std::uint16_t number);
  ValueId fragment_fill(ValueId scalar, std::uint16_t rows, std::uint16_t columns);
  ValueId fragment_load(Memory memory, ValueId index, ValueId row_stride, std::uint16_t rows, std::uint16_t columns,
                        bool transposed = false, FragmentPart part = {},
                        Participants participants = Participants::Subgroup);
  void fragment_store(Memory memory, ValueId index, ValueId row_stride, ValueId fragment, bool transposed = false,
                      FragmentPart part = {}, Participants participants = Participants::Subgroup);
  ValueId fragment_coordinate(FragmentAxis axis, std::uint16_t rows, std::uint16_t columns);
  /// The result has m x n elements of that type.
  ValueId atom(AtomOp op, ScalarType accumulator);
  /// Of fragments by one subgroup; without an accumulator d = a b.
  ValueId atom(std::string name, ValueId a, ValueId b, std::optional<ValueId> c, ScalarType accumulator,
               bool relaxed = false);
  /// A fence of the compiler with the next free identity, which is returned.
  std::uint32_t fence(Participants participants, FencedMemory memory);
  void fence(FenceOp op);
  /// The next free identity of a fence in the kernel that is open.
  std::uint32_t next_fence_identity() const { return next_fence_; }
  ValueId async_copy(AsyncCopyOp op);
  void wait(std::vector<ValueId> tokens);
  void ring_action(RingAction action, std::uint32_t ring, ValueId step);

  // ---- Control ----
  /// The coordinates of the task.
  std::vector<ValueId> begin_task_loop();
  void end_task_loop();
  void begin_roles();
  void begin_role(std::string name, std::int32_t subgroups);
  void end_role();
  void end_roles();

  struct Loop {
    ValueId index;
    std::vector<ValueId> carries;
  };
  Loop begin_loop(ValueId low, ValueId high, std::int64_t step = 1, std::vector<ValueId> inits = {});
  /// The last carries.
  std::vector<ValueId> end_loop(std::vector<ValueId> yields = {});

  void begin_if(ValueId condition);
  void begin_else(std::vector<ValueId> then_yields = {});
  /// The results. Without begin_else there are none and the if has no else block.
  std::vector<ValueId> end_if(std::vector<ValueId> yields = {});

  /// body(index, carries) returns the yields.
  template <class Body>
  std::vector<ValueId> loop(ValueId low, ValueId high, std::int64_t step, std::vector<ValueId> inits, Body&& body) {
    const Loop opened = begin_loop(low, high, step, std::move(inits));
    return end_loop(body(opened.index, opened.carries));
  }
  /// body(index), without carries.
  template <class Body>
  void loop(ValueId low, ValueId high, std::int64_t step, Body&& body) {
    body(begin_loop(low, high, step).index);
    end_loop();
  }
  template <class Body>
  void if_then(ValueId condition, Body&& body) {
    begin_if(condition);
    body();
    end_if();
  }

 private:
  /// What a block that is still open can see: its own constants and i64 operations, and those of the frames below.
  struct Frame {
    BlockId block;
    OpId op;  ///< the loop or if; none for a kernel
    std::map<std::tuple<ScalarType, std::uint16_t, std::int64_t>, ValueId> constants;
    std::map<std::tuple<BinaryKind, ValueId, ValueId>, ValueId> index_ops;
  };

  ValueId constant_of(ValueType type, std::int64_t integer);
  std::optional<ValueId> simplified(BinaryKind kind, ValueId lhs, ValueId rhs);
  ValueId value(ValueType type);
  ValueId result_of(OpPayload payload, ValueType type);
  OpId append(OpPayload payload, std::vector<ValueId> results);
  void open(BlockId block, OpId op);
  void close(std::vector<ValueId> yields);
  void check_visible(ValueId value) const;
  void open_kernel(Kernel kernel);

  Program program_;
  std::uint32_t next_fence_ = 0;  ///< of the kernel that is open
  std::vector<OpId> open_roles_;  ///< whose roles are being added
  std::vector<Frame> frames_;
  std::vector<std::optional<std::int64_t>> known_;  ///< by value: the integer of a constant
  std::vector<BlockId> home_;                       ///< by value: the block that defines it
  std::vector<bool> open_;                          ///< by block
};

}  // namespace tilewright::kernel
