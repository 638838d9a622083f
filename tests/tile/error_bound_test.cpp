// The arithmetic of bounds: rules for special values, and soundness on random operands of every type.
#include "tile/error_bound.h"

#include <bit>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "tile/interpreter.h"
#include "tile/interpreter_typed.h"

namespace tilewright::tile {
namespace {

using Random = std::mt19937_64;

constexpr DataType kFloats[] = {DataType::F32, DataType::F16, DataType::BF16};

bool is(Bounded x, double value, double bound) {
  const bool same =
      std::isnan(value) ? std::isnan(x.value) : x.value == value && std::signbit(x.value) == std::signbit(value);
  return same && x.bound == bound;
}
bool is_unknown(Bounded x) { return !x.known(); }

float random_number(Random& random, DataType type) {
  const int kind = std::uniform_int_distribution<int>(0, 19)(random);
  const double sign = random() % 2 == 0 ? 1 : -1;
  double magnitude = std::uniform_real_distribution<double>(0.5, 4)(random);
  if (kind == 0) magnitude = 0;
  if (kind == 1) magnitude = kInfinity;
  if (kind == 2) magnitude = kNaN;
  if (kind == 3) magnitude = float_format(type).overflow / 2 * magnitude;
  if (kind == 4) magnitude = float_format(type).min_normal * magnitude / 4;
  if (kind == 5) magnitude = std::floor(magnitude);
  if (kind >= 6 && kind < 12) magnitude = std::exp2(std::uniform_real_distribution<double>(-12, 12)(random));
  return Typed::round_to(type, static_cast<float>(sign * magnitude));
}

/// An execution's number, and what is known of it.
struct Case {
  float actual;
  Bounded known;
};

Case random_case(Random& random, DataType type) {
  const float actual = random_number(random, type);
  if (!std::isfinite(actual) || random() % 3 == 0) return {actual, {actual, 0}};
  if (random() % 50 == 0) return {actual, unknown(random_number(random, DataType::F32))};
  const double size = std::exp2(std::uniform_real_distribution<double>(-30, 2)(random)) *
                      std::max(std::abs(double{actual}), double{float_format(type).min_normal});
  const double shift = std::uniform_real_distribution<double>(-1, 1)(random) * size;
  const double value = actual + shift;
  return {actual, {value, std::abs(value - actual) * (1 + 0x1p-40) + size / 64}};
}

std::string text(Bounded x) { return std::to_string(x.value) + " +- " + std::to_string(x.bound); }

void expect_sound(const char* name, DataType type, float actual, Bounded known, Case a, Case b) {
  EXPECT_EQ(agree(actual, known.value, known.bound), Agreement::Within)
      << name << " of " << data_type_name(type) << ": " << actual << " against " << text(known) << " for " << a.actual
      << " in " << text(a.known) << " and " << b.actual << " in " << text(b.known);
  EXPECT_FALSE(std::isnan(known.bound)) << name;
  if (!std::isfinite(known.value)) {
    EXPECT_TRUE(known.exact() || !known.known()) << name << text(known);
  }
}

TEST(ErrorBound, BinaryOperationsAreSound) {
  using Known = Bounded (*)(Bounded, Bounded, const FloatFormat&);
  using Actual = float (*)(float, float, DataType);
  struct Operation {
    const char* name;
    Known known;
    Actual actual;
  };
  const Operation operations[] = {
      {"add", add, Typed::add},
      {"subtract", subtract, Typed::subtract},
      {"multiply", multiply, Typed::multiply},
      {"divide", divide, Typed::divide},
      {"remainder", remainder, Typed::remainder},
      {"maximum", [](Bounded a, Bounded b, const FloatFormat&) { return maximum(a, b); },
       [](float a, float b, DataType) { return Typed::maximum(a, b); }},
      {"minimum", [](Bounded a, Bounded b, const FloatFormat&) { return minimum(a, b); },
       [](float a, float b, DataType) { return Typed::minimum(a, b); }},
  };
  Random random(1);
  for (int trial = 0; trial < 60000; ++trial) {
    const DataType type = kFloats[trial % 3];
    const Case a = random_case(random, type);
    const Case b = random() % 16 == 0 ? a : random_case(random, type);
    for (const Operation& op : operations)
      expect_sound(op.name, type, op.actual(a.actual, b.actual, type), op.known(a.known, b.known, float_format(type)),
                   a, b);
  }
}

/// The number with no more than `kept` explicit bits of mantissa next to x: 0 towards zero, 1 away from it, 2 nearest.
float with_bits(float x, int kept, int direction) {
  if (!std::isfinite(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t step = 1U << (23 - kept), below = bits & ~(step - 1);
  const bool up = bits != below && (direction == 1 || (direction == 2 && bits - below >= step / 2));
  return std::bit_cast<float>(up ? below + step : below);
}

TEST(ErrorBound, RelaxedOperandsAreSound) {
  Random random(8);
  int rounded_ones = 0;
  for (int trial = 0; trial < 60000; ++trial) {
    const Case a = random_case(random, DataType::F32);
    const Bounded known = relaxed_operand(a.known);
    for (int kept : {kRelaxedMantissaBits, kRelaxedMantissaBits + 1, 23})
      for (int direction : {0, 1, 2}) {
        const float actual = with_bits(a.actual, kept, direction);
        EXPECT_EQ(agree(actual, known.value, known.bound), Agreement::Within)
            << actual << " of " << a.actual << " against " << text(known) << " from " << text(a.known);
        rounded_ones += actual != a.actual ? 1 : 0;
      }
    EXPECT_FALSE(std::isnan(known.bound));
    EXPECT_TRUE(is(known, a.known.value, known.bound));
    EXPECT_GE(known.bound, a.known.bound);
  }
  EXPECT_GT(rounded_ones, 60000);
}

TEST(ErrorBound, RelaxedOperandsAtTheEdges) {
  const double unit = 0x1p-10;
  for (double x : {0.0, -0.0, 1.0, -1.5, 1 + unit, 0x1.ffcp127, -0x1p-136, 0x1p-126, kInfinity, -kInfinity, kNaN})
    EXPECT_TRUE(is(relaxed_operand({x, 0}), x, 0)) << x;
  EXPECT_TRUE(is_unknown(relaxed_operand(unknown(1))));
  // Beyond the largest number of 10 bits, rounding may reach Inf.
  EXPECT_TRUE(is_unknown(relaxed_operand({0x1.ffc002p127, 0})));
  EXPECT_TRUE(is_unknown(relaxed_operand({-0x1.fffffep127, 0})));
  EXPECT_TRUE(relaxed_operand({0x1.ffbffep127, 0}).known());
  // As wide as a number just below the next one needs it, and one bit fewer does not fit.
  for (double scale : {1.0, 0x1p-125, -0x1p100}) {
    const auto x = static_cast<float>(scale * (1 + unit - 0x1p-23));
    const Bounded known = relaxed_operand({x, 0});
    EXPECT_LT(known.bound, 1.002 * std::abs(double{x} - double{with_bits(x, 10, 0)})) << scale;
    const auto y = static_cast<float>(scale * (1 + 2 * unit - 0x1p-23));
    EXPECT_EQ(agree(with_bits(y, 9, 0), y, relaxed_operand({y, 0}).bound), Agreement::TooFar) << scale;
  }
  // Of a subnormal everything may go: its sign is certain no more.
  const Bounded tiny = relaxed_operand({0x1p-140, 0});
  EXPECT_EQ(agree(0, tiny.value, tiny.bound), Agreement::Within);
  EXPECT_LT(tiny.bound, 0x1.001p-136);
  EXPECT_FALSE(tiny.sign_certain());
}

TEST(ErrorBound, UnaryOperationsAreSound) {
  using Known = std::function<Bounded(Bounded, const FloatFormat&)>;
  using Actual = float (*)(float, DataType);
  struct Operation {
    const char* name;
    Known known;
    Actual actual;
  };
  const Operation operations[] = {
      {"sqrt", square_root, Typed::square_root},
      {"exp", exponential, Typed::exponential},
      {"log", logarithm, Typed::logarithm},
      {"tanh", hyperbolic_tangent, Typed::hyperbolic_tangent},
      {"sin", sine, Typed::sine},
      {"cos", cosine, Typed::cosine},
      {"floor", [](Bounded a, const FloatFormat&) { return round_down(a); },
       [](float a, DataType) { return Typed::round_down(a); }},
      {"abs", [](Bounded a, const FloatFormat&) { return absolute(a); },
       [](float a, DataType) { return Typed::absolute(a); }},
      {"to f16", [](Bounded a, const FloatFormat& f) { return narrow(a, f, kFormatF16); },
       [](float a, DataType from) { return Typed::convert(a, from, DataType::F16); }},
      {"to bf16", [](Bounded a, const FloatFormat& f) { return narrow(a, f, kFormatBf16); },
       [](float a, DataType from) { return Typed::convert(a, from, DataType::BF16); }},
  };
  Random random(2);
  for (int trial = 0; trial < 60000; ++trial) {
    const DataType type = kFloats[trial % 3];
    const Case a = random_case(random, type);
    for (const Operation& op : operations)
      expect_sound(op.name, type, op.actual(a.actual, type), op.known(a.known, float_format(type)), a, a);
  }
}

TEST(ErrorBound, DecisionsAreSound) {
  Random random(3);
  int decided = 0;
  for (int trial = 0; trial < 60000; ++trial) {
    const DataType type = kFloats[trial % 3];
    const Case a = random_case(random, type);
    const Case b = random() % 4 == 0 ? a : random_case(random, type);
    auto check = [&](Whole known, std::int64_t actual) {
      decided += known.undecided ? 0 : 1;
      EXPECT_TRUE(known.undecided || known.value == actual) << text(a.known) << ", " << text(b.known);
    };
    check(less(a.known, b.known), a.actual < b.actual);
    check(less_or_equal(a.known, b.known), a.actual <= b.actual);
    check(equal(a.known, b.known), a.actual == b.actual);
    check(to_bool(a.known), a.actual != 0);
    check(to_whole(a.known, INT32_MIN, INT32_MAX), Typed::to_whole(a.actual, DataType::I32));
    const Bounded covered = random() % 2 == 0 ? either(a.known, b.known) : either(b.known, a.known);
    expect_sound("either", type, a.actual, covered, a, b);
    expect_sound("either", type, b.actual, covered, a, b);
  }
  EXPECT_GT(decided, 200000);
}

TEST(ErrorBound, WholeNumbersConvertWithinTheirBounds) {
  Random random(4);
  for (int trial = 0; trial < 30000; ++trial) {
    const auto number = static_cast<std::int64_t>(random()) >> (random() % 64);
    for (DataType type : kFloats) {
      const Bounded known = from_whole({number, false}, float_format(type));
      EXPECT_EQ(agree(Typed::from_whole(number, type), known.value, known.bound), Agreement::Within) << number;
      // A target that converts to f32 first.
      const float twice = Typed::round_to(type, static_cast<float>(number));
      EXPECT_EQ(agree(twice, known.value, known.bound), Agreement::Within) << number;
    }
  }
  EXPECT_TRUE(is(from_whole({5, false}, kFormatBf16), 5, 0));
  EXPECT_TRUE(is_unknown(from_whole({5, true}, kFormatF32)));
  EXPECT_TRUE(is(from_bool({1, true}), 1, 1));
}

// ---- Sums
// ------------------------------------------------------------------------------------------------------------

struct Term {
  float a, b;  // actual operands; b unused by plain leaves
  Bounded known_a, known_b;
  bool product;
};

/// Adds the terms in a random tree, products fused into some sums and rounded in others.
float random_tree(Random& random, std::vector<Term> terms) {
  struct Node {
    float value;
    float a, b;
    bool product;
  };
  std::vector<Node> nodes;
  for (const Term& t : terms) nodes.push_back({t.a, t.a, t.b, t.product});
  auto value = [](const Node& n) { return n.product ? n.a * n.b : n.value; };
  while (nodes.size() > 1) {
    const std::size_t i = random() % nodes.size();
    std::swap(nodes[i], nodes.back());
    const Node first = nodes.back();
    nodes.pop_back();
    // Chains and bushes both occur.
    const std::size_t j = random() % 2 == 0 ? nodes.size() - 1 : random() % nodes.size();
    const Node second = nodes[j];
    float sum = value(first) + value(second);
    if (first.product && random() % 2 == 0) sum = std::fma(first.a, first.b, value(second));
    nodes[j] = {sum, 0, 0, false};
    if (random() % 2 == 0) std::swap(nodes[j], nodes.back());
  }
  return value(nodes.front());
}

TEST(ErrorBound, SumsAreSoundInEveryOrder) {
  Random random(5);
  int finite = 0;
  for (int trial = 0; trial < 8000; ++trial) {
    const std::size_t count = 1 + random() % 12;
    const bool special = random() % 3 == 0;
    std::vector<Term> terms;
    auto operand = [&] {
      Case c = random_case(random, DataType::F32);
      while (!special && !std::isfinite(c.actual)) c = random_case(random, DataType::F32);
      return c;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Case a = operand(), b = operand();
      terms.push_back({a.actual, b.actual, a.known, b.known, i > 0 && random() % 2 == 0});
    }
    AnyOrderSum sum(terms.front().known_a);
    for (std::size_t i = 1; i < count; ++i) {
      if (terms[i].product)
        sum.add_product(terms[i].known_a, terms[i].known_b);
      else
        sum.add(terms[i].known_a);
    }
    for (DataType type : kFloats) {
      const Bounded known = sum.finish(float_format(type));
      finite += known.known() && std::isfinite(known.value) ? 1 : 0;
      for (int order = 0; order < 6; ++order) {
        const float actual = Typed::round_to(type, random_tree(random, terms));
        EXPECT_EQ(agree(actual, known.value, known.bound), Agreement::Within)
            << actual << " against " << text(known) << ", " << count << " terms, trial " << trial;
      }
    }
  }
  EXPECT_GT(finite, 10000);
}

TEST(ErrorBound, ClassesOfSums) {
  auto sum_of = [](std::vector<double> leaves) {
    AnyOrderSum sum({leaves.front(), 0});
    for (std::size_t i = 1; i < leaves.size(); ++i) sum.add({leaves[i], 0});
    return sum.finish(kFormatF32);
  };
  EXPECT_TRUE(is(sum_of({-0.0, -0.0}), -0.0, 0));
  EXPECT_TRUE(is(sum_of({0.0, -0.0}), 0.0, 0));
  EXPECT_TRUE(is(sum_of({0.0, 3.5, 0.0}), 3.5, 0));
  EXPECT_TRUE(is(sum_of({kInfinity, 1, -kInfinity}), kNaN, 0));
  EXPECT_TRUE(is(sum_of({kInfinity, 1, kNaN}), kNaN, 0));
  EXPECT_TRUE(is(sum_of({1e30, -kInfinity}), -kInfinity, 0));
  const double large = 3e38;
  EXPECT_TRUE(is(sum_of({large, large}), kInfinity, 0));
  EXPECT_TRUE(is(sum_of({large, large, -1e30}), kInfinity, 0));
  EXPECT_TRUE(is(sum_of({-1e60, -1e30, 1}), -kInfinity, 0));
  // large - large + large: an Inf in one order, a finite number in another.
  EXPECT_TRUE(is_unknown(sum_of({large, large, -large})));
  // Finite leaves that may meet in the other Inf.
  EXPECT_TRUE(is_unknown(sum_of({kInfinity, -large, -large})));
}

// ---- Rules for special values
// ----------------------------------------------------------------------------------------

TEST(ErrorBound, ExactResultsHaveNoBound) {
  const FloatFormat& f = kFormatF32;
  EXPECT_TRUE(is(add({1, 0}, {2, 0}, f), 3, 0));
  EXPECT_TRUE(is(add({-0.0, 0}, {-0.0, 0}, f), -0.0, 0));
  EXPECT_TRUE(is(add({1, 0}, {-1, 0}, f), 0.0, 0));
  EXPECT_TRUE(is(add({kInfinity, 0}, {-kInfinity, 0}, f), kNaN, 0));
  EXPECT_TRUE(is(add({kInfinity, 0}, {1, 0.5}, f), kInfinity, 0));
  EXPECT_TRUE(is(add({1.5, 0.25}, {0, 0}, f), 1.5, 0.25));
  EXPECT_TRUE(is(multiply({0, 0}, {-3, 0.5}, f), -0.0, 0));
  EXPECT_TRUE(is(multiply({0, 0}, {kInfinity, 0}, f), kNaN, 0));
  EXPECT_TRUE(is(multiply({-1, 0}, {3, 0.5}, f), -3, 0.5));
  EXPECT_TRUE(is(divide({1, 0}, {0, 0}, f), kInfinity, 0));
  EXPECT_TRUE(is(divide({1, 0.5}, {-0.0, 0}, f), -kInfinity, 0));
  EXPECT_TRUE(is(divide({0, 0}, {0, 0}, f), kNaN, 0));
  EXPECT_TRUE(is(square_root({-0.0, 0}, f), -0.0, 0));
  EXPECT_TRUE(is(square_root({-1, 0.5}, f), kNaN, 0));
  EXPECT_TRUE(is(logarithm({0, 0}, f), -kInfinity, 0));
  EXPECT_TRUE(is(exponential({-kInfinity, 0}, f), 0, 0));
  EXPECT_TRUE(is(exponential({1000, 1}, f), kInfinity, 0));
  EXPECT_TRUE(is(maximum({-0.0, 0}, {0.0, 0}), 0.0, 0));
  EXPECT_TRUE(is(minimum({0.0, 0}, {-0.0, 0}), -0.0, 0));
  EXPECT_TRUE(is(maximum({kNaN, 0}, unknown(1)), kNaN, 0));
  EXPECT_TRUE(is(maximum({1, 0.25}, {2, 0.25}), 2, 0.25));
  EXPECT_TRUE(is(round_down({2.5, 0.25}), 2, 0));
}

TEST(ErrorBound, NothingIsKnownWhereExecutionsPart) {
  const FloatFormat& f = kFormatF32;
  EXPECT_TRUE(is_unknown(divide({1, 0}, {0.5, 0.5}, f)));
  EXPECT_TRUE(is_unknown(divide({0, 0.5}, {0, 0}, f)));
  EXPECT_TRUE(is_unknown(multiply({kInfinity, 0}, {0.5, 0.5}, f)));
  EXPECT_TRUE(is_unknown(square_root({0.1, 0.2}, f)));
  EXPECT_TRUE(is_unknown(logarithm({0.1, 0.2}, f)));
  EXPECT_TRUE(is_unknown(exponential({88.7, 1}, f)));
  EXPECT_TRUE(is_unknown(narrow({65519, 3}, kFormatF32, kFormatF16)));
  EXPECT_TRUE(is_unknown(either(Bounded{kNaN, 0}, Bounded{1, 0})));
  EXPECT_TRUE(to_whole({0.9, 0.2}, INT32_MIN, INT32_MAX).undecided);
  EXPECT_TRUE(less({1, 0.5}, {1.25, 0}).undecided);
}

TEST(ErrorBound, OverflowAtTheThresholdOfEachType) {
  EXPECT_TRUE(is(narrow({65520, 0}, kFormatF32, kFormatF16), kInfinity, 0));
  EXPECT_EQ(narrow({65519, 0}, kFormatF32, kFormatF16).value, 65519);
  EXPECT_TRUE(narrow({65519, 0}, kFormatF32, kFormatF16).known());
  for (DataType type : kFloats) {
    const FloatFormat& f = float_format(type);
    const double largest = f.overflow - std::exp2(std::ilogb(f.overflow)) * f.unit;
    EXPECT_TRUE(representable(largest, f)) << data_type_name(type);
    EXPECT_TRUE(is(add({largest, 0}, {largest, 0}, f), kInfinity, 0)) << data_type_name(type);
    EXPECT_TRUE(representable(f.min_normal * f.unit * 2, f)) << data_type_name(type);
    EXPECT_FALSE(representable(f.min_normal * f.unit, f)) << data_type_name(type);
  }
}

TEST(ErrorBound, BoundsStayNearTheUnitRoundoff) {
  for (DataType type : kFloats) {
    const FloatFormat& f = float_format(type);
    const Bounded third = divide({1, 0}, {3, 0}, f);
    EXPECT_GT(third.bound, 0);
    EXPECT_LE(third.bound, f.unit / 3 * 1.0001);
    EXPECT_LE(exponential({1, 0}, f).bound, 8.01 * f.unit * std::exp(1.0));
    EXPECT_LE(multiply(third, third, f).bound, 3.05 * f.unit / 9);
  }
  EXPECT_NEAR(growth(1024, kFormatF32.unit), 0x1p-14, 1e-8);
  EXPECT_EQ(growth(0x1p24, kFormatF32.unit), kInfinity);
}

TEST(Agree, VerdictOfEachKind) {
  EXPECT_EQ(agree(1.25, 1, 0.25), Agreement::Within);
  EXPECT_EQ(agree(1.25, 1, 0.125), Agreement::TooFar);
  EXPECT_EQ(agree(0.0, -0.0, 0), Agreement::WrongSign);
  EXPECT_EQ(agree(0.0, -0.0, 1e-30), Agreement::Within);
  EXPECT_EQ(agree(-0.0, -0.0, 0), Agreement::Within);
  EXPECT_EQ(agree(kNaN, kNaN, 0), Agreement::Within);
  EXPECT_EQ(agree(1, kNaN, 0), Agreement::WrongClass);
  EXPECT_EQ(agree(kNaN, 1, 5), Agreement::WrongClass);
  EXPECT_EQ(agree(kInfinity, 1, 5), Agreement::WrongClass);
  EXPECT_EQ(agree(kInfinity, kInfinity, 0), Agreement::Within);
  EXPECT_EQ(agree(-kInfinity, kInfinity, 0), Agreement::WrongSign);
  EXPECT_EQ(agree(3e38, kInfinity, 0), Agreement::WrongClass);
  EXPECT_EQ(agree(kNaN, 1, kInfinity), Agreement::Within);
  EXPECT_EQ(agree(-5, kNaN, kInfinity), Agreement::Within);
}

}  // namespace
}  // namespace tilewright::tile
