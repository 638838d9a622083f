// Random small programs with one load or store of interest, for the families about accesses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proof/case_random.h"
#include "proof/named_points.h"
#include "tile/program.h"

namespace tilewright::proof {

struct AccessCase {
  std::string text;
  std::int64_t size = 0;  ///< of M; 0: open
  bool is_load = false;   ///< of Y, else a store to Y
  /// A branch or requirement restricts the points in a way that sets do not see.
  bool restricted = false;
  /// Some coordinate of Y divides, takes a modulus, a minimum or maximum.
  bool quasi_affine = false;
  /// Some expression about Y is beyond quasi-affine ones.
  bool not_affine = false;

  /// Bound when the size is a number, else open in M.
  tile::Program program() const;
  /// The one load or store of Y.
  tile::OpId op(const tile::Program& program) const;
  /// Sizes at which the truth is asked: none for a bound program, else small M that meet the requirements.
  std::vector<NamedPoint> trials(const tile::Program& program) const;
};

/// Any load or store: coordinates affine, quasi-affine or neither; extents that fit the tiles or nearly do.
AccessCase random_access(CaseRandom& random);
/// Of a store only, most of whose dimensions are tiles; mostly stores of prefixes.
AccessCase random_tile_store(CaseRandom& random);
/// A store that writes each element once, mostly with one of its numbers changed.
AccessCase random_cover(CaseRandom& random, bool likely_exact);
/// Two bool tiles `left` and `right` over the points of a store of Y: the same conjunction written in two ways, mostly
/// with one part changed.
AccessCase random_guards(CaseRandom& random);

}  // namespace tilewright::proof
