#include "proof/domain_sets.h"

#include <set>

namespace tilewright::proof {

using tile::IndexKind;

namespace {

std::vector<std::string> symbol_names(const tile::Program& program) {
  std::vector<std::string> names;
  for (const tile::Symbol& symbol : program.symbols()) names.push_back(symbol.name);
  return names;
}

}  // namespace

sets::Set compare(const sets::Function& a, tile::Comparison comparison, const sets::Function& b) {
  switch (comparison) {
    case tile::Comparison::Lt:
      return sets::less(a, b);
    case tile::Comparison::Le:
      return sets::less_equal(a, b);
    case tile::Comparison::Gt:
      return sets::greater(a, b);
    case tile::Comparison::Ge:
      return sets::greater_equal(a, b);
    case tile::Comparison::Eq:
      return sets::equal(a, b);
    case tile::Comparison::Ne:
      break;
  }
  return sets::not_equal(a, b);
}

std::vector<std::string> dimension_names(const tile::Program& program, const analysis::OverDomain& domain) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& symbol : symbol_names(program)) taken.insert(symbol);
  for (const analysis::Dimension& dimension : domain.dimensions) {
    const std::string label =
        dimension.is_coord() ? program.coords()[dimension.coord].name : program.axes()[dimension.axis].label;
    std::string name = label;
    for (int n = 2; !taken.insert(name).second; ++n) name = label + "_" + std::to_string(n);
    names.push_back(std::move(name));
  }
  return names;
}

DomainSets::DomainSets(const Subject& subject, const analysis::OverDomain& domain, const sets::Context& context)
    : subject_(subject),
      domain_(domain),
      space_(context, symbol_names(subject.program), dimension_names(subject.program, domain)) {}

std::optional<sets::Set> DomainSets::points() const {
  sets::Set points = sets::Set::universe(space_);
  for (const tile::Symbol& symbol : subject_.program.symbols()) {
    const auto size = sets::Function::parameter(space_, symbol.name);
    const auto constant = [&](std::int64_t value) { return sets::Function::constant(space_, value); };
    points = points.intersect(sets::greater_equal(size, constant(subject_.assumptions.least_of(symbol))))
                 .intersect(sets::less_equal(size, constant(kMostSize)));
  }
  for (const tile::Requirement& one : subject_.program.requirements())
    if (const auto sizes = requirement(one)) points = points.intersect(*sizes);
  for (std::size_t d = 0; d < domain_.dimensions.size(); ++d) {
    const auto extent = function(domain_.dimensions[d].extent);
    if (!extent) return std::nullopt;
    const auto at = sets::Function::dimension(space_, d);
    points = points.intersect(sets::greater_equal(at, sets::Function::constant(space_, 0)))
                 .intersect(sets::less(at, *extent));
  }
  return points;
}

bool DomainSets::points_are_exact() const {
  if (!domain_.is_exact()) return false;
  for (const tile::Requirement& one : subject_.program.requirements())
    if (!requirement(one)) return false;
  return true;
}

std::optional<sets::Set> DomainSets::requirement(const tile::Requirement& requirement) const {
  const auto a = function(requirement.lhs), b = function(requirement.rhs);
  if (!a || !b) return std::nullopt;
  return compare(*a, requirement.comparison, *b);
}

std::optional<sets::Function> DomainSets::function(tile::IndexId expr) const {
  if (!analysis::over_range_of(subject_.program, expr, subject_.ranges)) return std::nullopt;
  return convert(expr);
}

std::optional<sets::Function> DomainSets::leaf(const tile::IndexNode& node) const {
  switch (node.kind) {
    case IndexKind::Constant:
      return sets::Function::constant(space_, node.value);
    case IndexKind::Symbol:
      return sets::Function::parameter(space_, subject_.program.symbols()[node.symbol()].name);
    case IndexKind::Coord:
    case IndexKind::Axis:
      for (std::size_t d = 0; d < domain_.dimensions.size(); ++d) {
        const analysis::Dimension& dimension = domain_.dimensions[d];
        const bool same =
            node.kind == IndexKind::Coord ? dimension.coord == node.coord() : dimension.axis == node.axis();
        if (same) return sets::Function::dimension(space_, d);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<sets::Function> DomainSets::convert(tile::IndexId expr) const {
  const tile::IndexNode& node = subject_.program.index()[expr];
  return tile::is_index_leaf(node.kind) ? leaf(node) : operation(node);
}

std::optional<sets::Function> DomainSets::operation(const tile::IndexNode& node) const {
  const auto a = convert(node.lhs), b = convert(node.rhs);
  if (!a || !b) return std::nullopt;
  const auto divisor = subject_.program.index().as_constant(node.rhs);
  const bool divides = divisor && *divisor > 0;
  switch (node.kind) {
    case IndexKind::Add:
      return *a + *b;
    case IndexKind::Sub:
      return *a - *b;
    case IndexKind::Mul:
      return sets::product(*a, *b);
    case IndexKind::Min:
      return sets::minimum(*a, *b);
    case IndexKind::Max:
      return sets::maximum(*a, *b);
    case IndexKind::FloorDiv:
      return divides ? std::optional(a->floordiv(*divisor)) : std::nullopt;
    case IndexKind::CeilDiv:
      return divides ? std::optional(a->ceildiv(*divisor)) : std::nullopt;
    case IndexKind::Mod:
      return divides ? std::optional(a->mod(*divisor)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::vector<Witness::Coordinate> DomainSets::named(const sets::Point& point) const {
  std::vector<Witness::Coordinate> named;
  for (std::size_t i = 0; i < point.parameters.size(); ++i)
    named.push_back({space_.parameters()[i], point.parameters[i]});
  for (std::size_t i = 0; i < point.dimensions.size(); ++i)
    named.push_back({space_.dimensions()[i], point.dimensions[i]});
  return named;
}

}  // namespace tilewright::proof
