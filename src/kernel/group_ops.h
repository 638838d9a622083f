// Operations of group programs: what the workers of a group do together.
//
// A kernel with a group of more than one worker runs its body once for each worker of each group, in SPMD form: a value
// is one number (or vector) a worker. Three operations ask which worker it is; everything else of the first part works
// on the worker's own values. Operations that several workers make together are *convergent*: all of their participants
// reach them in the same iteration of every enclosing loop, or none does. The verifier proves that from the conditions
// around (kernel/uniformity.h), the interpreter checks it.
//
// Fragments, tokens and roles belong to this part. A fragment is a small matrix that one subgroup holds together; its
// value exists once a subgroup. Element-wise operations apply to fragments of equal type.
//
// A fragment that is surely the same in all subgroups (kernel/uniformity.h) is one of the group: an atom of the group
// may add to it, and the group may load or store it together. Which worker has which element of it nobody says, but it
// is the same one for all fragments of the group of that size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/values.h"

namespace tilewright::kernel {

/// How many workers make an operation together.
enum class Participants : std::uint8_t {
  Subgroup,  ///< the workers of one subgroup
  Group,     ///< all workers of the group; inside a role: all workers of that role
};

// ---- Who ------------------------------------------------------------------------------------------------------------

/// Result: scalar I64. Worker: 0 .. workers - 1; Lane: worker mod subgroup size; Subgroup: worker / subgroup size.
/// Inside a role, still of the whole group.
enum class WorkerQuery : std::uint8_t { Worker, Lane, Subgroup };
struct WorkerOp {
  WorkerQuery query{};
  bool operator==(const WorkerOp&) const = default;
};

/// Group ordinal of a persistent kernel, 0 .. groups - 1. Result: scalar I64.
struct GroupOrdinalOp {
  bool operator==(const GroupOrdinalOp&) const = default;
};

// ---- Exchange between workers of a subgroup
// -----------------------------------------------------------------------------

/// All lanes get the combination of all lanes' values; convergent for the subgroup. The order is the ascending order of
/// lanes by the rules of BinaryOp. Number types; no Add on I1.
struct SubgroupReduceOp {
  LaneFold kind{};
  ValueId operand;
  bool operator==(const SubgroupReduceOp&) const = default;
};

/// The value of another lane; convergent for the subgroup. Xor: lane ^ number; Down: lane + number, the own value where
/// there is no such lane; Index: lane number, the same for all.
enum class ShuffleKind : std::uint8_t { Xor, Down, Index };
struct ShuffleOp {
  ShuffleKind kind{};
  ValueId operand;
  std::uint16_t number = 0;
  bool operator==(const ShuffleOp&) const = default;
};

// ---- Fragments
// -------------------------------------------------------------------------------------------------------

/// Every element is the scalar. Convergent for the subgroup; the scalar is the same in all its workers.
struct FragmentFillOp {
  ValueId scalar;
  bool operator==(const FragmentFillOp&) const = default;
};

/// The part of a fragment that memory has: r < rows and c < columns. Both, or none: all of it.
struct FragmentPart {
  ValueId rows, columns;
  bool is_whole() const { return !rows.valid() && !columns.valid(); }
  bool operator==(const FragmentPart&) const = default;
};

/// Element (r, c) is memory[index + r * row_stride + c], transposed: memory[index + c * row_stride + r]. What the part
/// leaves out reads as +0 and is not written; everything else must lie inside. Scalar I64, equal in all participants.
/// Convergent for them. By the group: a fragment of the group, each element of which one of its workers reads or
/// writes.
struct FragmentLoadOp {
  MemoryRef memory;
  ValueId index, row_stride;
  bool transposed = false;
  FragmentPart part = {};
  Participants participants = Participants::Subgroup;
  bool operator==(const FragmentLoadOp&) const = default;
};
struct FragmentStoreOp {
  MemoryRef memory;
  ValueId index, row_stride;
  ValueId fragment;
  bool transposed = false;
  FragmentPart part = {};
  Participants participants = Participants::Subgroup;
  bool operator==(const FragmentStoreOp&) const = default;
};

/// Where the elements of a fragment lie: an I64 fragment with the row or column of each element.
enum class FragmentAxis : std::uint8_t { Row, Column };
struct FragmentCoordinateOp {
  FragmentAxis axis{};
  bool operator==(const FragmentCoordinateOp&) const = default;
};

/// Where a view begins in the matrix of its buffer: element `inner` of row `outer`. Both, or none. A view that has it
/// promises that index and row_stride say the same, and that it ends where the matrix ends, or the operation: of the
/// latter's extents, m and n are those of the atom, and k has at most `step`. Broken, the promise is a fault.
struct MatrixOrigin {
  ValueId inner, outer;
  std::int64_t step = 0;
  bool is_known() const { return inner.valid(); }
  bool operator==(const MatrixOrigin&) const = default;
};

/// An operand of an atom: a fragment, or a view of memory as in FragmentLoadOp with its own extents (rows, columns:
/// what lies outside reads as zero and is not written).
struct AtomView {
  MemoryRef memory;
  ValueId index, row_stride, rows, columns;
  bool transposed = false;
  MatrixOrigin origin = {};
  bool operator==(const AtomView&) const = default;
};
struct AtomOperand {
  ValueId fragment;  ///< valid: a fragment; else the view counts
  AtomView view;
  bool operator==(const AtomOperand&) const = default;
};

/// d = a b, or d = a b + c, of an atom descriptor (target/atom.h). The result is a fragment of the accumulator's type.
/// Each element is the ascending chain of fused multiply-adds over k, starting at c or +0, rounded to the accumulator's
/// type at each step; operands are widened exactly. Convergent for the participants. A static k is a constant and
/// that of the fragments; a dynamic one, of 0 to kMaxAtomDepth, goes with views. An atom of the group reads views at
/// one place for all, and adds to a fragment of the group; so is its result. A relaxed one has an operand of f32, and
/// those may be rounded to 10 explicit bits of mantissa or more; nobody has to, and the interpreter does not.
struct AtomOp {
  std::string atom;  ///< name of the descriptor: "metal.simdgroup8x8"
  std::int64_t m = 0, n = 0;
  ValueId k;  ///< scalar I64; a constant where the atom's K is static
  bool k_is_static = true;
  Participants participants{};
  AtomOperand a, b;
  ValueId c;  ///< none: overwrite
  bool relaxed = false;
  bool operator==(const AtomOp&) const = default;
};

// ---- Order
// -----------------------------------------------------------------------------------------------------------

/// Which memory a fence orders; any combination. None: it stops workers and orders nothing.
struct FencedMemory {
  bool shared = false, device = false;
  bool operator==(const FencedMemory&) const = default;
};
/// Generic: loads and stores. Async: also what asynchronous copies wrote and will read.
enum class FenceProxy : std::uint8_t { Generic, Async };
enum class FenceOrigin : std::uint8_t { Compiler, User };

/// All participants arrive before any goes on; accesses of `memory` before it are ordered before those after it, for
/// the workers in scope. Convergent. identity: unique a kernel; kept by passes that move or drop fences.
struct FenceOp {
  std::uint32_t identity = 0;
  FenceOrigin origin{};
  Participants participants{};
  Participants scope{};  ///< at least the participants
  FencedMemory memory;
  FenceProxy proxy{};
  bool operator==(const FenceOp&) const = default;
};

/// Copies count elements from one memory to the other behind the back of the workers. One worker issues it, or all
/// participants together (convergent), with the same indices and count. The result is a token; source and destination
/// belong to the copy until a wait has consumed the token.
struct AsyncCopyOp {
  MemoryRef destination;
  ValueId destination_index;
  MemoryRef source;
  ValueId source_index;
  ValueId count;
  bool cooperative = false;
  Participants participants{};
  bool operator==(const AsyncCopyOp&) const = default;
};
/// Consumes tokens: their copies are complete for the waiting worker (a fence with proxy Async makes them visible to
/// others). A token is consumed once on every path.
struct WaitOp {
  std::vector<ValueId> tokens;
  bool operator==(const WaitOp&) const = default;
};

/// A ring of `versions` slots that producers fill and consumers empty (Kernel::rings). `step` counts slots from 0 and
/// grows by one each time; the slot is step mod versions. Acquire: waits until the slot is empty; Commit: it is full;
/// Await: waits until it is full; Release: it is empty again. Each is made once a step by every subgroup that produces
/// (Acquire, Commit) or consumes (Await, Release). Commit -> Await and Release -> Acquire order shared memory.
enum class RingAction : std::uint8_t { Acquire, Commit, Await, Release };
struct RingOp {
  RingAction action{};
  std::uint32_t ring = 0;
  ValueId step;
  bool operator==(const RingOp&) const = default;
};

// ---- Structure
// -------------------------------------------------------------------------------------------------------

/// Tasks of this group, one after the other: group g of a persistent kernel runs tasks g, g + groups, .. of the task
/// domain. body.args: the coordinates. At the top level of a persistent kernel's body, once. Convergent for the group.
struct TaskLoopOp {
  BlockId body;
  bool operator==(const TaskLoopOp&) const = default;
};

/// Subgroups part: those of role i run block i. The roles' subgroup counts add up to those of the group. Convergence is
/// asked for a role: Participants::Group inside means the role. At most one level.
struct Role {
  std::string name;
  std::int32_t subgroups = 0;
  BlockId block;
  bool operator==(const Role&) const = default;
};
struct RolesOp {
  std::vector<Role> roles;
  bool operator==(const RolesOp&) const = default;
};

// ---- Declarations
// ----------------------------------------------------------------------------------------------------

inline constexpr std::int32_t kMaxWorkers = 1024;
inline constexpr std::int32_t kMaxSubgroup = 64;
inline constexpr std::int32_t kMaxRingVersions = 64;
/// K of an atom.
inline constexpr std::int64_t kMaxAtomDepth = 65536;

/// Workers that run one task together. One worker: a kernel of the first part. The subgroup size divides the workers.
struct Group {
  std::int32_t workers = 1;
  std::int32_t subgroup_size = 1;
  bool operator==(const Group&) const = default;
};

struct Ring {
  std::string name;
  std::int32_t versions = 1;
  std::int32_t producers = 1, consumers = 1;  ///< subgroups
  bool operator==(const Ring&) const = default;
};

/// How the elements of an allocation lie. Element e of a row of `row` elements lies at
/// (e / row) * (row + pad) + ((e % row) ^ (((e / row) >> swizzle_shift) & (2^swizzle_bits - 1)) << swizzle_base).
/// row 0: one after the other. Indices of loads and stores count elements, wherever they lie; a fragment is loaded from
/// and stored to memory without swizzle, and its row stride counts places (row + pad).
struct AllocationLayout {
  std::int64_t row = 0;
  std::int64_t pad = 0;
  std::int32_t swizzle_bits = 0, swizzle_base = 0, swizzle_shift = 0;
  bool operator==(const AllocationLayout&) const = default;
};

}  // namespace tilewright::kernel
