#include "proof/store_cover.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proof/block_cover.h"
#include "proof/domain_sets.h"
#include "proof/issuer.h"
#include "proof/statement.h"
#include "sets/map.h"
#include "support/check.h"

namespace tilewright::proof {

namespace {

class CoverProver {
 public:
  CoverProver(const Subject& subject, const analysis::Access& access, const sets::Context& context)
      : subject_(subject), access_(access), context_(context) {}

  Verdict<MapExactCover> run() {
    if (!access_.domain.is_exact()) return Unknown{StoreCover::kConditional, "the store stands in a branch"};
    if (surely_covers_by_blocks(subject_, access_)) return Issuer::issue<MapExactCover>(certificate());
    const sets::Query query(context_);
    const DomainSets bridge(subject_, access_.domain, context_);
    auto points = bridge.points();
    std::vector<sets::Function> coordinates;
    for (const analysis::AccessDimension& dimension : access_.dimensions) {
      const auto at = bridge.function(dimension.expr), extent = bridge.function(dimension.extent);
      if (!points || !at || !extent) return not_affine();
      points = points->intersect(sets::greater_equal(*at, sets::Function::constant(bridge.space(), 0)))
                   .intersect(sets::less(*at, *extent));
      coordinates.push_back(*at);
    }
    if (!points) return not_affine();
    return decide(bridge, *points, coordinates);
  }

 private:
  static Unknown not_affine() {
    return {StoreCover::kNoSets, "an expression is not quasi-affine over the domain, or may overflow"};
  }
  static Unknown quota() { return {StoreCover::kQuota, "the integer sets took more steps than allowed"}; }

  std::vector<std::string> element_names() const {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < access_.dimensions.size(); ++d) names.push_back("element" + std::to_string(d));
    return names;
  }

  /// All elements of the object, at sizes within the assumptions.
  sets::Set elements(const DomainSets& bridge) const {
    const sets::Space space = bridge.space().with_dimensions(element_names());
    sets::Set box = sets::Set::universe(space);
    const analysis::OverDomain nothing;
    const DomainSets sizes(subject_, nothing, context_);
    for (std::size_t d = 0; d < access_.dimensions.size(); ++d) {
      const auto extent = sizes.function(access_.dimensions[d].extent);
      TW_CHECK(extent.has_value());
      const sets::Function wide = extent->after(space, {});
      const auto at = sets::Function::dimension(space, d);
      box = box.intersect(sets::greater_equal(at, sets::Function::constant(space, 0))).intersect(sets::less(at, wide));
    }
    return box.where(sizes.points()->parameter_condition());
  }

  Verdict<MapExactCover> decide(const DomainSets& bridge, const sets::Set& points,
                                const std::vector<sets::Function>& coordinates) const {
    const sets::Map map(points, coordinates, element_names());
    const sets::Truth injective = map.is_injective();
    if (injective == sets::Truth::No) return collision(bridge, map);
    const sets::Set missed = elements(bridge).subtract(map.range());
    const sets::Truth covered = missed.is_empty();
    if (covered == sets::Truth::No) {
      if (!bridge.points_are_exact()) return conditional();
      return unreached(missed);
    }
    if (injective == sets::Truth::Unknown || covered == sets::Truth::Unknown) return quota();
    return Issuer::issue<MapExactCover>(certificate());
  }

  static Unknown conditional() {
    return {StoreCover::kConditional, "it fails at sizes that a requirement may exclude"};
  }

  Verdict<MapExactCover> collision(const DomainSets& bridge, const sets::Map& map) const {
    if (!bridge.points_are_exact()) return conditional();
    const auto found = map.collision();
    if (!found) return quota();
    Witness witness{bridge.named({found->parameters, found->first}), {}};
    const auto second = bridge.named({{}, found->second});
    for (const Witness::Coordinate& coordinate : second)
      witness.point.push_back({"other_" + coordinate.name, coordinate.value});
    witness.violates = fmt::format("both points store the element ({})", fmt::join(found->image, ", "));
    return Refuted{MapExactCover::kCollision, std::move(witness)};
  }

  Verdict<MapExactCover> unreached(const sets::Set& missed) const {
    const auto point = missed.sample();
    if (!point) return quota();
    Witness witness;
    for (std::size_t i = 0; i < point->parameters.size(); ++i)
      witness.point.push_back({missed.space().parameters()[i], point->parameters[i]});
    for (std::size_t i = 0; i < point->dimensions.size(); ++i)
      witness.point.push_back({missed.space().dimensions()[i], point->dimensions[i]});
    witness.violates = fmt::format("nothing stores the element ({})", fmt::join(point->dimensions, ", "));
    return Refuted{MapExactCover::kUnreached, std::move(witness)};
  }

  Certificate certificate() const {
    Certificate certificate = certificate_of(subject_, access_.op);
    certificate.fields = {{"access", access_text(subject_.program, access_)},
                          {"extents", extents_text(subject_.program, access_.object)},
                          {"domain", domain_text(subject_.program, access_.domain)}};
    return certificate;
  }

  const Subject& subject_;
  const analysis::Access& access_;
  const sets::Context& context_;
};

}  // namespace

Verdict<MapExactCover> prove_store_cover(const Subject& subject, tile::OpId op, const sets::Context& context) {
  const analysis::Access* access = subject.accesses.of(op);
  TW_CHECK(access != nullptr && access->is_store);
  return CoverProver(subject, *access, context).run();
}

}  // namespace tilewright::proof
