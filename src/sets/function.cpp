#include "sets/function.h"

#include <isl/ilp.h>
#include <isl/local_space.h>

#include "sets/access.h"
#include "sets/set.h"

namespace tilewright::sets {

using detail::Access;
using detail::Ask;
using detail::FunctionHandle;
using detail::ValHandle;

namespace {

Function variable(const Space& space, isl_dim_type type, std::size_t index) {
  const Ask ask(Access::state(space));
  isl_local_space* local = isl_local_space_from_space(Access::of(space).copy());
  return Access::make_function(ask, space, isl_pw_aff_var_on_domain(local, type, static_cast<unsigned>(index)));
}

/// One function from one.
template <class Operation>
Function function_from(const Function& f, Operation operation) {
  const Ask ask(Access::state(f.space()));
  if (f.lost() || !ask.whole()) return Access::lost_function(f.space());
  return Access::make_function(ask, f.space(), operation(Access::of(f).copy(), ask.ctx()));
}

/// One function from two.
template <class Operation>
Function function_from(const Function& a, const Function& b, Operation operation) {
  const Space space = detail::joined(a.space(), b.space());
  const Ask ask(Access::state(space));
  if (a.lost() || b.lost() || !ask.whole()) return Access::lost_function(space);
  return Access::make_function(ask, space, operation(detail::aligned(a, space), detail::aligned(b, space)));
}

isl_pw_aff* floor_of_quotient(isl_pw_aff* taken, isl_ctx* ctx, std::int64_t divisor) {
  return isl_pw_aff_floor(isl_pw_aff_scale_down_val(taken, detail::val_of(ctx, divisor)));
}

/// The number that f is wherever it is defined; null if there is none, or none was found before the quota ended.
ValHandle constant_of(const Function& f) {
  if (f.lost()) return ValHandle();
  ValHandle least(isl_pw_aff_min_val(Access::of(f).copy()));
  if (!least || isl_val_is_int(least.get()) != isl_bool_true) return ValHandle();
  const ValHandle greatest(isl_pw_aff_max_val(Access::of(f).copy()));
  if (!greatest || isl_val_eq(least.get(), greatest.get()) != isl_bool_true) return ValHandle();
  return least;
}

}  // namespace

Function Function::constant(const Space& space, std::int64_t value) {
  const Ask ask(Access::state(space));
  isl_set* everywhere = isl_set_universe(Access::of(space).copy());
  return Access::make_function(ask, space, isl_pw_aff_val_on_domain(everywhere, detail::val_of(ask.ctx(), value)));
}

Function Function::dimension(const Space& space, std::size_t index) {
  TW_CHECK(index < space.rank());
  return variable(space, isl_dim_set, index);
}

Function Function::parameter(const Space& space, std::string_view name) {
  const auto index = space.find_parameter(name);
  TW_CHECK(index.has_value());
  return variable(space, isl_dim_param, *index);
}

const Space& Function::space() const { return body_->space; }
bool Function::lost() const { return !body_->function; }

Function Function::operator-() const {
  return function_from(*this, [](isl_pw_aff* f, isl_ctx*) { return isl_pw_aff_neg(f); });
}

Function Function::floordiv(std::int64_t divisor) const {
  TW_CHECK(divisor > 0);
  return function_from(*this, [=](isl_pw_aff* f, isl_ctx* ctx) { return floor_of_quotient(f, ctx, divisor); });
}

Function Function::mod(std::int64_t divisor) const {
  TW_CHECK(divisor > 0);
  return function_from(
      *this, [=](isl_pw_aff* f, isl_ctx* ctx) { return isl_pw_aff_mod_val(f, detail::val_of(ctx, divisor)); });
}

Function Function::ceildiv(std::int64_t divisor) const {
  TW_CHECK(divisor > 0);
  return function_from(*this, [=](isl_pw_aff* f, isl_ctx* ctx) {
    return isl_pw_aff_neg(floor_of_quotient(isl_pw_aff_neg(f), ctx, divisor));
  });
}

Function Function::restrict_to(const Set& set) const {
  const Space space = detail::joined(this->space(), set.space());
  const Ask ask(Access::state(space));
  if (lost() || set.lost() || !ask.whole()) return Access::lost_function(space);
  return Access::make_function(ask, space,
                               isl_pw_aff_intersect_domain(detail::aligned(*this, space), detail::aligned(set, space)));
}

Set Function::domain() const {
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return Access::lost_set(space());
  return Access::make_set(ask, space(), isl_pw_aff_domain(Access::of(*this).copy()));
}

Function Function::after(const Space& from, std::span<const Function> inner) const {
  TW_CHECK(inner.size() == space().rank());
  Space source = from.with_parameters_of(space());
  for (const Function& f : inner) source = detail::joined(source, f.space());
  const Space target = source.with_dimensions(space().dimensions());

  const Ask ask(Access::state(source));
  bool all = !lost() && ask.whole();
  for (const Function& f : inner) all = all && !f.lost();
  if (!all) return Access::lost_function(source);
  isl_multi_pw_aff* tuple = detail::tuple_of(source, target, inner);
  return Access::make_function(ask, source, isl_pw_aff_pullback_multi_pw_aff(detail::aligned(*this, target), tuple));
}

std::optional<std::int64_t> Function::constant_value() const {
  const Ask ask(Access::state(space()));
  if (!ask.whole()) return std::nullopt;
  const ValHandle value = constant_of(*this);
  return ask.whole() ? detail::integer_of(value) : std::nullopt;
}

std::optional<std::int64_t> Function::value_at(const Point& point) const {
  const Ask ask(Access::state(space()));
  if (lost() || !ask.whole()) return std::nullopt;
  const ValHandle value(isl_pw_aff_eval(Access::of(*this).copy(), detail::isl_point_of(space(), point)));
  return ask.whole() ? detail::integer_of(value) : std::nullopt;
}

Truth Function::is_equal(const Function& other) const {
  const Query one(space().context());
  return both(domain().is_equal(other.domain()), not_equal(*this, other).is_empty());
}

std::string Function::text() const {
  const Ask ask(Access::state(space()));
  return detail::text_of(ask.whole() && !lost() ? isl_pw_aff_to_str(Access::of(*this).get()) : nullptr);
}

Function operator+(const Function& a, const Function& b) { return function_from(a, b, isl_pw_aff_add); }
Function operator-(const Function& a, const Function& b) { return function_from(a, b, isl_pw_aff_sub); }
Function minimum(const Function& a, const Function& b) { return function_from(a, b, isl_pw_aff_min); }
Function maximum(const Function& a, const Function& b) { return function_from(a, b, isl_pw_aff_max); }

Function operator*(std::int64_t factor, const Function& f) {
  return function_from(
      f, [=](isl_pw_aff* g, isl_ctx* ctx) { return isl_pw_aff_scale_val(g, detail::val_of(ctx, factor)); });
}

std::optional<Function> product(const Function& a, const Function& b) {
  const Space space = detail::joined(a.space(), b.space());
  const Ask ask(Access::state(space));
  if (a.lost() || b.lost()) return Access::lost_function(space);
  ValHandle factor = constant_of(a);
  const Function* constant = &a;
  const Function* other = &b;
  if (!factor) {
    factor = constant_of(b);
    std::swap(constant, other);
  }
  if (!ask.whole()) return Access::lost_function(space);
  if (!factor) return std::nullopt;
  isl_set* defined = isl_pw_aff_domain(detail::aligned(*constant, space));
  isl_pw_aff* scaled = isl_pw_aff_scale_val(detail::aligned(*other, space), factor.release());
  return Access::make_function(ask, space, isl_pw_aff_intersect_domain(scaled, defined));
}

Function choose(const Set& set, const Function& if_inside, const Function& if_outside) {
  const Query one(set.space().context());
  const Function inside = if_inside.restrict_to(set);
  const Function outside = if_outside.restrict_to(set.complement());
  return function_from(inside, outside, isl_pw_aff_union_add);
}

}  // namespace tilewright::sets
