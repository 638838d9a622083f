// Row reductions on Metal: how many subgroups share a program, or how many programs share a group.
//
// The family (background 8): S subgroups of 32 workers run one program together, W = 32 S; or S is 1 and Q programs
// stand side by side in one group, one subgroup each. The elements of every sweep are dealt out as
// e = (W * chunk + worker) * V + lane. A fold is: each worker in order over its own elements, from the exact identity;
// one subgroup collective; for S > 1 the first worker of each subgroup writes its partial result to shared memory, one
// barrier, and every subgroup folds all S of them with a second collective, padded with the identity, so that all
// workers hold the result. Workers without elements take part in every collective.
//
// The last group of a packed launch may lack programs. Its spare subgroups run the last program again, so that
// collectives and barriers stay uniform, and store nothing. That is refused where running twice may differ from running
// once: a fold in a stepped loop of several iterations, and a program that loads from a buffer which it stores to.
//
// Counts are exact: rounds are the steps of the worker with the most elements; a step is one element of one sweep and
// row (docs/row-reductions.md). A candidate is legal or names the constraint that it breaks, with the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/index_map.h"
#include "proof/map_exact_cover.h"
#include "realize/metal_units.h"
#include "realize/refusal.h"
#include "realize/row_reduction_facts.h"

namespace tilewright::realize {

inline constexpr std::int64_t kMostRowSubgroups = 32;
inline constexpr std::int64_t kMostPackedPrograms = 8;
inline constexpr std::int64_t kMostRowUnroll = 16;
inline constexpr std::int64_t kPartialBytes = 4;

/// What the target and the caller allow.
struct RowBudget {
  std::int64_t max_threads = 256;              ///< of a group
  std::int64_t subgroup_size = kSubgroupSize;  ///< no other is accepted
  std::int64_t shared_memory_bytes = 0;        ///< of a group
  std::int64_t max_striped_scalars_per_worker = 64;
};

struct RowMapping {
  std::int64_t subgroups_per_program = 1;  ///< S
  std::int64_t programs_per_group = 1;     ///< Q
  std::int64_t lane_elements = 1;          ///< V: 1, 2, 4 or 8 consecutive elements a worker
  std::int64_t unroll_factor = 1;          ///< of the loop over a worker's own elements, which keeps their order
  bool cache_inputs = false;               ///< keep inputs that several visits read in private stripes

  std::int64_t workers() const { return subgroups_per_program * kSubgroupSize; }
  bool operator==(const RowMapping&) const = default;
};

enum class RowConstraint : std::uint8_t {
  SubgroupSize,     ///< subgroups of 32
  SubgroupCount,    ///< S in 1 .. 32
  PackedCount,      ///< Q in 1 .. 8
  LaneElements,     ///< V is 1, 2, 4 or 8
  UnrollFactor,     ///< 1 .. 16
  PackedSubgroups,  ///< several programs only with one subgroup each
  ThreadLimit,      ///< 32 S Q workers in one group
  PackedPrograms,   ///< as many programs as are packed
  PackedRepeats,    ///< no repeated fold in packed programs
  PackedWrites,     ///< no buffer that is read and written in packed programs
  NothingToCache,   ///< no immutable input is read twice at the same elements
  StripedStorage,   ///< what a worker keeps for itself
  SharedMemory,     ///< R S Q partial results
  Cover,            ///< a map is not proved to cover
};
inline constexpr std::size_t kRowConstraints = 14;
std::string_view row_constraint_name(RowConstraint constraint);  ///< "shared_memory", stable
std::string_view row_constraint_rule(RowConstraint constraint);  ///< as a sentence, without numbers

/// A map of a candidate, with the proof that it covers its codomain exactly.
struct RowCover {
  proof::GuardedMap map;
  proof::Proved<proof::MapExactCover> proof;
};

struct RowCandidate {
  RowMapping mapping;
  std::int64_t threads = 0;       ///< of a group
  std::int64_t threadgroups = 0;  ///< of the launch
  std::int64_t shared_memory_bytes = 0;
  std::int64_t striped_scalars_per_worker = 0;

  std::int64_t scalar_rounds = 0;                 ///< steps of the worker with the most elements
  std::int64_t useful_steps = 0;                  ///< of all workers of a program, without idle ones
  std::int64_t payload_accesses_per_program = 0;  ///< loads and stores of elements of buffers
  std::int64_t payload_accesses_per_worker = 0;   ///< of worker 0, which has the most
  std::int64_t global_bytes_per_worker = 0;       ///< of those accesses
  std::int64_t private_bytes_per_worker = 0;      ///< read and written in private stripes

  std::optional<Refusal> refusal;  ///< a RowConstraint by name; its rule with the numbers
  /// Of a legal candidate: programs, then each length of elements, ascending. Candidates share equal ones.
  std::vector<std::shared_ptr<const RowCover>> covers;
};

/// One mapping. Counts of a mapping that is out of range are 0. Premise: the workload is one that row_reduction_facts
/// gives.
RowCandidate row_candidate(const RowReductionWorkload& workload, const RowMapping& mapping, const RowBudget& budget);

/// All (S, Q) that fit the threads, with V, unrolling and caching as in `like`: S = 1 with Q = 1 .. 8, then
/// S = 2 .. 32; at most 39, and at least (1, 1).
std::vector<RowCandidate> row_candidates(const RowReductionWorkload& workload, const RowMapping& like,
                                         const RowBudget& budget);

}  // namespace tilewright::realize
