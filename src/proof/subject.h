// What the families ask about: a program and its facts, computed once.
//
// The program is bound, or its parameters are chosen and its sizes (symbols) are open: then every verdict is about all
// sizes from Assumptions::least_of() to kMostSize at once, and the certificate says so among its premises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/accesses.h"
#include "analysis/effects.h"
#include "analysis/recurrences.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "proof/certificate.h"
#include "support/result.h"
#include "tile/program.h"

namespace tilewright::proof {

/// Sizes beyond this are bound before anything is proved about them. It keeps every product of two sizes of a tile in
/// 64 bits.
inline constexpr std::int64_t kMostSize = std::int64_t{1} << 40;

struct Assumptions {
  analysis::AliasPromise aliasing;
  std::int64_t least_size = 1;  ///< of every open symbol whose default is not smaller

  /// What an open symbol is at least. Its default is among the sizes: a padding of 0 is no rare case.
  std::int64_t least_of(const tile::Symbol& symbol) const {
    return std::min(least_size, symbol.default_value.value_or(least_size));
  }
};

/// What a launch makes sure of: with `noalias`, that no two buffers overlap; without it, nothing.
Assumptions launch_assumptions(bool noalias);

struct Subject {
  const tile::Program& program;  ///< outlives the subject
  Assumptions assumptions;
  Hash128 hash;  ///< tile::meaning_hash
  analysis::SizeRanges sizes;
  analysis::Walk walk;
  analysis::Uses uses;
  analysis::LeafRanges ranges;
  analysis::Accesses accesses;
  std::vector<analysis::Recurrence> recurrences;
};

/// Premise: the program passes tile::verify and has no open parameter.
Subject make_subject(const tile::Program& program, const Assumptions& assumptions = {});
/// The same hash without the facts, for checkers.
Hash128 subject_hash(const tile::Program& program);

/// Premises that every certificate about a program begins with.
std::vector<Premise> common_premises(const Subject& subject);
std::vector<Premise> common_premises(const tile::Program& program, const Assumptions& assumptions);

}  // namespace tilewright::proof
