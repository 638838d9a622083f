// Effect traces: what a group program touches and where it synchronizes, without what it computes. Kernel code supplies
// them; fence.redundant and subgroups.independent are asked about them.
//
// A trace is a tree: sequences of steps, fences, loops and branches. An execution runs the items of a sequence in
// order; a loop runs its body any number of times, none included, whatever its trip count says; a branch runs one arm.
// Storage has three classes: each owned shared allocation is one location by its number; all external buffers are one
// location for purposes of order, whatever their numbers; private storage belongs to one subgroup and orders nothing.
//
//   trace shared 2 immutable 0, 1                 as text, one line a node
//   premise proof: inputs 0 and 1 are immutable
//   sequence
//     step 1 plain reads external 0 writes shared 0
//     fence 2 compiler group shared external
//     loop 3 constant 8 step 1
//       sequence
//         step 5 matrix reads external 0, external 1, private 0 writes private 0 full
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proof/certificate.h"
#include "support/hash.h"
#include "support/ids.h"

namespace tilewright::proof {

using TraceNodeId = Id<struct TraceNodeTag>;

enum class StorageClass : std::uint8_t { Shared, External, Private };

struct Location {
  StorageClass storage{};
  std::uint32_t number = 0;  ///< which allocation, buffer or value
  auto operator<=>(const Location&) const = default;
};

/// What kernel code recorded about a step, beyond what it reads and writes.
enum class StepRole : std::uint8_t {
  Plain,
  NoOp,
  PrivateInit,  ///< initializes fragments of each subgroup
  Matrix,       ///< a synchronous matrix step of each subgroup by itself
  OutputStore,  ///< each subgroup stores its own part of the output
};

struct TraceStep {
  StepRole role{};
  std::vector<Location> reads, writes;
  bool opaque = false;          ///< unknown storage, a call, a control exit: may touch anything
  bool full_subgroups = false;  ///< every lane of every subgroup takes part
  bool disjoint_parts = false;  ///< OutputStore: the parts of different subgroups are proved disjoint
  bool operator==(const TraceStep&) const = default;
};

enum class FenceOwner : std::uint8_t { Compiler, User };
enum class FenceScope : std::uint8_t { Subgroup, Group };

/// A barrier of the participants in scope, which orders their accesses to the storage named.
struct TraceFence {
  std::uint32_t identity = 0;  ///< of this site; unique in the trace, below kNoOperation
  FenceOwner owner{};
  FenceScope scope = FenceScope::Group;
  bool orders_shared = true, orders_external = true;
  bool dropped = false;  ///< proved redundant before: no longer there
  bool operator==(const TraceFence&) const = default;
};

struct TraceSequence {
  std::vector<TraceNodeId> items;
  bool operator==(const TraceSequence&) const = default;
};

struct TraceLoop {
  TraceNodeId body;                  ///< a sequence
  std::optional<std::int64_t> trip;  ///< the number of iterations, where it is a constant
  std::int64_t step = 1;
  bool annotated = false;  ///< carries an attribute that changes how it runs
  bool operator==(const TraceLoop&) const = default;
};

struct TraceBranch {
  TraceNodeId then_arm;  ///< a sequence
  TraceNodeId else_arm;  ///< a sequence, or invalid for none
  bool operator==(const TraceBranch&) const = default;
};

using TraceNode = std::variant<TraceStep, TraceFence, TraceSequence, TraceLoop, TraceBranch>;

struct EffectTrace {
  IdVector<TraceNodeId, TraceNode> nodes;
  TraceNodeId root;  ///< a sequence
  std::uint32_t shared_allocations = 0;
  std::vector<std::uint32_t> immutable_inputs;  ///< external buffers that nothing writes while the group runs
  std::vector<Premise> premises;                ///< who answers for roles, participation, parts and inputs

  const TraceNode& operator[](TraceNodeId id) const { return nodes[id]; }
};

/// Nesting that the families accept.
inline constexpr std::size_t kMaxTraceDepth = 200;

/// Why the value is no trace: a node outside the tree or in it twice, a body that is no sequence, two fences of one
/// identity, nesting above kMaxTraceDepth, a line break in a premise.
std::optional<std::string> effect_trace_fault(const EffectTrace& trace);

/// A fence that every participant of the group passes and that orders all storage, and is still there. Every other
/// fence that is still there counts as opaque.
bool is_full_fence(const TraceFence& fence);

/// Whether the order of two steps on different subgroups can be observed: one writes what the other reads or writes, in
/// one shared allocation or in the external class; or one of them is opaque. Order of the arguments does not matter.
bool may_conflict(const TraceStep& a, const TraceStep& b);

/// The node of a fence; invalid when no fence has this identity.
TraceNodeId fence_node(const EffectTrace& trace, std::uint32_t identity);
/// The same trace with this fence gone.
EffectTrace with_fence_dropped(EffectTrace trace, std::uint32_t identity);

/// The text above, and its hash: the subject of certificates.
std::string print_effect_trace(const EffectTrace& trace);
Hash128 effect_trace_subject(const EffectTrace& trace);
/// Its lines as certificate fields named "trace".
std::vector<Field> effect_trace_fields(const EffectTrace& trace);

}  // namespace tilewright::proof
