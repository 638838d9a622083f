#include "proof/access_in_bounds.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "analysis/range.h"
#include "proof/corner_points.h"
#include "proof/domain_questions.h"
#include "proof/domain_sets.h"
#include "proof/issuer.h"
#include "proof/statement.h"
#include "support/check.h"
#include "tile/printer.h"

namespace tilewright::proof {

namespace {

using analysis::Access;
using analysis::AccessDimension;

enum class Side : std::uint8_t { Below, Past };

class InBoundsProver {
 public:
  InBoundsProver(const Subject& subject, const Access& access, DomainPart part, const sets::Context& context)
      : subject_(subject), access_(access), part_(part), context_(context) {}

  Verdict<AccessInBounds> run() {
    std::vector<const AccessDimension*> open;
    for (const AccessDimension& dimension : access_.dimensions)
      if (!surely_inside(dimension)) open.push_back(&dimension);
    for (const AccessDimension* dimension : open)
      if (auto refuted = refuted_at_corner(*dimension)) return *refuted;
    for (const AccessDimension* dimension : open)
      if (auto other = ask_sets(*dimension)) return *other;
    return Issuer::issue<AccessInBounds>(certificate());
  }

 private:
  using Answer = std::optional<Verdict<AccessInBounds>>;

  /// A unit projection of an interior point: 0 <= origin <= coordinate < origin + extent of the axis <= extent.
  bool inside_by_part(const AccessDimension& dimension) const {
    return part_ == DomainPart::Interior && dimension.unit.has_value();
  }

  bool surely_inside(const AccessDimension& dimension) const {
    if (inside_by_part(dimension)) return true;
    if (dimension.form && ends_before(subject_.program, access_.domain, *dimension.form, dimension.extent)) return true;
    if (!dimension.constant_extent) return false;
    const auto range = analysis::over_range(subject_.program, dimension.expr, access_.domain, subject_.ranges);
    return range && (range->empty() || (range->low >= 0 && range->high < *dimension.constant_extent));
  }

  /// A corner of an interior point is for the sets to find.
  Answer refuted_at_corner(const AccessDimension& dimension) const {
    if (part_ == DomainPart::Interior) return std::nullopt;
    for (Side side : {Side::Below, Side::Past}) {
      const auto corner = corner_of(subject_, access_.domain, dimension.expr, side == Side::Past);
      const auto value = corner ? corner->value(dimension.expr) : std::nullopt;
      const auto extent = corner ? corner->value(dimension.extent) : std::nullopt;
      if (!value || !extent) continue;
      if (side == Side::Below ? *value < 0 : *value >= *extent) return violated(dimension, side, true, corner->named());
    }
    return std::nullopt;
  }

  Answer ask_sets(const AccessDimension& dimension) {
    const sets::Query query(context_);
    const DomainSets bridge(subject_, access_.domain, context_);
    const auto at = bridge.function(dimension.expr), extent = bridge.function(dimension.extent);
    const auto domain = at && extent ? part_of_domain(bridge) : std::nullopt;
    if (!domain) return enumerate(dimension);
    for (Side side : {Side::Below, Side::Past}) {
      const sets::Set wrong =
          domain->intersect(side == Side::Below ? sets::less(*at, sets::Function::constant(bridge.space(), 0))
                                                : sets::greater_equal(*at, *extent));
      const sets::Truth none = wrong.is_empty();
      if (none == sets::Truth::Yes) continue;
      const auto point = none == sets::Truth::No ? wrong.sample() : std::nullopt;
      if (!point) return Unknown{AccessInBounds::kQuota, "the integer sets took more steps than allowed"};
      return violated(dimension, side, bridge.points_are_exact(), bridge.named(*point));
    }
    return std::nullopt;
  }

  /// The domain, or its interior points. Nothing: not quasi-affine.
  std::optional<sets::Set> part_of_domain(const DomainSets& bridge) const {
    auto points = bridge.points();
    if (!points || part_ == DomainPart::All) return points;
    for (const AccessDimension& dimension : access_.dimensions) {
      if (!dimension.unit) continue;
      const auto at = bridge.function(dimension.expr), extent = bridge.function(dimension.extent);
      const auto tile = bridge.function(subject_.program.axes()[dimension.unit->axis].extent);
      const auto axis = axis_function(bridge, dimension.unit->axis);
      if (!at || !extent || !tile || !axis) return std::nullopt;
      const sets::Function origin = *at - *axis;
      points = points->intersect(sets::greater_equal(origin, sets::Function::constant(bridge.space(), 0)))
                   .intersect(sets::less_equal(origin + *tile, *extent));
    }
    return points;
  }

  std::optional<sets::Function> axis_function(const DomainSets& bridge, tile::AxisId axis) const {
    for (std::size_t d = 0; d < access_.domain.dimensions.size(); ++d)
      if (access_.domain.dimensions[d].axis == axis) return sets::Function::dimension(bridge.space(), d);
    return std::nullopt;
  }

  /// Which axis a coordinate without a form moves with is not known, so that some points may be too many.
  bool interior_is_exact() const {
    return std::all_of(access_.dimensions.begin(), access_.dimensions.end(),
                       [](const AccessDimension& dimension) { return dimension.form || dimension.over_axes.empty(); });
  }

  Verdict<AccessInBounds> violated(const AccessDimension& dimension, Side side, bool executes,
                                   std::vector<Witness::Coordinate> point) const {
    const std::string what = fmt::format(
        "{} is {} at this point", tile::print_index(subject_.program, dimension.expr),
        side == Side::Below ? "below 0"
                            : fmt::format("not below {}", tile::print_index(subject_.program, dimension.extent)));
    if (!executes) return Unknown{AccessInBounds::kConditional, what + ", which a branch or requirement may exclude"};
    if (part_ == DomainPart::Interior && !interior_is_exact())
      return Unknown{AccessInBounds::kNoSets, what + ", which may not be interior: a coordinate has no affine form"};
    return Refuted{side == Side::Below ? AccessInBounds::kBelowZero : AccessInBounds::kPastEnd,
                   {std::move(point), what}};
  }

  Answer enumerate(const AccessDimension& dimension);

  Certificate certificate() const {
    Certificate certificate = certificate_of(subject_, tile::OpId{access_.op});
    certificate.fields = {{"access", access_text(subject_.program, access_)},
                          {"extents", extents_text(subject_.program, access_.object)},
                          {"domain", domain_text(subject_.program, access_.domain)},
                          {"part", std::string(domain_part_name(part_))}};
    return certificate;
  }

  const Subject& subject_;
  const Access& access_;
  DomainPart part_;
  const sets::Context& context_;
};

/// Visits the points of a bound domain, outermost dimension first.
class DomainWalk {
 public:
  DomainWalk(const Subject& subject, const analysis::OverDomain& domain) : subject_(subject), domain_(domain) {
    environment_.coord = [this](tile::CoordId id) { return std::optional(coords_.at(id)); };
    environment_.axis = [this](tile::AxisId id) { return std::optional(axes_.at(id)); };
  }

  const tile::IndexEnvironment& environment() const { return environment_; }

  /// f() -> go on? at each point. False: above the limit, or an extent has no value.
  template <class F>
  bool run(std::int64_t limit, F&& f) {
    left_ = limit;
    return visit(0, f) != Step::Lost;
  }

  std::vector<Witness::Coordinate> named() const {
    std::vector<Witness::Coordinate> point;
    const auto names = dimension_names(subject_.program, domain_);
    for (std::size_t d = 0; d < names.size(); ++d) {
      const analysis::Dimension& dimension = domain_.dimensions[d];
      point.push_back({names[d], dimension.is_coord() ? coords_.at(dimension.coord) : axes_.at(dimension.axis)});
    }
    return point;
  }

 private:
  enum class Step : std::uint8_t { On, Stop, Lost };

  template <class F>
  Step visit(std::size_t depth, F& f) {
    if (left_-- <= 0) return Step::Lost;
    if (depth == domain_.dimensions.size()) return f() ? Step::On : Step::Stop;
    const analysis::Dimension& dimension = domain_.dimensions[depth];
    const auto extent = subject_.program.index().evaluate(dimension.extent, environment_);
    if (!extent) return Step::Lost;
    for (std::int64_t i = 0; i < *extent; ++i) {
      (dimension.is_coord() ? coords_[dimension.coord] : axes_[dimension.axis]) = i;
      if (const Step step = visit(depth + 1, f); step != Step::On) return step;
    }
    return Step::On;
  }

  const Subject& subject_;
  const analysis::OverDomain& domain_;
  tile::IndexEnvironment environment_;
  std::map<tile::CoordId, std::int64_t> coords_;
  std::map<tile::AxisId, std::int64_t> axes_;
  std::int64_t left_ = 0;
};

InBoundsProver::Answer InBoundsProver::enumerate(const AccessDimension& dimension) {
  const Unknown unknown{
      AccessInBounds::kNoSets,
      fmt::format(
          "{} or an extent of its domain is not quasi-affine or may overflow, and its points are too many to visit",
          tile::print_index(subject_.program, dimension.expr))};
  if (!subject_.program.bound() || part_ == DomainPart::Interior) return Verdict<AccessInBounds>(unknown);
  DomainWalk walk(subject_, access_.domain);
  Answer found;
  const bool complete = walk.run(kInBoundsLimit, [&] {
    const auto at = subject_.program.index().evaluate(dimension.expr, walk.environment());
    if (!at) found = unknown;
    if (at && *at < 0) found = violated(dimension, Side::Below, access_.domain.is_exact(), walk.named());
    if (at && *at >= *dimension.constant_extent)
      found = violated(dimension, Side::Past, access_.domain.is_exact(), walk.named());
    return !found;
  });
  if (!complete) return Verdict<AccessInBounds>(unknown);
  return found;
}

}  // namespace

Verdict<AccessInBounds> prove_access_in_bounds(const Subject& subject, tile::OpId op, DomainPart part,
                                               const sets::Context& context) {
  const Access* access = subject.accesses.of(op);
  TW_CHECK(access != nullptr);
  return InBoundsProver(subject, *access, part, context).run();
}

DomainPart in_bounds_part(const Proved<AccessInBounds>& token) {
  const Field all{"part", std::string(domain_part_name(DomainPart::All))};
  const auto& fields = token.certificate().fields;
  return std::find(fields.begin(), fields.end(), all) != fields.end() ? DomainPart::All : DomainPart::Interior;
}

}  // namespace tilewright::proof
