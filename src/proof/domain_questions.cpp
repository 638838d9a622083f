#include "proof/domain_questions.h"

#include <fmt/format.h>

#include "analysis/affine.h"
#include "proof/corner_points.h"
#include "proof/domain_sets.h"
#include "sets/function.h"
#include "sets/set.h"
#include "support/checked_math.h"
#include "tile/printer.h"

namespace tilewright::proof {

namespace {

std::optional<sets::Function> axis_in(const DomainSets& bridge, const analysis::OverDomain& domain, tile::AxisId axis) {
  if (!axis.valid()) return sets::Function::constant(bridge.space(), 0);
  for (std::size_t d = 0; d < domain.dimensions.size(); ++d)
    if (domain.dimensions[d].axis == axis) return sets::Function::dimension(bridge.space(), d);
  return std::nullopt;
}

/// Of the points at which something is wrong.
DomainAnswer answer_of(const DomainSets& bridge, const sets::Set& wrong, bool is_exact, const std::string& what) {
  const sets::Truth none = wrong.is_empty();
  if (none == sets::Truth::Yes) return {};
  const auto point = none == sets::Truth::No ? wrong.sample() : std::nullopt;
  if (!point) return {DomainAnswer::Kind::Quota, {}, "the integer sets took more steps than allowed"};
  return {is_exact ? DomainAnswer::Kind::Violated : DomainAnswer::Kind::Conditional, bridge.named(*point),
          what + " at this point"};
}

}  // namespace

const analysis::Dimension* dimension_of(const analysis::OverDomain& domain, analysis::Leaf leaf) {
  if (!leaf.varies()) return nullptr;
  return leaf.kind == tile::IndexKind::Coord ? domain.find(tile::CoordId{leaf.index})
                                             : domain.find(tile::AxisId{leaf.index});
}

bool runs_to(const tile::Program& program, const analysis::Dimension& dimension, std::int64_t step, tile::IndexId end) {
  if (step == 1 && dimension.extent == end) return true;
  const tile::IndexNode& node = program.index()[dimension.extent];
  return step >= 1 && node.kind == tile::IndexKind::CeilDiv && node.lhs == end &&
         program.index().as_constant(node.rhs) == step;
}

bool ends_before(const tile::Program& program, const analysis::OverDomain& domain, const analysis::AffineForm& form,
                 tile::IndexId end) {
  if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].factors.size() != 1) return false;
  const analysis::Dimension* over = dimension_of(domain, form.terms[0].factors[0]);
  return over != nullptr && runs_to(program, *over, form.terms[0].coefficient, end);
}

DomainAnswer DomainQuestions::at_least_zero(tile::IndexId expr, tile::AxisId axis) const {
  return ask(expr, axis, std::nullopt);
}

DomainAnswer DomainQuestions::below(tile::IndexId expr, tile::AxisId axis, tile::IndexId extent) const {
  return ask(expr, axis, extent);
}

bool DomainQuestions::surely(tile::IndexId expr, tile::AxisId axis, std::optional<tile::IndexId> extent) const {
  const auto form = analysis::affine_form(subject_.program, expr, subject_.ranges);
  if (!form) return false;
  const auto origin = axis.valid() ? analysis::without(*form, analysis::Leaf::of(axis)) : *form;
  if (extent && ends_before(subject_.program, domain_, origin, *extent)) return true;
  const auto range = analysis::over_range_of(origin, subject_.ranges);
  if (!range) return false;
  if (!extent) return range->low >= 0;
  const auto constant = subject_.program.index().as_constant(*extent);
  return constant && range->high < *constant;
}

DomainAnswer DomainQuestions::ask(tile::IndexId expr, tile::AxisId axis, std::optional<tile::IndexId> extent) const {
  if (surely(expr, axis, extent)) return {};
  const std::string text = tile::print_index(subject_.program, expr) +
                           (axis.valid() ? fmt::format(" at {} = 0", subject_.program.axes()[axis].label) : "");
  const std::string side = extent ? "not below " + tile::print_index(subject_.program, *extent) : "below 0";
  if (const auto corner = corner_of(subject_, domain_, expr, extent.has_value(), axis)) {
    const auto value = corner->value(expr), limit = extent ? corner->value(*extent) : std::optional<std::int64_t>(0);
    if (value && limit && (extent ? *value >= *limit : *value < *limit))
      return {DomainAnswer::Kind::Violated, corner->named(), text + " is " + side + " at this point"};
  }
  const sets::Query query(context_);
  const DomainSets bridge(subject_, domain_, context_);
  const auto at = bridge.function(expr), moved = axis_in(bridge, domain_, axis);
  const auto limit = extent ? bridge.function(*extent) : std::optional(sets::Function::constant(bridge.space(), 0));
  const auto domain = at && moved && limit ? bridge.points() : std::nullopt;
  if (!domain) return {DomainAnswer::Kind::NoSets, {}, text + " is not quasi-affine, or may overflow"};
  const sets::Function origin = *at - *moved;
  const sets::Set wrong = domain->intersect(extent ? sets::greater_equal(origin, *limit) : sets::less(origin, *limit));
  return answer_of(bridge, wrong, bridge.points_are_exact(), text + " is " + side);
}

DomainAnswer DomainQuestions::equal(const Remaining& a, const Remaining& b) const {
  const std::string text =
      fmt::format("{} - ({}) against {} - ({})", tile::print_index(subject_.program, a.extent),
                  tile::print_index(subject_.program, a.expr), tile::print_index(subject_.program, b.extent),
                  tile::print_index(subject_.program, b.expr));
  if (auto point = corner_that_differs(a, b))
    return {DomainAnswer::Kind::Violated, std::move(*point), text + ": they differ at this point"};
  const sets::Query query(context_);
  const DomainSets bridge(subject_, domain_, context_);
  const auto domain = bridge.points();
  const auto moved_a = axis_in(bridge, domain_, a.axis), moved_b = axis_in(bridge, domain_, b.axis);
  const auto extent_a = bridge.function(a.extent), at_a = bridge.function(a.expr);
  const auto extent_b = bridge.function(b.extent), at_b = bridge.function(b.expr);
  if (!domain || !moved_a || !moved_b || !extent_a || !at_a || !extent_b || !at_b)
    return {DomainAnswer::Kind::NoSets, {}, text + " is not quasi-affine, or may overflow"};
  const sets::Function left_a = *extent_a - (*at_a - *moved_a), left_b = *extent_b - (*at_b - *moved_b);
  const DomainAnswer less = answer_of(bridge, domain->intersect(sets::less(left_a, left_b)), bridge.points_are_exact(),
                                      text + ": the first is less");
  if (!less.holds()) return less;
  return answer_of(bridge, domain->intersect(sets::less(left_b, left_a)), bridge.points_are_exact(),
                   text + ": the second is less");
}

std::optional<std::vector<Witness::Coordinate>> DomainQuestions::corner_that_differs(const Remaining& a,
                                                                                     const Remaining& b) const {
  if (a.axis != b.axis) return std::nullopt;
  for (bool greatest : {false, true}) {
    const auto corner = corner_of(subject_, domain_, a.expr, greatest, a.axis);
    if (!corner) continue;
    const auto left = [&](const Remaining& side) -> std::optional<std::int64_t> {
      const auto extent = corner->value(side.extent), at = corner->value(side.expr);
      return extent && at ? checked_sub(*extent, *at) : std::nullopt;
    };
    const auto left_a = left(a), left_b = left(b);
    if (left_a && left_b && *left_a != *left_b) return corner->named();
  }
  return std::nullopt;
}

}  // namespace tilewright::proof
