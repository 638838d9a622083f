#include "proof/map_bijective.h"

#include "proof/issuer.h"
#include "proof/map_points.h"
#include "proof/map_search.h"

namespace tilewright::proof {

namespace {

using Bijective = MapBijective;

Verdict<MapBijective> proved_bijective(const IndexMap& map, std::uint64_t points) {
  return Issuer::issue<Bijective>(map_certificate(
      {map, {}}, points, {{Guarantor::Proof, "map.total_in_bounds: results have values and lie in the codomain"}}));
}

}  // namespace

Verdict<MapBijective> prove_map_bijective(const IndexMap& map, const Proved<MapTotalInBounds>& total,
                                          std::uint64_t limit) {
  TW_CHECK(total.holds_for(index_map_subject(map), kNoOperation));
  const std::uint64_t points = *box_points(map.inputs);
  const auto outputs = box_points(map.outputs);
  if (points == 0) {
    if (outputs && *outputs == 0) return proved_bijective(map, 0);
    return Refuted{Bijective::kUnreached, unreached_witness(MapPoint(map.outputs.size()))};
  }
  // An exact comparison of sizes: with as many points as values, injective is bijective.
  const bool equal_sizes = outputs && points == *outputs;
  const Injectivity answer = decide_injective(map, limit);
  if (answer.kind == Injectivity::Kind::Injective && equal_sizes) return proved_bijective(map, points);
  if (answer.kind == Injectivity::Kind::Collides)
    return Refuted{Bijective::kCollision, collision_witness(map, answer.collision)};
  if (const auto output = find_unreached(map, limit)) return Refuted{Bijective::kUnreached, unreached_witness(*output)};
  return map_quota(limit);
}

}  // namespace tilewright::proof
