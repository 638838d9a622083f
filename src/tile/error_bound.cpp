#include "tile/error_bound.h"

#include <bit>

#include "tile/interpreter.h"

namespace tilewright::tile {

namespace {

bool any_exact_nan(Bounded a, Bounded b) { return a.exact_nan() || b.exact_nan(); }

double outward(double magnitude) { return magnitude * 0x1p-51; }

// Ends of the interval of executions, rounded outwards.
double low(Bounded a) { return a.exact() ? a.value : a.value - a.bound - outward(std::abs(a.value) + a.bound); }
double high(Bounded a) { return a.exact() ? a.value : a.value + a.bound + outward(std::abs(a.value) + a.bound); }

// Zero of a sign that is not known.
Bounded unsigned_zero(const FloatFormat& format) { return {0, format.unit * format.min_normal}; }

// True when a + b is exactly the FP64 number sum.
bool sum_is_exact(double a, double b, double sum) {
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return a - a_part == 0 && b - b_part == 0;
}

constexpr int kBitsDropped = 23 - kRelaxedMantissaBits;
constexpr std::uint32_t kBitsThatRelaxedDrops = (1U << kBitsDropped) - 1;
constexpr double kRelaxedUnit = 1.0 / (1 << kRelaxedMantissaBits);  ///< of rounding in any direction
constexpr double kLargestRelaxed = (2 - kRelaxedUnit) * 0x1p127;

bool is_exact_one(Bounded a) { return a.exact() && std::abs(a.value) == 1; }
bool is_exact_zero(Bounded a) { return a.exact() && a.value == 0; }

}  // namespace

namespace {

// Executions have a real number within `spread` of value before they round it.
Bounded round_within(double value, double spread, const FloatFormat& format, double ulps) {
  const double magnitude = std::abs(value);
  const double rounding = 2 * ulps * format.unit * std::max(magnitude + spread, format.min_normal);
  const double before_rounding = (ulps > 0.5 ? spread + rounding : spread) * kBoundSlack;
  if (magnitude - before_rounding >= format.overflow) return {std::copysign(kInfinity, value), 0};
  if (!(magnitude + before_rounding < format.overflow)) return unknown(value);
  return {value, (spread + rounding) * kBoundSlack};
}

}  // namespace

Bounded rounded(double value, double error, const FloatFormat& format, double ulps) {
  return round_within(value, error + std::abs(value) * kValueSlack, format, ulps);
}

Bounded rounded_number(double number, const FloatFormat& format) {
  return representable(number, format) ? Bounded{number, 0} : round_within(number, 0, format, 0.5);
}

Bounded relaxed_operand(Bounded a) {
  if (!a.known() || !std::isfinite(a.value)) return a;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(a.value));
  if (a.exact() && (bits & kBitsThatRelaxedDrops) == 0) return a;
  const double reach = std::abs(a.value) + a.bound * kBoundSlack;
  if (reach > kLargestRelaxed) return unknown(a.value);
  const double rounding = kRelaxedUnit * std::max(reach, kFormatF32.min_normal);
  return {a.value, (a.bound + rounding) * kBoundSlack};
}

Bounded add(Bounded a, Bounded b, const FloatFormat& format) {
  const double sum = a.value + b.value;
  if (a.exact() && b.exact()) {
    if (!std::isfinite(sum)) return {sum, 0};
    if (sum_is_exact(a.value, b.value, sum)) return rounded_number(sum, format);
    return rounded(sum, 0, format);
  }
  if (any_exact_nan(a, b)) return kExactNaN;
  if (!a.known() || !b.known()) return unknown(sum);
  if (!std::isfinite(sum)) return {sum, 0};
  if (is_exact_zero(a)) return b;
  if (is_exact_zero(b)) return a;
  return rounded(sum, a.bound + b.bound, format);
}

Bounded multiply(Bounded a, Bounded b, const FloatFormat& format) {
  const double product = a.value * b.value;
  if (a.exact() && b.exact()) {
    if (!std::isfinite(product)) return {product, 0};
    if (std::fma(a.value, b.value, -product) == 0) return rounded_number(product, format);
    return rounded(product, 0, format);
  }
  if (any_exact_nan(a, b)) return kExactNaN;
  if (!a.known() || !b.known()) return unknown(product);
  const bool sign_certain = a.sign_certain() && b.sign_certain();
  if (!std::isfinite(product)) return sign_certain ? Bounded{product, 0} : unknown(product);
  if (is_exact_zero(a) || is_exact_zero(b)) return sign_certain ? Bounded{product, 0} : unsigned_zero(format);
  if (is_exact_one(a)) return {product, b.bound};
  if (is_exact_one(b)) return {product, a.bound};
  const double error = std::abs(a.value) * b.bound + std::abs(b.value) * a.bound + a.bound * b.bound;
  return rounded(product, error, format);
}

Bounded divide(Bounded a, Bounded b, const FloatFormat& format) {
  const double quotient = a.value / b.value;
  if (a.exact() && b.exact()) {
    if (!std::isfinite(quotient) || std::isinf(b.value)) return {quotient, 0};
    if (std::fma(quotient, b.value, -a.value) == 0 && representable(quotient, format)) return {quotient, 0};
    return rounded(quotient, 0, format);
  }
  if (any_exact_nan(a, b)) return kExactNaN;
  if (!a.known() || !b.known() || !b.sign_certain()) return unknown(quotient);
  const bool special = std::isinf(a.value) || std::isinf(b.value) || b.value == 0;
  if (special || is_exact_zero(a)) {
    if (a.sign_certain()) return {quotient, 0};
    return std::isinf(b.value) ? unsigned_zero(format) : unknown(quotient);
  }
  const double nearest = std::abs(b.value) - b.bound - outward(std::abs(b.value));
  if (nearest <= 0) return unknown(quotient);
  return rounded(quotient, (a.bound + std::abs(quotient) * b.bound) / nearest, format);
}

Bounded remainder(Bounded a, Bounded b, const FloatFormat& format) {
  const double rest = std::fmod(a.value, b.value);
  if (a.exact() && b.exact()) return {rest, 0};
  if (any_exact_nan(a, b)) return kExactNaN;
  if (!a.known() || !b.known()) return unknown(rest);
  if (std::isinf(a.value) || is_exact_zero(b)) return kExactNaN;
  if (std::isinf(b.value)) return a;
  if (!b.sign_certain()) return unknown(rest);
  const double smallest = std::abs(b.value) - b.bound - outward(std::abs(b.value));
  if (smallest <= 0) return unknown(rest);
  const double ratio = std::abs(a.value) / std::abs(b.value);
  const double ratio_error = (a.bound + ratio * b.bound) / smallest + outward(ratio);
  const double multiple = std::trunc(ratio);
  const bool same_multiple = std::trunc(ratio + ratio_error) == multiple && ratio - ratio_error >= multiple;
  // The result is exact for its operands. It is smaller than the divisor and than the dividend in any case.
  const double error = same_multiple ? a.bound + multiple * b.bound : std::abs(rest) + std::abs(b.value) + b.bound;
  return {rest, std::max((error + outward(std::abs(rest))) * kBoundSlack, format.unit * format.min_normal)};
}

Bounded maximum(Bounded a, Bounded b) {
  if (any_exact_nan(a, b)) return kExactNaN;
  if (!a.known() || !b.known()) return unknown(std::max(a.value, b.value));
  if (low(a) > high(b)) return a;
  if (low(b) > high(a)) return b;
  if (a.value == b.value) return {std::signbit(a.value) ? b.value : a.value, std::max(a.bound, b.bound)};
  return {std::max(a.value, b.value), std::max(a.bound, b.bound)};
}

Bounded minimum(Bounded a, Bounded b) { return negate(maximum(negate(a), negate(b))); }

Bounded round_down(Bounded a) {
  const double floor = std::floor(a.value);
  if (a.exact() || !a.known()) return {floor, a.bound};
  const double lowest = std::floor(low(a));
  const double highest = std::floor(high(a));
  const double bound = std::max(highest - floor, floor - lowest);
  // An execution may have -0 where another has +0.
  if (bound == 0 && floor == 0) return {0, kFormatF32.unit * kFormatF32.min_normal};
  return {floor, bound};
}

Bounded square_root(Bounded a, const FloatFormat& format) {
  const double root = std::sqrt(a.value);
  if (!a.known()) return unknown(root);
  if (a.exact()) {
    if (!std::isfinite(root) || root == 0) return {root, 0};
    if (std::fma(root, root, -a.value) == 0 && representable(root, format)) return {root, 0};
    return rounded(root, 0, format);
  }
  if (high(a) < 0) return kExactNaN;
  if (low(a) < 0) return unknown(root);
  return rounded(root, a.bound / (root + std::sqrt(low(a))), format);
}

Bounded exponential(Bounded a, const FloatFormat& format) {
  const double value = std::exp(a.value);
  if (!a.known() || !std::isfinite(a.value)) return {value, a.bound};
  // Far beyond every type, where FP64 itself would overflow.
  if (low(a) > 700) return {kInfinity, 0};
  if (high(a) > 700) return unknown(value);
  return rounded(value, std::exp(high(a)) - value + outward(value), format, kFunctionUlps);
}

Bounded logarithm(Bounded a, const FloatFormat& format) {
  const double value = std::log(a.value);
  if (!a.known()) return unknown(value);
  if (a.exact() && !std::isfinite(value)) return {value, 0};
  if (high(a) < 0) return kExactNaN;
  if (low(a) <= 0) return unknown(value);
  return rounded(value, a.exact() ? 0 : -std::log1p(-std::min(a.bound / a.value * kBoundSlack, 1.0)), format,
                 kFunctionUlps);
}

Bounded hyperbolic_tangent(Bounded a, const FloatFormat& format) {
  const double value = std::tanh(a.value);
  if (!a.known()) return unknown(value);
  if (std::isnan(value)) return kExactNaN;
  // The slope is largest at the point of the interval that is nearest to zero.
  const double nearest = std::tanh(std::max(std::abs(a.value) - a.bound * kBoundSlack, 0.0));
  const double slope = std::isinf(a.value) ? 0 : std::min(1 - nearest * nearest + kValueSlack, 1.0);
  return rounded(value, std::min(a.bound * slope, 2.0), format, kFunctionUlps);
}

namespace {
Bounded wave(double value, Bounded a, const FloatFormat& format) {
  if (!a.known()) return unknown(value);
  if (std::isnan(value)) return kExactNaN;
  return rounded(value, std::min(a.bound, 2.0), format, kFunctionUlps);
}
}  // namespace

Bounded sine(Bounded a, const FloatFormat& format) { return wave(std::sin(a.value), a, format); }
Bounded cosine(Bounded a, const FloatFormat& format) { return wave(std::cos(a.value), a, format); }

Bounded narrow(Bounded a, const FloatFormat& from, const FloatFormat& to) {
  const bool widening = from.type == to.type || to.type == DataType::F32;
  if (widening || !a.known() || !std::isfinite(a.value)) return a;
  return a.exact() ? rounded_number(a.value, to) : rounded(a.value, a.bound, to);
}

Bounded from_whole(Whole a, const FloatFormat& to) {
  const double value = static_cast<double>(a.value);
  if (a.undecided) return unknown(value);
  const bool converts_exactly = std::abs(value) < 0x1p53;
  if (converts_exactly && representable(value, to)) return {value, 0};
  // A target may convert to f32 first.
  return rounded(value, to.type == DataType::F32 ? 0 : std::abs(value) * kFormatF32.unit, to);
}

Bounded from_bool(Whole a) { return {static_cast<double>(a.value), a.undecided ? 1.0 : 0.0}; }

namespace {
std::int64_t truncate(double value, std::int64_t lowest, std::int64_t highest) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(lowest)) return lowest;
  if (value >= static_cast<double>(highest)) return highest;
  return static_cast<std::int64_t>(value);
}
}  // namespace

Whole to_whole(Bounded a, std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = truncate(a.value, lowest, highest);
  if (a.exact()) return {value, false};
  const bool agreed =
      a.known() && truncate(low(a), lowest, highest) == value && truncate(high(a), lowest, highest) == value;
  return {value, !agreed};
}

Whole to_bool(Bounded a) { return {a.value != 0, !a.exact() && !(a.known() && a.sign_certain())}; }

Whole less(Bounded a, Bounded b) {
  if (any_exact_nan(a, b)) return {0, false};
  if (a.known() && b.known()) {
    if (high(a) < low(b)) return {1, false};
    if (low(a) >= high(b)) return {0, false};
  }
  return {a.value < b.value, true};
}

Whole less_or_equal(Bounded a, Bounded b) {
  if (any_exact_nan(a, b)) return {0, false};
  if (a.known() && b.known()) {
    if (high(a) <= low(b)) return {1, false};
    if (low(a) > high(b)) return {0, false};
  }
  return {a.value <= b.value, true};
}

Whole equal(Bounded a, Bounded b) {
  if (any_exact_nan(a, b)) return {0, false};
  if (a.exact() && b.exact()) return {a.value == b.value, false};
  if (a.known() && b.known() && (high(a) < low(b) || high(b) < low(a))) return {0, false};
  return {a.value == b.value, true};
}

Bounded either(Bounded chosen, Bounded other) {
  if (chosen.exact_nan() && other.exact_nan()) return chosen;
  if (!chosen.known() || !other.known()) return unknown(chosen.value);
  if (std::isfinite(chosen.value) && std::isfinite(other.value)) {
    const double apart = std::abs(chosen.value - other.value);
    const double bound = std::max(chosen.bound, apart + other.bound) * kBoundSlack;
    const bool signs_differ = std::signbit(chosen.value) != std::signbit(other.value);
    if (bound == 0 && signs_differ) return {chosen.value, kFormatF32.unit * kFormatF32.min_normal};
    return {chosen.value, bound};
  }
  return chosen.value == other.value ? chosen : unknown(chosen.value);
}

Whole either(Whole chosen, Whole other) {
  return {chosen.value, chosen.undecided || other.undecided || chosen.value != other.value};
}

double growth(double roundings, double unit) {
  const double relative = roundings * unit;
  return relative < 1 ? relative / (1 - relative) : kInfinity;
}

double sum_bound(double magnitude, double error, double roundings, double products) {
  const FloatFormat& format = kFormatF32;
  const double reach = magnitude + error;
  const double underflow = 2 * products * format.unit * format.min_normal;
  // FP64 makes the same sum with its own, much smaller errors.
  const double own = (roundings + 4) * kValueSlack * reach;
  return (error + growth(roundings, format.unit) * reach + own + underflow) * kBoundSlack;
}

Bounded settle_sum(double value, double magnitude, double error, double roundings, double products) {
  const double bound = sum_bound(magnitude, error, roundings, products);
  return magnitude + error + bound < kFormatF32.overflow ? Bounded{value, bound} : unknown(value);
}

AnyOrderSum::AnyOrderSum(Bounded first) {
  add(first);
  // 0 + -0 would lose the sign.
  if (first.known() && std::isfinite(first.value)) value_ = first.value;
}

void AnyOrderSum::add_special(double value) {
  if (std::isnan(value)) {
    nan_ = true;
  } else {
    (value > 0 ? plus_inf_ : minus_inf_) = true;
  }
}

void AnyOrderSum::add(Bounded leaf) {
  if (!leaf.known()) {
    unknown_ = true;
  } else if (!std::isfinite(leaf.value)) {
    add_special(leaf.value);
  } else {
    value_ += leaf.value;
    (leaf.value < 0 ? negative_ : positive_) += std::abs(leaf.value);
    error_ += leaf.bound;
    if (!is_exact_zero(leaf)) leaves_ += 1;
  }
}

void AnyOrderSum::add_product(Bounded a, Bounded b) {
  const double product = a.value * b.value;
  if (any_exact_nan(a, b)) {
    nan_ = true;
  } else if (!a.known() || !b.known()) {
    unknown_ = true;
  } else if (!std::isfinite(product)) {
    const bool certain = a.sign_certain() && b.sign_certain();
    if (certain) {
      add_special(product);
    } else {
      unknown_ = true;
    }
  } else {
    const double error = std::abs(a.value) * b.bound + std::abs(b.value) * a.bound + a.bound * b.bound;
    value_ += product;
    (product < 0 ? negative_ : positive_) += std::abs(product);
    error_ += error;
    const bool exact_zero = product == 0 && a.exact() && b.exact();
    if (!exact_zero) {
      leaves_ += 1;
      products_ += 1;
    }
  }
}

Bounded AnyOrderSum::finish_f32() const {
  if (nan_ || (plus_inf_ && minus_inf_)) return kExactNaN;
  if (unknown_) return unknown(value_);
  // One leaf among exact zeros is not rounded at all.
  if (leaves_ + products_ <= 1 && !plus_inf_ && !minus_inf_) return {value_, error_};
  const double roundings = std::max(leaves_ - 1, 0.0) + (products_ > 0 ? 1 : 0);
  const Bounded finite = settle_sum(value_, positive_ + negative_, error_, roundings, products_);
  const double infinity = plus_inf_ || (!minus_inf_ && value_ > 0) ? kInfinity : -kInfinity;
  const double bound = sum_bound(positive_ + negative_, error_, roundings, products_);
  if (!plus_inf_ && !minus_inf_) {
    if (finite.known()) return finite;
    // Some order may overflow. All do when the exact sum lies beyond the threshold: in each some sum becomes that Inf.
    if (!(std::abs(value_) - bound >= kFormatF32.overflow)) return unknown(value_);
  }
  // The Inf stays unless finite leaves can meet in the other one: those of the other sign, all of them together.
  const double opposite = infinity > 0 ? negative_ : positive_;
  const double reach = opposite + sum_bound(opposite, error_, roundings, products_);
  return reach < kFormatF32.overflow ? Bounded{infinity, 0} : unknown(infinity);
}

Bounded AnyOrderSum::finish(const FloatFormat& format) const { return narrow(finish_f32(), kFormatF32, format); }

Agreement agree(double found, double expected, double bound) {
  if (!(bound < kInfinity)) return Agreement::Within;
  if (std::isnan(expected)) return std::isnan(found) ? Agreement::Within : Agreement::WrongClass;
  if (std::isinf(expected)) {
    if (found == expected) return Agreement::Within;
    return std::isinf(found) ? Agreement::WrongSign : Agreement::WrongClass;
  }
  if (!std::isfinite(found)) return Agreement::WrongClass;
  if (bound == 0 && found == expected) {
    return std::signbit(found) == std::signbit(expected) ? Agreement::Within : Agreement::WrongSign;
  }
  return std::abs(found - expected) <= bound ? Agreement::Within : Agreement::TooFar;
}

}  // namespace tilewright::tile
