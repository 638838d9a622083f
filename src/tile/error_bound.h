// Error bounds: arithmetic on values that are known up to a bound, the exact half of the tile interpreter.
//
// A Bounded is the FP64 value of one float element together with a bound on how far any permitted execution in the
// declared type may be from it. docs/error-bounds.md derives every formula used here.
//
// Invariant of a Bounded: its bound is never NaN, and a value that is NaN or Inf has the bound 0 (every execution gives
// that class) or Inf (nothing is known). A finite value with a finite bound is a finite number in every execution. A
// value with the bound 0 is an element of its type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tilewright/types.h>

#include "support/check.h"
#include "support/half.h"

namespace tilewright::tile {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// FP64's own errors: of one evaluation of a value, relative to it, and of the evaluation of a bound, as a factor.
inline constexpr double kValueSlack = 0x1p-51;
inline constexpr double kBoundSlack = 1 + 0x1p-45;

/// What the bounds need to know of a float type.
struct FloatFormat {
  DataType type = DataType::F32;
  double unit = 0;        ///< largest relative error of rounding a normal number: 2^-24, 2^-11, 2^-8
  double min_normal = 0;  ///< unit * min_normal is half of the smallest subnormal
  double overflow = 0;    ///< magnitudes from here on round to Inf
};
inline constexpr FloatFormat kFormatF32{DataType::F32, 0x1p-24, 0x1p-126, 0x1.ffffffp127};
inline constexpr FloatFormat kFormatF16{DataType::F16, 0x1p-11, 0x1p-14, 65520.0};
inline constexpr FloatFormat kFormatBf16{DataType::BF16, 0x1p-8, 0x1p-126, 0x1.ffp127};

/// Premise: is_float(type).
inline const FloatFormat& float_format(DataType type) {
  TW_CHECK(is_float(type));
  if (type == DataType::F32) return kFormatF32;
  return type == DataType::F16 ? kFormatF16 : kFormatBf16;
}

struct Bounded {
  double value = 0;
  double bound = 0;

  bool exact() const { return bound == 0; }
  bool known() const { return bound < kInfinity; }
  bool exact_nan() const { return bound == 0 && std::isnan(value); }
  /// Every execution has the sign of value (a zero with a bound has none).
  bool sign_certain() const { return exact() || std::abs(value) > bound * kBoundSlack; }
};

/// An integer, index or boolean element: exact, or different in different executions.
struct Whole {
  std::int64_t value = 0;
  bool undecided = false;
};

inline Bounded unknown(double value) { return {value, kInfinity}; }
inline constexpr Bounded kExactNaN{kNaN, 0};

/// The rounding step of every operation: executions have some real number within `error` of value before they round it
/// (`ulps` = 0.5: once to nearest; else with that error in units of the last place).
Bounded rounded(double value, double error, const FloatFormat& format, double ulps = 0.5);

/// The same where executions round exactly this number.
Bounded rounded_number(double number, const FloatFormat& format);

/// An f32 operand as a relaxed mma may use it: rounded, in any direction, to kRelaxedMantissaBits explicit bits or
/// more. Numbers that have no further bits, NaN and Inf stay; nothing is known of those that may round to Inf.
Bounded relaxed_operand(Bounded a);

/// True when the type holds exactly this number (or NaN or Inf).
inline bool representable(double value, const FloatFormat& format) {
  const float single = static_cast<float>(value);
  if (static_cast<double>(single) != value) return std::isnan(value);
  switch (format.type) {
    case DataType::F16:
      return f16_to_f32(f32_to_f16(single)) == single;
    case DataType::BF16:
      return bf16_to_f32(f32_to_bf16(single)) == single;
    default:
      return true;
  }
}

// ---- Elementwise operations: each is one operation of the type `format`, correctly rounded unless said otherwise.
// ------

Bounded add(Bounded a, Bounded b, const FloatFormat& format);
Bounded multiply(Bounded a, Bounded b, const FloatFormat& format);
Bounded divide(Bounded a, Bounded b, const FloatFormat& format);
Bounded remainder(Bounded a, Bounded b, const FloatFormat& format);  ///< fmod
inline Bounded negate(Bounded a) { return {-a.value, a.bound}; }
inline Bounded subtract(Bounded a, Bounded b, const FloatFormat& format) { return add(a, negate(b), format); }
inline Bounded absolute(Bounded a) { return {std::abs(a.value), a.bound}; }
Bounded maximum(Bounded a, Bounded b);
Bounded minimum(Bounded a, Bounded b);
Bounded round_down(Bounded a);
Bounded square_root(Bounded a, const FloatFormat& format);
/// Within kFunctionUlps.
Bounded exponential(Bounded a, const FloatFormat& format);
Bounded logarithm(Bounded a, const FloatFormat& format);
Bounded hyperbolic_tangent(Bounded a, const FloatFormat& format);
Bounded sine(Bounded a, const FloatFormat& format);
Bounded cosine(Bounded a, const FloatFormat& format);

/// Casts between float types, and to and from whole numbers (to: the range that saturates; i32 or index).
Bounded narrow(Bounded a, const FloatFormat& from, const FloatFormat& to);
Bounded from_whole(Whole a, const FloatFormat& to);
Bounded from_bool(Whole a);
Whole to_whole(Bounded a, std::int64_t lowest, std::int64_t highest);
Whole to_bool(Bounded a);

Whole less(Bounded a, Bounded b);
Whole less_or_equal(Bounded a, Bounded b);
Whole equal(Bounded a, Bounded b);

/// What is known when executions may have either: the value is `chosen`'s.
Bounded either(Bounded chosen, Bounded other);
Whole either(Whole chosen, Whole other);
inline Bounded anything(Bounded x) { return unknown(x.value); }
inline Whole anything(Whole x) { return {x.value, true}; }

/// Factor of the sum of magnitudes that bounds `roundings` relative errors of `unit`: n u / (1 - n u), Inf from 1 / u
/// on.
double growth(double roundings, double unit);

/// A sum in f32 whose leaves may be added in any order and tree, products fused or not.
class AnyOrderSum {
 public:
  explicit AnyOrderSum(Bounded first);
  void add(Bounded leaf);
  void add_product(Bounded a, Bounded b);
  /// The sum, rounded once more when the type is narrower than f32.
  Bounded finish(const FloatFormat& format) const;

 private:
  void add_special(double value);
  Bounded finish_f32() const;

  double value_ = 0;
  double positive_ = 0;  ///< magnitudes of the leaves of each sign, without their bounds
  double negative_ = 0;
  double error_ = 0;   ///< of the leaves
  double leaves_ = 0;  ///< that are not exact zeros, which add without rounding
  double products_ = 0;
  bool nan_ = false, unknown_ = false, plus_inf_ = false, minus_inf_ = false;
};

/// Bound of a sum of finite leaves: `magnitude` is the sum of their magnitudes, `error` of their bounds; each passes at
/// most `roundings` roundings; `products` of them are products.
double sum_bound(double magnitude, double error, double roundings, double products);
/// The sum itself: unknown when some order may overflow.
Bounded settle_sum(double value, double magnitude, double error, double roundings, double products);

}  // namespace tilewright::tile
