// Kernel IR: what one target program does, step by step.
//
// A kernel::Program is a sequence of kernels (launches). A kernel runs its body once for each point of its task domain;
// the body's arguments are the task coordinates (i64). Values are scalars or short vectors in SSA form; memory is
// buffers (given at launch) and allocations (owned by one task). Everything is bound: sizes and strides are numbers.
// docs/kernel-ir.md has the text and the meaning of every operation. The interpreter (kernel/interpreter.h) is the
// definition; emitters must agree with it bit for bit, except for Exp, Log, Tanh, Sin, Cos, whose last bits are the
// target's.
//
// This header is the first part: task loop, loops, values, loads, stores, guards, allocations. kernel/group_ops.h
// extends the vocabulary to groups of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/group_ops.h"
#include "kernel/values.h"
#include "support/ids.h"

namespace tilewright::kernel {

enum class Access : std::uint8_t { Read, Write, ReadWrite };
enum class BufferKind : std::uint8_t {
  Argument,   ///< memory of the caller
  Temporary,  ///< device memory that lives for one run of the whole program
  Scalar,     ///< one element, passed by value; read-only
};

/// A buffer as a matrix: `outer` rows of `inner` elements, which follow each other; row r begins at element r * stride.
struct BufferMatrix {
  std::int64_t inner = 0, outer = 0, stride = 0;
  bool operator==(const BufferMatrix&) const = default;
};

/// Elements [0, count) may be addressed; the launch adds the view's offset to the base pointer.
struct Buffer {
  std::string name;
  BufferKind kind = BufferKind::Argument;
  ScalarType scalar = ScalarType::F32;
  Access access = Access::Read;
  std::int64_t count = 0;
  std::optional<BufferMatrix> matrix = {};  ///< which views of atoms may name places of (MatrixOrigin)
  bool operator==(const Buffer&) const = default;
};

/// Private: owned by one worker. Shared: owned by the group that runs the task. Contents start indeterminate.
enum class AllocationSpace : std::uint8_t { Private, Shared };
struct Allocation {
  std::string name;
  AllocationSpace space = AllocationSpace::Private;
  ScalarType scalar = ScalarType::F32;
  std::int64_t count = 0;  ///< elements, padding not counted
  AllocationLayout layout;
  bool operator==(const Allocation&) const = default;
};

// ---- Operations ----------------------------------------------------------------------------------------------------
// Element-wise operations take operands of equal type (lanes included) and give that type, unless said otherwise.

/// I1 (0 or 1), I32, I64: `integer`, which fits the type. Floats: the bits of a double in `integer`; the double is a
/// value of the type (kernel/constants.h rounds), and the only NaN is 0x7ff8000000000000. The result may be a vector:
/// all lanes equal.
struct ConstOp {
  std::int64_t integer = 0;
  bool operator==(const ConstOp&) const = default;
};
enum class UnaryKind : std::uint8_t { Neg, Not, Abs, Exp, Log, Sqrt, Tanh, Sin, Cos, Floor };
/// Arithmetic in F16 and BF16 is arithmetic in F32, rounded. Integer arithmetic wraps (Abs of MIN is MIN). Neg and Abs
/// of floats change the sign bit alone. Not is on I1; Neg and Abs on numbers; the rest on floats.
struct UnaryOp {
  UnaryKind kind{};
  ValueId operand;
  bool operator==(const UnaryOp&) const = default;
};
/// FloorDiv, FloorMod: integers; by zero they give 0; MIN / -1 gives MIN. Div, Fmod: floats. Max, Min: floats by IEEE
/// 754-2019 maximum and minimum (NaN wins, -0 < +0), integers signed, I1 with 0 < 1. And, Or, Xor: I1 or
/// integers. Shl, Shr (logical):
/// integers; the count is taken modulo the width. Add, Sub, Mul: numbers (not I1).
enum class BinaryKind : std::uint8_t { Add, Sub, Mul, Div, Fmod, FloorDiv, FloorMod, Max, Min, And, Or, Xor, Shl, Shr };
/// What combines two lanes of a fold.
constexpr BinaryKind binary_of(LaneFold kind) {
  switch (kind) {
    case LaneFold::Add:
      return BinaryKind::Add;
    case LaneFold::Max:
      return BinaryKind::Max;
    case LaneFold::Min:
      return BinaryKind::Min;
  }
  return BinaryKind::Add;
}
struct BinaryOp {
  BinaryKind kind{};
  ValueId lhs, rhs;
  bool operator==(const BinaryOp&) const = default;
};
/// Result I1 with the operands' lanes. Floats: ordered comparisons (false with a NaN), except Ne (true with a NaN).
/// Integers are signed; I1: 0 < 1.
enum class CompareKind : std::uint8_t { Lt, Le, Gt, Ge, Eq, Ne };
struct CompareOp {
  CompareKind kind{};
  ValueId lhs, rhs;
  bool operator==(const CompareOp&) const = default;
};
/// condition: I1 with the lanes of the result, or a scalar.
struct SelectOp {
  ValueId condition, if_true, if_false;
  bool operator==(const SelectOp&) const = default;
};
/// To the result's scalar type, lanes kept. Same rules as the tile IR's cast (nearest even; saturating truncation; NaN
/// to 0; subnormals kept). I64 to I32 wraps. Each cast rounds once. I1 gives 0 or 1; to I1 is
/// "!= 0" (true for a NaN).
struct CastOp {
  ValueId operand;
  bool operator==(const CastOp&) const = default;
};
/// a * b + c with one rounding. F32 only (or I32, I64: wraps).
struct FmaOp {
  ValueId a, b, c;
  bool operator==(const FmaOp&) const = default;
};
/// Scalar to all lanes of the result, which is a vector.
struct SplatOp {
  ValueId operand;
  bool operator==(const SplatOp&) const = default;
};
/// 0, 1, 2, ...: an integer vector.
struct IotaOp {
  bool operator==(const IotaOp&) const = default;
};
/// Lanes [lane, lane + lanes of the result) of a vector: one, or a shorter vector.
struct ExtractOp {
  ValueId operand;
  std::uint16_t lane = 0;
  bool operator==(const ExtractOp&) const = default;
};
/// The lanes of two vectors in turn: lane 2 i is lane first + i of lhs, lane 2 i + 1 that of rhs. first: 0, or, high,
/// half of the lanes, whose number is even.
struct ZipOp {
  ValueId lhs, rhs;
  bool high = false;
  bool operator==(const ZipOp&) const = default;
};
/// All lanes of a vector to a scalar, ascending: ((l0 + l1) + l2) + ..., by the rules of BinaryOp. No Add on I1.
struct FoldLanesOp {
  LaneFold kind{};
  ValueId operand;
  bool operator==(const FoldLanesOp&) const = default;
};
/// Elements [index, index + lanes) of the memory; lanes whose mask is false are not touched and give 0. index: scalar
/// I64. mask: I1 with the result's lanes, or none.
struct LoadOp {
  MemoryRef memory;
  ValueId index;
  ValueId mask;
  bool operator==(const LoadOp&) const = default;
};
struct StoreOp {
  MemoryRef memory;
  ValueId index;
  ValueId value;
  ValueId mask;
  bool operator==(const StoreOp&) const = default;
};
/// A hint that [index, index + one cache line) of the memory is wanted soon; it changes nothing and may point anywhere.
/// near: into the cache next to the worker, else into one behind it. index: scalar I64.
struct PrefetchOp {
  MemoryRef memory;
  ValueId index;
  bool near = false;
  bool operator==(const PrefetchOp&) const = default;
};
/// for (i = low; i < high; i += step): step is a positive constant; i never wraps (the loop ends instead). The body's
/// arguments are i, then the carries. The body yields the next carries, all at once; the results are the last ones, or
/// the inits after zero trips. low and high: scalar I64.
struct LoopOp {
  ValueId low, high;
  std::int64_t step = 1;
  std::vector<ValueId> inits;
  BlockId body;
  bool operator==(const LoopOp&) const = default;
};
/// Runs one of two blocks (else_block may be none when there are no results); yields become the results. condition:
/// scalar I1. The blocks have no arguments.
struct IfOp {
  ValueId condition;
  BlockId then_block, else_block;
  bool operator==(const IfOp&) const = default;
};

using OpPayload =
    std::variant<ConstOp, UnaryOp, BinaryOp, CompareOp, SelectOp, CastOp, FmaOp, SplatOp, IotaOp, ExtractOp, ZipOp,
                 FoldLanesOp, LoadOp, StoreOp, PrefetchOp, LoopOp, IfOp, WorkerOp, GroupOrdinalOp, SubgroupReduceOp,
                 ShuffleOp, FragmentFillOp, FragmentLoadOp, FragmentStoreOp, FragmentCoordinateOp, AtomOp, FenceOp,
                 AsyncCopyOp, WaitOp, RingOp, TaskLoopOp, RolesOp>;

struct Op {
  OpPayload payload;
  std::vector<ValueId> results;
  bool operator==(const Op&) const = default;
};

struct Block {
  std::vector<ValueId> args;
  std::vector<OpId> ops;
  std::vector<ValueId> yields;
  bool operator==(const Block&) const = default;
};

/// One launch: the body runs once for each point of task_extents (row-major ordinal, last fastest), in any order and
/// at the same time. body.args are the coordinates, one a dimension. Allocations of a kernel belong to one task.
struct Kernel {
  std::string name;
  std::vector<std::int64_t> task_extents;
  Group group;
  /// 0: one group a task; the body's arguments are the task's coordinates. n > 0, persistent: n groups, each runs its
  /// tasks in a TaskLoopOp; the body has no arguments and allocations belong to the group for all its tasks.
  std::int64_t groups = 0;
  /// The body runs once for each of some intervals [begin, end), begin < end, that part the one dimension of tasks in
  /// any way; its arguments are begin and end, and allocations belong to the interval. So whoever deals out the tasks
  /// cuts where it likes, and what neighbouring tasks share is made once an interval. Of one worker only.
  bool ranges = false;
  std::vector<AllocationId> allocations;
  std::vector<Ring> rings;
  BlockId body;
  bool operator==(const Kernel&) const = default;
};

/// Plain data; kernel/builder.h makes it, kernel/verifier.h checks it.
///
/// Canonical form: ids of a kind count the definitions in the order of a walk through the kernels. An operation comes
/// before the operations of its blocks, a block before the blocks inside it, then_block before else_block; arguments of
/// a block before its operations; results of a loop or an if after everything inside them. The builder, the parser and
/// canonicalized() give canonical programs; two of them are equal when their texts are.
struct Program {
  std::string name;
  IdVector<BufferId, Buffer> buffers;
  IdVector<AllocationId, Allocation> allocations;
  IdVector<OpId, Op> ops;
  IdVector<ValueId, ValueType> values;
  IdVector<BlockId, Block> blocks;
  std::vector<Kernel> kernels;
  bool operator==(const Program&) const = default;
};

/// Calls f(ValueId&) for every value operand of a payload, in textual order; an absent mask is left out. Yields belong
/// to blocks and are not operands. The const form passes ValueIds by value.
template <class F>
void for_each_operand(OpPayload& payload, F&& f);
template <class F>
void for_each_operand(const OpPayload& payload, F&& f);

/// The same for every memory that a payload names, in textual order. The reference may be invalid.
template <class F>
void for_each_memory(OpPayload& payload, F&& f);
template <class F>
void for_each_memory(const OpPayload& payload, F&& f);

/// The blocks of a loop, an if, a task loop or roles, in textual order; none for the others.
std::vector<BlockId> nested_blocks(const OpPayload& payload);
/// Calls f(BlockId&) for them.
template <class F>
void for_each_block(OpPayload& payload, F&& f);

/// The same program in canonical form; definitions that the walk does not meet are dropped. Premise: verify(program)
/// finds nothing but such definitions.
Program canonicalized(const Program& program);

}  // namespace tilewright::kernel

#include "kernel/program_inline.h"
