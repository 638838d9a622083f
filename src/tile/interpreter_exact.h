// Exact arithmetic: FP64 values with bounds (tile/error_bound.h), whole numbers that may be undecided.
#pragma once

#include "tile/error_bound.h"
#include "tile/interpreter_integer.h"

namespace tilewright::tile {

struct Exact {
  using Real = Bounded;
  using Stored = double;  ///< how a tile keeps the value of a Real; bounds are kept apart
  using WholeNumber = Whole;
  using Sum = AnyOrderSum;
  static constexpr bool kBounded = true;

  static Real real(double element) { return {element, 0}; }
  static WholeNumber whole(std::int64_t value) { return {value, false}; }
  static std::int64_t number(WholeNumber x) { return x.value; }
  static bool undecided(WholeNumber x) { return x.undecided; }

  template <class F>
  static WholeNumber lift(F f, WholeNumber a) {
    return {f(a.value), a.undecided};
  }
  template <class F>
  static WholeNumber lift(F f, WholeNumber a, WholeNumber b) {
    return {f(a.value, b.value), a.undecided || b.undecided};
  }
  static WholeNumber both(WholeNumber a, WholeNumber b) {
    if ((!a.undecided && a.value == 0) || (!b.undecided && b.value == 0)) return {0, false};
    return {a.value != 0 && b.value != 0, a.undecided || b.undecided};
  }
  static WholeNumber any(WholeNumber a, WholeNumber b) {
    if ((!a.undecided && a.value != 0) || (!b.undecided && b.value != 0)) return {1, false};
    return {a.value != 0 || b.value != 0, a.undecided || b.undecided};
  }
  template <class T>
  static T select(WholeNumber condition, T if_true, T if_false) {
    const T chosen = condition.value != 0 ? if_true : if_false;
    if (!condition.undecided) return chosen;
    return either(chosen, condition.value != 0 ? if_false : if_true);
  }

  static Real add(Real a, Real b, DataType type) { return tile::add(a, b, float_format(type)); }
  static Real subtract(Real a, Real b, DataType type) { return tile::subtract(a, b, float_format(type)); }
  static Real multiply(Real a, Real b, DataType type) { return tile::multiply(a, b, float_format(type)); }
  static Real divide(Real a, Real b, DataType type) { return tile::divide(a, b, float_format(type)); }
  static Real remainder(Real a, Real b, DataType type) { return tile::remainder(a, b, float_format(type)); }
  static Real maximum(Real a, Real b) { return tile::maximum(a, b); }
  static Real minimum(Real a, Real b) { return tile::minimum(a, b); }
  static Real negate(Real a) { return tile::negate(a); }
  static Real absolute(Real a) { return tile::absolute(a); }
  static Real round_down(Real a) { return tile::round_down(a); }
  static Real square_root(Real a, DataType type) { return tile::square_root(a, float_format(type)); }
  static Real exponential(Real a, DataType type) { return tile::exponential(a, float_format(type)); }
  static Real logarithm(Real a, DataType type) { return tile::logarithm(a, float_format(type)); }
  static Real hyperbolic_tangent(Real a, DataType type) { return tile::hyperbolic_tangent(a, float_format(type)); }
  static Real sine(Real a, DataType type) { return tile::sine(a, float_format(type)); }
  static Real cosine(Real a, DataType type) { return tile::cosine(a, float_format(type)); }

  static WholeNumber less(Real a, Real b) { return tile::less(a, b); }
  static WholeNumber less_or_equal(Real a, Real b) { return tile::less_or_equal(a, b); }
  static WholeNumber equal(Real a, Real b) { return tile::equal(a, b); }

  static Real convert(Real a, DataType from, DataType to) { return narrow(a, float_format(from), float_format(to)); }
  static Real from_whole(WholeNumber a, DataType to) { return tile::from_whole(a, float_format(to)); }
  static Real from_bool(WholeNumber a) { return tile::from_bool(a); }
  static WholeNumber to_whole(Real a, DataType to) { return tile::to_whole(a, lowest_whole(to), highest_whole(to)); }
  static WholeNumber to_bool(Real a) { return tile::to_bool(a); }

  static Real finish(const Sum& sum, DataType type) { return sum.finish(float_format(type)); }
};

}  // namespace tilewright::tile
