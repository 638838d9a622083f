#include "proof/corner_points.h"

#include <algorithm>

#include "analysis/affine.h"
#include "proof/domain_sets.h"
#include "tile/comparison.h"

namespace tilewright::proof {

namespace {

bool sizes_are_allowed(const Subject& subject, const CornerPoint& sizes) {
  const auto& all = subject.program.requirements();
  return std::all_of(all.begin(), all.end(), [&](const tile::Requirement& requirement) {
    const auto a = sizes.value(requirement.lhs), b = sizes.value(requirement.rhs);
    return a && b && tile::holds(*a, requirement.comparison, *b);
  });
}

analysis::Leaf leaf_of(const analysis::Dimension& dimension) {
  return dimension.is_coord() ? analysis::Leaf::of(dimension.coord) : analysis::Leaf::of(dimension.axis);
}

/// The sum of the coefficients of the terms that the leaf stands in, sizes at their least.
std::int64_t slope(const analysis::AffineForm& form, analysis::Leaf leaf) {
  std::int64_t sign = form.coefficient(leaf);
  if (sign != 0) return sign;
  for (const analysis::Term& term : form.terms)
    if (std::find(term.factors.begin(), term.factors.end(), leaf) != term.factors.end()) sign = term.coefficient;
  return sign;
}

}  // namespace

std::optional<std::int64_t> CornerPoint::value(tile::IndexId expr) const {
  tile::IndexEnvironment environment;
  environment.symbol = [this](tile::SymbolId id) {
    return std::optional(subject_.assumptions.least_of(subject_.program.symbols()[id]));
  };
  const auto find = [this](auto id) -> std::optional<std::int64_t> {
    const analysis::Dimension* dimension = domain_.find(id);
    if (dimension == nullptr) return std::nullopt;
    const auto at = static_cast<std::size_t>(dimension - domain_.dimensions.data());
    return at < dimensions_.size() ? std::optional(dimensions_[at]) : std::nullopt;
  };
  environment.coord = [&find](tile::CoordId id) { return find(id); };
  environment.axis = [&find](tile::AxisId id) { return find(id); };
  return subject_.program.index().evaluate(expr, environment);
}

std::vector<Witness::Coordinate> CornerPoint::named() const {
  std::vector<Witness::Coordinate> named;
  for (const tile::Symbol& symbol : subject_.program.symbols())
    named.push_back({symbol.name, subject_.assumptions.least_of(symbol)});
  const std::vector<std::string> names = dimension_names(subject_.program, domain_);
  for (std::size_t i = 0; i < names.size(); ++i) named.push_back({names[i], dimensions_[i]});
  return named;
}

std::optional<CornerPoint> corner_of(const Subject& subject, const analysis::OverDomain& domain, tile::IndexId expr,
                                     bool greatest, tile::AxisId at_zero) {
  if (!domain.is_exact()) return std::nullopt;
  const auto form = analysis::affine_form(subject.program, expr, subject.ranges);
  if (!form || !sizes_are_allowed(subject, CornerPoint(subject, domain, {}))) return std::nullopt;
  std::vector<std::int64_t> at;
  for (const analysis::Dimension& dimension : domain.dimensions) {
    // Outer coordinates are known here, so an extent may depend on them.
    const auto extent = CornerPoint(subject, domain, at).value(dimension.extent);
    if (!extent || *extent < 1) return std::nullopt;
    const bool fixed = !dimension.is_coord() && dimension.axis == at_zero;
    const bool high = !fixed && (slope(*form, leaf_of(dimension)) > 0) == greatest;
    at.push_back(high ? *extent - 1 : 0);
  }
  return CornerPoint(subject, domain, std::move(at));
}

}  // namespace tilewright::proof
