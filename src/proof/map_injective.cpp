#include "proof/map_injective.h"

#include "proof/issuer.h"
#include "proof/map_points.h"
#include "proof/map_search.h"

namespace tilewright::proof {

Verdict<MapInjective> prove_map_injective(const IndexMap& map, const Proved<MapTotalInBounds>& total,
                                          std::uint64_t limit) {
  TW_CHECK(total.holds_for(index_map_subject(map), kNoOperation));
  const std::uint64_t points = *box_points(map.inputs);
  if (points > 1) {
    const Injectivity answer = decide_injective(map, limit);
    if (answer.kind == Injectivity::Kind::Collides)
      return Refuted{MapInjective::kCollision, collision_witness(map, answer.collision)};
    if (answer.kind == Injectivity::Kind::Open) return map_quota(limit);
  }
  return Issuer::issue<MapInjective>(map_certificate(
      {map, {}}, points, {{Guarantor::Proof, "map.total_in_bounds: results have values and lie in the codomain"}}));
}

}  // namespace tilewright::proof
