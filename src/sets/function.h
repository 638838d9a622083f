// Functions: piecewise quasi-affine integer functions on a space.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sets/space.h"

namespace tilewright::sets {

namespace detail {
struct FunctionBody;
}
class Set;

/// A function from the points of a space to Z, made of constants, parameters, dimensions, sums, multiples by constants,
/// division by positive constants and choice. It is defined everywhere unless restrict_to() was applied; where an
/// operand is undefined, the result is. Arithmetic is that of Z: nothing wraps.
class Function {
 public:
  static Function constant(const Space& space, std::int64_t value);
  /// Premise: index < space.rank().
  static Function dimension(const Space& space, std::size_t index);
  /// Premise: the space has the parameter.
  static Function parameter(const Space& space, std::string_view name);

  const Space& space() const;
  bool lost() const;

  Function operator-() const;
  /// floor(f / divisor), f - divisor * floor(f / divisor) (in [0, divisor)), ceil(f / divisor). Premise: divisor > 0.
  Function floordiv(std::int64_t divisor) const;
  Function mod(std::int64_t divisor) const;
  Function ceildiv(std::int64_t divisor) const;

  /// The same function, undefined outside the set.
  Function restrict_to(const Set& set) const;
  /// Where it is defined.
  Set domain() const;
  /// p -> this(inner[0](p), inner[1](p), ..). Premises: one inner function for each dimension of this space, all over
  /// the space `from` up to parameters.
  Function after(const Space& from, std::span<const Function> inner) const;

  /// The value, if this is provably one number at all points and parameter values. Nothing: not constant, no point,
  /// lost, or beyond int64.
  std::optional<std::int64_t> constant_value() const;
  /// Premise: the point has the lengths of space(). Nothing: undefined there, lost, or beyond int64.
  std::optional<std::int64_t> value_at(const Point& point) const;
  /// Defined at the same points, with the same values, for all parameters.
  Truth is_equal(const Function& other) const;

  /// In isl's notation; "(lost)".
  std::string text() const;

 private:
  friend class detail::Access;
  Function() = default;
  std::shared_ptr<const detail::FunctionBody> body_;
};

Function operator+(const Function& a, const Function& b);
Function operator-(const Function& a, const Function& b);
Function operator*(std::int64_t factor, const Function& f);
Function minimum(const Function& a, const Function& b);
Function maximum(const Function& a, const Function& b);
/// Nothing where neither is provably constant (constant_value(), of any size): the product is not affine. With a lost
/// operand, or on an overrun, it is a lost function instead.
std::optional<Function> product(const Function& a, const Function& b);
/// if_inside on the set, if_outside elsewhere.
Function choose(const Set& set, const Function& if_inside, const Function& if_outside);

}  // namespace tilewright::sets
