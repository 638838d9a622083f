// Fragment layouts: which atom a subgroup keeps in which fragment, as proved index maps.
//
// For a rectangle (gm, gn, rm, rn) the layout is mixed-radix (seed 1, "Implemented matrix mapping family"). Forward, an
// atom is cut into the shards (gm, rm, gn, rn) by its row and column, and each shard adds to one of two coordinates:
//
//   shard      extent  adds        (atom_m, atom_n) = (gm-shard * rm + rm-shard, gn-shard * rn + rn-shard)
//   gm         gm      gn to subgroup
//   rm         rm      rn to fragment
//   gn         gn      1 to subgroup
//   rn         rn      1 to fragment
//
// Shards of extent 1 stay; both coordinates exist whatever the extents. A fragment ordinal is no address, and how the
// lanes of a subgroup share an atom is the device's contract.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "proof/index_map.h"
#include "proof/map_bijective.h"
#include "proof/map_exact_cover.h"
#include "proof/verdict.h"
#include "realize/matrix_distribution.h"
#include "realize/matrix_workload.h"

namespace tilewright::realize {

enum class OwnerCoordinate : std::uint8_t { Subgroup, Fragment };

/// One digit of the layout: `extent` positions, each of which adds `stride` to one coordinate.
struct FragmentShard {
  std::string_view name;
  std::int64_t extent = 1, stride = 1;
  OwnerCoordinate adds_to{};
  bool operator==(const FragmentShard&) const = default;
};

/// A map with the proofs that it is one to one, and that every point of its codomain is reached once.
struct ProvedMap {
  proof::IndexMap map;
  proof::Proved<proof::MapBijective> bijective;
  proof::Proved<proof::MapExactCover> exact_cover;
};

struct FragmentLayout {
  std::array<FragmentShard, 4> shards;
  ProvedMap forward;  ///< shards (gm, rm, gn, rn) to (subgroup, fragment)
  ProvedMap owner;    ///< (atom_m, atom_n) to (subgroup, fragment): forward after the cut into shards
  ProvedMap inverse;  ///< (subgroup, fragment) to (atom_m, atom_n)
};

/// Jobs of the one-atom map: (wave, subgroup) to the ordinal of an atom, row-major, guarded where the last wave is
/// partial.
struct AtomJobs {
  proof::GuardedMap map;
  proof::Proved<proof::MapExactCover> exact_cover;
};

/// A proof that was not given: which map, which family, which code.
struct LayoutFault {
  std::string map, family, code, reason;
};

/// Premise: the distribution is a legal rectangle of some workload (why_illegal says nothing), so that its factors are
/// positive and their products fit 64 bits.
std::expected<FragmentLayout, LayoutFault> fragment_layout(const MatrixDistribution& distribution);

/// Premises: the workload is valid; subgroups >= 1.
std::expected<AtomJobs, LayoutFault> atom_jobs(const MatrixWorkload& workload, std::int64_t subgroups);

/// The first atom (row-major) at which the three maps of the layout disagree with each other or with the shards;
/// nothing when they agree on all. Visits every atom.
struct AtomPlace {
  std::int64_t atom_m = 0, atom_n = 0;
  bool operator==(const AtomPlace&) const = default;
};
std::optional<AtomPlace> layout_disagreement(const FragmentLayout& layout);

}  // namespace tilewright::realize
