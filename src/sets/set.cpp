#include "sets/set.h"

#include <isl/ilp.h>

#include <algorithm>
#include <functional>

#include "sets/access.h"

namespace tilewright::sets {

using detail::Access;
using detail::Ask;
using detail::ValHandle;

namespace {

/// One set of the same space from one.
template <class Operation>
Set set_from(const Set& set, Operation operation) {
  const Ask ask(Access::state(set.space()));
  if (set.lost() || !ask.whole()) return Access::lost_set(set.space());
  return Access::make_set(ask, set.space(), operation(Access::of(set).copy(), ask.ctx()));
}

/// One set from two sets or two functions of equal rank.
template <class Value, class Operation>
Set set_from(const Value& a, const Value& b, Operation operation) {
  const Space space = detail::joined(a.space(), b.space());
  const Ask ask(Access::state(space));
  if (a.lost() || b.lost() || !ask.whole()) return Access::lost_set(space);
  return Access::make_set(ask, space, operation(detail::aligned(a, space), detail::aligned(b, space)));
}

template <class Question>
Truth compare_sets(const Set& a, const Set& b, Question question) {
  const Space space = detail::joined(a.space(), b.space());
  const Ask ask(Access::state(space));
  if (a.lost() || b.lost() || !ask.whole()) return Truth::Unknown;
  const detail::SetHandle left(detail::aligned(a, space)), right(detail::aligned(b, space));
  return detail::answer(ask, question(left.get(), right.get()));
}

std::optional<std::int64_t> extreme(const Set& set, const Function& f, isl_val* (*of)(isl_pw_aff*)) {
  const Function on_set = f.restrict_to(set);
  const Ask ask(Access::state(on_set.space()));
  if (on_set.lost() || !ask.whole()) return std::nullopt;
  const ValHandle value(of(Access::of(on_set).copy()));
  return ask.whole() ? detail::integer_of(value) : std::nullopt;
}

}  // namespace

Set Set::universe(const Space& space) {
  const Ask ask(Access::state(space));
  return Access::make_set(ask, space, isl_set_universe(Access::of(space).copy()));
}

Set Set::empty(const Space& space) {
  const Ask ask(Access::state(space));
  return Access::make_set(ask, space, isl_set_empty(Access::of(space).copy()));
}

Set Set::box(const Space& space, std::span<const std::int64_t> extents) {
  TW_CHECK(extents.size() == space.rank());
  if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent <= 0; })) return empty(space);
  const Ask ask(Access::state(space));
  isl_set* set = isl_set_universe(Access::of(space).copy());
  for (unsigned i = 0; i < extents.size(); ++i) {
    set = isl_set_lower_bound_si(set, isl_dim_set, i, 0);
    set = isl_set_upper_bound_val(set, isl_dim_set, i, detail::val_of(ask.ctx(), extents[i] - 1));
  }
  return Access::make_set(ask, space, set);
}

Set Set::box(const Space& space, std::span<const Function> extents) {
  TW_CHECK(extents.size() == space.rank());
  const Query one(space.context());
  const Function zero = Function::constant(space, 0);
  Set result = universe(space);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Function x = Function::dimension(space, i);
    result = result.intersect(less_equal(zero, x)).intersect(less(x, extents[i]));
  }
  return result;
}

Set Set::of_point(const Space& space, const Point& point) {
  const Ask ask(Access::state(space));
  return Access::make_set(ask, space, isl_set_from_point(detail::isl_point_of(space, point)));
}

const Space& Set::space() const { return body_->space; }
bool Set::lost() const { return !body_->set; }

Set Set::unite(const Set& other) const { return set_from(*this, other, isl_set_union); }
Set Set::intersect(const Set& other) const { return set_from(*this, other, isl_set_intersect); }
Set Set::subtract(const Set& other) const { return set_from(*this, other, isl_set_subtract); }
Set Set::gist(const Set& known) const { return set_from(*this, known, isl_set_gist); }

Set Set::complement() const {
  return set_from(*this, [](isl_set* set, isl_ctx*) { return isl_set_complement(set); });
}

Set Set::where(const Set& condition) const {
  TW_CHECK(condition.space().rank() == 0);
  const Space space = this->space().with_parameters_of(condition.space());
  const Ask ask(Access::state(space));
  if (lost() || condition.lost() || !ask.whole()) return Access::lost_set(space);
  isl_set* parameters = isl_set_params(detail::aligned(condition, space));
  return Access::make_set(ask, space, isl_set_intersect_params(detail::aligned(*this, space), parameters));
}

Set Set::project_out(std::span<const std::size_t> dimensions) const {
  std::vector<std::size_t> positions(dimensions.begin(), dimensions.end());
  std::ranges::sort(positions, std::greater<>());
  TW_CHECK(std::ranges::adjacent_find(positions) == positions.end());
  TW_CHECK(positions.empty() || positions.front() < space().rank());
  std::vector<std::string> names = space().dimensions();
  for (const std::size_t position : positions) names.erase(names.begin() + static_cast<std::ptrdiff_t>(position));
  const Space rest = space().with_dimensions(std::move(names));

  const Ask ask(Access::state(rest));
  if (lost() || !ask.whole()) return Access::lost_set(rest);
  isl_set* set = Access::of(*this).copy();
  for (const std::size_t position : positions)
    set = isl_set_project_out(set, isl_dim_set, static_cast<unsigned>(position), 1);
  return Access::make_set(ask, rest, set);
}

Set Set::parameter_condition() const {
  const Space rest = space().with_dimensions({});
  const Ask ask(Access::state(rest));
  if (lost() || !ask.whole()) return Access::lost_set(rest);
  const auto rank = static_cast<unsigned>(space().rank());
  return Access::make_set(ask, rest, isl_set_project_out(Access::of(*this).copy(), isl_dim_set, 0, rank));
}

Set Set::fix(std::string_view parameter, std::int64_t value) const {
  const auto index = space().find_parameter(parameter);
  TW_CHECK(index.has_value());
  return set_from(*this, [&](isl_set* set, isl_ctx* ctx) {
    return isl_set_fix_val(set, isl_dim_param, static_cast<unsigned>(*index), detail::val_of(ctx, value));
  });
}

Set Set::fix_dimension(std::size_t index, std::int64_t value) const {
  TW_CHECK(index < space().rank());
  return set_from(*this, [&](isl_set* set, isl_ctx* ctx) {
    return isl_set_fix_val(set, isl_dim_set, static_cast<unsigned>(index), detail::val_of(ctx, value));
  });
}

Truth Set::is_empty() const {
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return Truth::Unknown;
  return detail::answer(ask, isl_set_is_empty(Access::of(*this).get()));
}

Truth Set::is_subset_of(const Set& other) const { return compare_sets(*this, other, isl_set_is_subset); }
Truth Set::is_equal(const Set& other) const { return compare_sets(*this, other, isl_set_is_equal); }
Truth Set::is_disjoint_from(const Set& other) const { return compare_sets(*this, other, isl_set_is_disjoint); }

Truth Set::is_bounded() const {
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return Truth::Unknown;
  return detail::answer(ask, isl_set_is_bounded(Access::of(*this).get()));
}

Truth Set::contains(const Point& point) const {
  const Query one(space().context());
  return of_point(space(), point).is_subset_of(*this);
}

std::optional<std::int64_t> Set::minimum_of(const Function& f) const {
  const Query one(space().context());
  return extreme(*this, f, isl_pw_aff_min_val);
}

std::optional<std::int64_t> Set::maximum_of(const Function& f) const {
  const Query one(space().context());
  return extreme(*this, f, isl_pw_aff_max_val);
}

std::string Set::text() const {
  const Ask ask(Access::state(space()));
  return detail::text_of(ask.whole() && !lost() ? isl_set_to_str(Access::of(*this).get()) : nullptr);
}

Set less(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_lt_set); }
Set less_equal(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_le_set); }
Set greater(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_gt_set); }
Set greater_equal(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_ge_set); }
Set equal(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_eq_set); }
Set not_equal(const Function& a, const Function& b) { return set_from(a, b, isl_pw_aff_ne_set); }

}  // namespace tilewright::sets
