// Typed arithmetic: every element in its declared type, in the reference order. f16 and bf16 elements are kept as the
// f32 numbers that they are; an operation on them is one operation in f32 and one rounding.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "support/half.h"
#include "tile/interpreter_integer.h"

namespace tilewright::tile {

struct Typed {
  using Real = float;
  using Stored = float;
  using WholeNumber = std::int64_t;
  static constexpr bool kBounded = false;

  /// An ascending sum in f32, rounded to the type at its end.
  class Sum {
   public:
    explicit Sum(float first) : value_(first) {}
    void add(float leaf) { value_ += leaf; }
    float value() const { return value_; }

   private:
    float value_;
  };
  static Real finish(const Sum& sum, DataType type) { return round_to(type, sum.value()); }

  static float round_to(DataType type, float value) {
    if (type == DataType::F16) return f16_to_f32(f32_to_f16(value));
    if (type == DataType::BF16) return bf16_to_f32(f32_to_bf16(value));
    return value;
  }

  static Real real(double element) { return static_cast<float>(element); }
  static WholeNumber whole(std::int64_t value) { return value; }
  static std::int64_t number(WholeNumber x) { return x; }
  static bool undecided(WholeNumber) { return false; }

  template <class F>
  static WholeNumber lift(F f, WholeNumber a) {
    return f(a);
  }
  template <class F>
  static WholeNumber lift(F f, WholeNumber a, WholeNumber b) {
    return f(a, b);
  }
  static WholeNumber both(WholeNumber a, WholeNumber b) { return a != 0 && b != 0; }
  static WholeNumber any(WholeNumber a, WholeNumber b) { return a != 0 || b != 0; }
  template <class T>
  static T select(WholeNumber condition, T if_true, T if_false) {
    return condition != 0 ? if_true : if_false;
  }

  static Real add(Real a, Real b, DataType type) { return round_to(type, a + b); }
  static Real subtract(Real a, Real b, DataType type) { return round_to(type, a - b); }
  static Real multiply(Real a, Real b, DataType type) { return round_to(type, a * b); }
  static Real divide(Real a, Real b, DataType type) { return round_to(type, a / b); }
  static Real remainder(Real a, Real b, DataType type) { return round_to(type, std::fmod(a, b)); }
  static Real maximum(Real a, Real b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  static Real minimum(Real a, Real b) { return -maximum(-a, -b); }
  static Real negate(Real a) { return -a; }
  static Real absolute(Real a) { return std::abs(a); }
  static Real round_down(Real a) { return std::floor(a); }
  static Real square_root(Real a, DataType type) { return round_to(type, std::sqrt(a)); }
  // Through FP64, whose library functions are surely within an f32 ulp.
  static Real function(double value, DataType type) { return round_to(type, static_cast<float>(value)); }
  static Real exponential(Real a, DataType type) { return function(std::exp(double{a}), type); }
  static Real logarithm(Real a, DataType type) { return function(std::log(double{a}), type); }
  static Real hyperbolic_tangent(Real a, DataType type) { return function(std::tanh(double{a}), type); }
  static Real sine(Real a, DataType type) { return function(std::sin(double{a}), type); }
  static Real cosine(Real a, DataType type) { return function(std::cos(double{a}), type); }

  static WholeNumber less(Real a, Real b) { return a < b; }
  static WholeNumber less_or_equal(Real a, Real b) { return a <= b; }
  static WholeNumber equal(Real a, Real b) { return a == b; }

  static Real convert(Real a, DataType, DataType to) { return round_to(to, a); }
  static Real from_whole(WholeNumber a, DataType to);
  static Real from_bool(WholeNumber a) { return a != 0 ? 1.0f : 0.0f; }
  static WholeNumber to_whole(Real a, DataType to);
  static WholeNumber to_bool(Real a) { return a != 0; }
};

inline Typed::Real Typed::from_whole(WholeNumber a, DataType to) {
  const std::uint64_t magnitude = a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
  const int dropped = static_cast<int>(std::bit_width(magnitude)) - 24;
  if (to == DataType::F32 || dropped <= 0) return round_to(to, static_cast<float>(a));
  // Cut to f32 with the last bit set when anything was cut: the rounding that follows then rounds the integer itself.
  const std::uint64_t rest = magnitude & ((std::uint64_t{1} << dropped) - 1);
  const float cut = std::ldexp(static_cast<float>((magnitude >> dropped) | (rest != 0)), dropped);
  return round_to(to, a < 0 ? -cut : cut);
}

inline Typed::WholeNumber Typed::to_whole(Real a, DataType to) {
  if (std::isnan(a)) return 0;
  if (double{a} <= static_cast<double>(lowest_whole(to))) return lowest_whole(to);
  if (double{a} >= static_cast<double>(highest_whole(to))) return highest_whole(to);
  return static_cast<std::int64_t>(a);
}

}  // namespace tilewright::tile
