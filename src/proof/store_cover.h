// PROOF map.exact_cover (of a store)
// Question    Does a launch store every element of the object exactly once by this store, counting the points of its
//             domain whose coordinates are in bounds (for all sizes within the assumptions)?
// Premises    the verifier's; sizes within the assumptions, when they are open.
// Method      Blocks that tile the object, by the form of the coordinates; else integer sets, exact: the map from the
// points of the domain to coordinates, restricted to those in bounds,
//             is a bijection onto the box of the object. Quota of sets::Context.
// Conclusion  Proved: the object need not be filled before and no two instances meet there. Refuted: MapExactCover::
//             kCollision with two points, or kUnreached with an element. Unknown: kConditional (a branch stands around
//             the store), kNoSets, kQuota.
// Fallback    The store keeps its place, and the object what it held.
// Check       check_store_cover: counts the stores of each element at the bound sizes, or at a list of small ones; of a
//             large domain by the dimensions of the object that belong together.
// Tests       tests/proof/access_families_test.cpp, tests/proof/access_property_test.cpp,
//             tests/proof/cover_check_test.cpp
#pragma once

#include "proof/map_exact_cover.h"
#include "proof/subject.h"
#include "sets/context.h"

namespace tilewright::proof {

struct StoreCover {
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kNoSets = "no_sets";
  static constexpr std::string_view kQuota = "quota";
};

/// `op` is a store.
Verdict<MapExactCover> prove_store_cover(const Subject& subject, tile::OpId op, const sets::Context& context);

}  // namespace tilewright::proof
