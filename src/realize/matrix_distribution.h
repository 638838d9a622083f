// Matrix distributions: who computes which atoms of a matrix workload. And the verifier of one.
//
// Three maps exist, in the notation of MatrixWorkload and with G subgroups in the group:
//   one-atom    subgroups_m = subgroups_n = 0. Atoms are jobs: in wave w subgroup s does atom w*G + s, the last wave
//               may be partial. Family simdgroup8x8 alone.
//   rectangle   gm = subgroups_m by gn = subgroups_n subgroups, gm*gn = G, each of which owns rm = atom_rows by
//               rn = atom_columns atoms, gm*rm = U, gn*rn = V (seed 1, "Implemented matrix mapping family").
//   collective  one operation of all G subgroups at once: scope Group, gm = gn = 1, rm = U, rn = V. Family mpp alone.
//               How the participants share it is the device's secret (seed 1, "operation scope is not launch size").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "realize/matrix_refusal.h"
#include "realize/matrix_workload.h"

namespace tilewright::realize {

/// Who takes part in one matrix operation.
enum class OperationScope : std::uint8_t { Subgroup, Group };
std::string_view operation_scope_name(OperationScope scope);  ///< "subgroup", "group"

struct MatrixDistribution {
  AtomFamily family = AtomFamily::Simdgroup8x8;
  OperationScope scope = OperationScope::Subgroup;
  std::int64_t subgroups_m = 0, subgroups_n = 0;  ///< gm, gn
  std::int64_t atom_rows = 0, atom_columns = 0;   ///< rm, rn
  bool persistent_accumulator = false;            ///< the accumulator stays in fragments between iterations
  bool direct_accumulator_store = false;          ///< it is stored to its sink and has no shared storage

  bool is_one_atom() const { return !is_collective() && subgroups_m == 0 && subgroups_n == 0; }
  bool is_collective() const { return scope == OperationScope::Group; }
  bool is_rectangle() const { return !is_one_atom() && !is_collective(); }
  bool operator==(const MatrixDistribution&) const = default;
};

/// "1x4 subgroups of 4x2 fragments, direct output", "one atom at a time", "one operation of the whole group, ..".
std::string distribution_text(const MatrixDistribution& distribution);

/// The workers of a group, as a launch has them.
struct GroupShape {
  std::int64_t threads = 0;
  std::int64_t subgroup_size = kSubgroupSize;
  bool operator==(const GroupShape&) const = default;
};

/// State that the compiler keeps in fragments, in scalars a lane: 2*(rm*rn + rm + rn) for a rectangle of simdgroup8x8
/// (A, B and the accumulator) and 6 for one atom; 2*rm*rn for mpp (the result alone); ceil(M*N / threads) for the
/// collective. A search and code-size budget, not a count of registers. INT64_MAX when it does not fit 64 bits.
std::int64_t fragment_scalars_per_lane(const MatrixWorkload& workload, const MatrixDistribution& distribution,
                                       const GroupShape& group);

/// The least budget with which a family has a legal map: 6 for simdgroup8x8, 4 for mpp (an operation of 8 x 16).
std::int64_t least_fragment_budget(AtomFamily family);

/// Bytes of shared storage that the distribution does without.
std::int64_t released_bytes(const MatrixWorkload& workload, const MatrixDistribution& distribution);

/// The first constraint that the distribution breaks, in the order of MatrixConstraint; nothing when it is legal.
/// Premise: the workload is valid. No coefficient has a say.
std::optional<MatrixRefusal> why_illegal(const MatrixWorkload& workload, const MatrixDistribution& distribution,
                                         const GroupShape& group, std::int64_t max_fragment_scalars_per_lane);

}  // namespace tilewright::realize
