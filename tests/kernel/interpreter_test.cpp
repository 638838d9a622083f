// What each operation does to its lanes.
#include "kernel/interpreter.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "kernel/verifier.h"
#include "support/half.h"
#include "test_memory.h"

namespace tilewright::kernel {
namespace {

template <class T>
constexpr ScalarType kScalarOf = ScalarType::F32;
template <>
constexpr ScalarType kScalarOf<std::int32_t> = ScalarType::I32;
template <>
constexpr ScalarType kScalarOf<std::int64_t> = ScalarType::I64;
template <>
constexpr ScalarType kScalarOf<std::uint8_t> = ScalarType::I1;

/// out[i] = make(builder, inputs[0][i], inputs[1][i], ...), `lanes` at a time.
template <class Out, class In, class Make>
std::vector<Out> mapped_in(ScalarType in, ScalarType out, std::uint16_t lanes,
                           const std::vector<std::vector<In>>& inputs, Make&& make) {
  const std::size_t count = inputs[0].size(), padded = (count + lanes - 1) / lanes * lanes;
  Builder b("map");
  std::vector<BufferId> sources;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    sources.push_back(b.argument("in" + std::to_string(i), in, Access::Read, static_cast<std::int64_t>(padded)));
  const BufferId target = b.argument("out", out, Access::Write, static_cast<std::int64_t>(padded));
  const ValueId task = b.begin_kernel("map", {static_cast<std::int64_t>(padded / lanes)})[0];
  const ValueId index = b.mul(task, lanes);
  std::vector<ValueId> loaded;
  for (BufferId source : sources) loaded.push_back(b.load(source, index, lanes));
  b.store(target, index, make(b, loaded));
  b.end_kernel();
  const Program program = b.finish();
  EXPECT_TRUE(verify(program));
  TestMemory memory(program);
  for (std::size_t i = 0; i < inputs.size(); ++i) memory.set(sources[i], inputs[i]);
  const auto counts = interpret(program, memory.bases());
  EXPECT_TRUE(counts) << render(counts.error());
  std::vector<Out> result = memory.get<Out>(target);
  result.resize(count);
  return result;
}

/// The results, which are the same for scalars and vectors.
template <class Out, class In, class Make>
std::vector<Out> mapped(ScalarType in, ScalarType out, const std::vector<std::vector<In>>& inputs, Make&& make) {
  const std::vector<Out> scalars = mapped_in<Out>(in, out, 1, inputs, make);
  const std::vector<Out> vectors = mapped_in<Out>(in, out, 7, inputs, make);
  EXPECT_EQ(std::memcmp(scalars.data(), vectors.data(), scalars.size() * sizeof(Out)), 0);
  return scalars;
}

/// All pairs of the values through one binary operation.
template <class T>
struct Pairs {
  std::vector<T> lhs, rhs, results;
};
template <class T>
Pairs<T> all_pairs(BinaryKind kind, const std::vector<T>& values, ScalarType scalar = kScalarOf<T>) {
  Pairs<T> pairs;
  for (T a : values)
    for (T b : values) pairs.lhs.push_back(a), pairs.rhs.push_back(b);
  pairs.results = mapped<T>(scalar, scalar, std::vector<std::vector<T>>{pairs.lhs, pairs.rhs},
                            [&](Builder& b, const std::vector<ValueId>& in) { return b.binary(kind, in[0], in[1]); });
  return pairs;
}
template <class T, class Expected>
void expect_pairs(BinaryKind kind, const std::vector<T>& values, Expected&& expected) {
  const Pairs<T> pairs = all_pairs(kind, values);
  for (std::size_t i = 0; i < pairs.results.size(); ++i)
    ASSERT_EQ(pairs.results[i], static_cast<T>(expected(pairs.lhs[i], pairs.rhs[i])))
        << "kind " << static_cast<int>(kind) << " of " << pairs.lhs[i] << " and " << pairs.rhs[i];
}

template <class Out, class In>
std::vector<Out> unary(UnaryKind kind, const std::vector<In>& values, ScalarType scalar = kScalarOf<In>) {
  return mapped<Out>(scalar, scalar, std::vector<std::vector<In>>{values},
                     [&](Builder& b, const std::vector<ValueId>& in) { return b.unary(kind, in[0]); });
}
template <class Out, class In>
std::vector<Out> cast(ScalarType from, ScalarType to, const std::vector<In>& values) {
  return mapped<Out>(from, to, std::vector<std::vector<In>>{values},
                     [&](Builder& b, const std::vector<ValueId>& in) { return b.cast(to, in[0]); });
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

/// Equal bits, any NaN equal to any other.
void expect_same(float found, float expected, float a, float b) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(found)) << a << ", " << b << " gave " << found;
  else
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected))
        << a << ", " << b << " gave " << found;
}

// ---- Integers ------------------------------------------------------------------------------------------------------

template <class T>
std::vector<T> integers() {
  std::vector<T> values;
  for (T i = -9; i <= 9; ++i) values.push_back(i);
  for (T i : {0, 1, 2}) {
    values.push_back(static_cast<T>(std::numeric_limits<T>::min() + i));
    values.push_back(static_cast<T>(std::numeric_limits<T>::max() - i));
  }
  return values;
}

__extension__ typedef __int128 Wide;
Wide floor_of(Wide a, Wide b) {
  Wide quotient = a / b;
  while (b > 0 ? quotient * b > a : quotient * b < a) --quotient;
  return quotient;
}

template <class T>
void check_integer_arithmetic() {
  const auto wrapped = [](auto f) { return [f](T a, T b) { return static_cast<T>(f(Wide{a}, Wide{b})); }; };
  expect_pairs<T>(BinaryKind::Add, integers<T>(), wrapped([](Wide a, Wide b) { return a + b; }));
  expect_pairs<T>(BinaryKind::Sub, integers<T>(), wrapped([](Wide a, Wide b) { return a - b; }));
  expect_pairs<T>(BinaryKind::Mul, integers<T>(), wrapped([](Wide a, Wide b) { return a * b; }));
  expect_pairs<T>(BinaryKind::Max, integers<T>(), wrapped([](Wide a, Wide b) { return a > b ? a : b; }));
  expect_pairs<T>(BinaryKind::Min, integers<T>(), wrapped([](Wide a, Wide b) { return a > b ? b : a; }));
  expect_pairs<T>(BinaryKind::And, integers<T>(), wrapped([](Wide a, Wide b) { return a & b; }));
  expect_pairs<T>(BinaryKind::Or, integers<T>(), wrapped([](Wide a, Wide b) { return a | b; }));
  expect_pairs<T>(BinaryKind::Xor, integers<T>(), wrapped([](Wide a, Wide b) { return a ^ b; }));
  expect_pairs<T>(BinaryKind::FloorDiv, integers<T>(),
                  wrapped([](Wide a, Wide b) { return b == 0 ? 0 : floor_of(a, b); }));
  expect_pairs<T>(BinaryKind::FloorMod, integers<T>(),
                  wrapped([](Wide a, Wide b) { return b == 0 ? 0 : a - b * floor_of(a, b); }));
}

TEST(KernelInterpreter, IntegerArithmeticWrapsAndDivisionFloors) {
  check_integer_arithmetic<std::int32_t>();
  check_integer_arithmetic<std::int64_t>();
}

TEST(KernelInterpreter, DivisionHasNoTraps) {
  const std::vector<std::int32_t> values = {INT32_MIN, -7, -1, 0, 2, 7};
  EXPECT_EQ(all_pairs(BinaryKind::FloorDiv, values).results,
            (std::vector<std::int32_t>{1,  306783378, INT32_MIN, 0, -1073741824, -306783379,  //
                                       0,  1,         7,         0, -4,          -1,          //
                                       0,  0,         1,         0, -1,          -1,          //
                                       0,  0,         0,         0, 0,           0,           //
                                       -1, -1,        -2,        0, 1,           0,           //
                                       -1, -1,        -7,        0, 3,           1}));
  EXPECT_EQ(all_pairs(BinaryKind::FloorMod, values).results, (std::vector<std::int32_t>{0,
                                                                                        -2,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        5,  //
                                                                                        -7,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        1,
                                                                                        0,  //
                                                                                        -1,
                                                                                        -1,
                                                                                        0,
                                                                                        0,
                                                                                        1,
                                                                                        6,  //
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        0,  //
                                                                                        INT32_MIN + 2,
                                                                                        -5,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        2,  //
                                                                                        INT32_MIN + 7,
                                                                                        0,
                                                                                        0,
                                                                                        0,
                                                                                        1,
                                                                                        0}));
}

TEST(KernelInterpreter, ShiftsTakeTheCountModuloTheWidth) {
  expect_pairs<std::int32_t>(BinaryKind::Shl, integers<std::int32_t>(), [](std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(a) << (((b % 32) + 32) % 32);
  });
  expect_pairs<std::int32_t>(BinaryKind::Shr, integers<std::int32_t>(), [](std::int32_t a, std::int32_t b) {
    return static_cast<std::uint32_t>(a) >> (((b % 32) + 32) % 32);
  });
  const std::vector<std::int64_t> values = {-1, 1, 63, 64, 65, -64};
  const Pairs<std::int64_t> left = all_pairs(BinaryKind::Shl, values), right = all_pairs(BinaryKind::Shr, values);
  EXPECT_EQ(left.results[1], -2);          // -1 << 1
  EXPECT_EQ(left.results[2], INT64_MIN);   // -1 << 63
  EXPECT_EQ(left.results[3], -1);          // -1 << 64
  EXPECT_EQ(right.results[0], 1);          // -1 >> 63
  EXPECT_EQ(right.results[1], INT64_MAX);  // -1 >> 1
  EXPECT_EQ(right.results[5], -1);         // -1 >> -64
}

TEST(KernelInterpreter, IntegerUnaries) {
  const std::vector<std::int32_t> values = {0, 5, -5, INT32_MIN, INT32_MAX};
  EXPECT_EQ((unary<std::int32_t>(UnaryKind::Neg, values)),
            (std::vector<std::int32_t>{0, -5, 5, INT32_MIN, -INT32_MAX}));
  EXPECT_EQ((unary<std::int32_t>(UnaryKind::Abs, values)), (std::vector<std::int32_t>{0, 5, 5, INT32_MIN, INT32_MAX}));
  const std::vector<std::int64_t> wide = {3, -3, INT64_MIN};
  EXPECT_EQ((unary<std::int64_t>(UnaryKind::Abs, wide)), (std::vector<std::int64_t>{3, 3, INT64_MIN}));
}

TEST(KernelInterpreter, TruthValues) {
  using Truths = std::vector<std::uint8_t>;
  const Truths values = {0, 1};
  EXPECT_EQ(all_pairs(BinaryKind::And, values).results, (Truths{0, 0, 0, 1}));
  EXPECT_EQ(all_pairs(BinaryKind::Or, values).results, (Truths{0, 1, 1, 1}));
  EXPECT_EQ(all_pairs(BinaryKind::Xor, values).results, (Truths{0, 1, 1, 0}));
  EXPECT_EQ(all_pairs(BinaryKind::Max, values).results, (Truths{0, 1, 1, 1}));
  EXPECT_EQ(all_pairs(BinaryKind::Min, values).results, (Truths{0, 0, 0, 1}));
  EXPECT_EQ((unary<std::uint8_t>(UnaryKind::Not, values)), (Truths{1, 0}));
  // Any byte but 0 reads as 1.
  EXPECT_EQ((unary<std::uint8_t>(UnaryKind::Not, Truths{2, 0, 255})), (Truths{0, 1, 0}));
}

// ---- Floats --------------------------------------------------------------------------------------------------------

const std::vector<float> kFloats = {
    0.0f,  -0.0f, 1.0f, -1.0f, 2.5f, -3.75f, kTiny, -kTiny, kInf, -kInf, kNan, -kNan, std::numeric_limits<float>::max(),
    1e-20f};

TEST(KernelInterpreter, FloatArithmetic) {
  const std::pair<BinaryKind, float (*)(float, float)> cases[] = {
      {BinaryKind::Add, [](float a, float b) { return a + b; }},
      {BinaryKind::Sub, [](float a, float b) { return a - b; }},
      {BinaryKind::Mul, [](float a, float b) { return a * b; }},
      {BinaryKind::Div, [](float a, float b) { return a / b; }},
      {BinaryKind::Fmod, [](float a, float b) { return std::fmod(a, b); }}};
  for (const auto& [kind, expected] : cases) {
    const Pairs<float> pairs = all_pairs(kind, kFloats);
    for (std::size_t i = 0; i < pairs.results.size(); ++i)
      expect_same(pairs.results[i], expected(pairs.lhs[i], pairs.rhs[i]), pairs.lhs[i], pairs.rhs[i]);
  }
}

TEST(KernelInterpreter, FmodHasTheSignOfTheDividend) {
  const Pairs<float> pairs = all_pairs(BinaryKind::Fmod, std::vector<float>{5.5f, -5.5f, 2.0f, -2.0f});
  EXPECT_EQ(pairs.results[2], 1.5f);
  EXPECT_EQ(pairs.results[3], 1.5f);
  EXPECT_EQ(pairs.results[6], -1.5f);
}

TEST(KernelInterpreter, MaximumAndMinimumFollowIeee754) {
  // Ordered from smallest to largest; a NaN wins on both sides.
  const std::vector<float> ordered = {-kInf, -1.0f, -kTiny, -0.0f, 0.0f, kTiny, 1.0f, kInf};
  const Pairs<float> most = all_pairs(BinaryKind::Max, ordered), least = all_pairs(BinaryKind::Min, ordered);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      expect_same(most.results[i * ordered.size() + j], ordered[std::max(i, j)], ordered[i], ordered[j]);
      expect_same(least.results[i * ordered.size() + j], ordered[std::min(i, j)], ordered[i], ordered[j]);
    }
  }
  for (BinaryKind kind : {BinaryKind::Max, BinaryKind::Min}) {
    const Pairs<float> pairs = all_pairs(kind, std::vector<float>{kNan, -kNan, 1.0f, kInf, -kInf, 0.0f});
    for (std::size_t i = 0; i < pairs.results.size(); ++i)
      EXPECT_EQ(std::isnan(pairs.results[i]), std::isnan(pairs.lhs[i]) || std::isnan(pairs.rhs[i]));
  }
}

TEST(KernelInterpreter, FloatUnaries) {
  const auto check = [](UnaryKind kind, float (*expected)(float)) {
    const std::vector<float> results = unary<float>(kind, kFloats);
    for (std::size_t i = 0; i < kFloats.size(); ++i) expect_same(results[i], expected(kFloats[i]), kFloats[i], 0);
  };
  check(UnaryKind::Sqrt, [](float a) { return std::sqrt(a); });
  check(UnaryKind::Floor, [](float a) { return std::floor(a); });
  for (auto [kind, sign] : {std::pair{UnaryKind::Neg, 0x80000000u}, std::pair{UnaryKind::Abs, 0u}}) {
    const std::vector<float> results = unary<float>(kind, kFloats);
    for (std::size_t i = 0; i < kFloats.size(); ++i) {
      const auto before = std::bit_cast<std::uint32_t>(kFloats[i]);
      const std::uint32_t expected = sign != 0 ? before ^ sign : before & 0x7fffffffu;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(results[i]), expected);
    }
  }
  // Last bits are the target's; the double result is nearer than that.
  const std::vector<float> inputs = {-2.0f, -0.5f, 0.0f, 0.3f, 1.0f, 3.0f};
  const std::pair<UnaryKind, double (*)(double)> cases[] = {{UnaryKind::Exp, [](double a) { return std::exp(a); }},
                                                            {UnaryKind::Log, [](double a) { return std::log(a); }},
                                                            {UnaryKind::Tanh, [](double a) { return std::tanh(a); }},
                                                            {UnaryKind::Sin, [](double a) { return std::sin(a); }},
                                                            {UnaryKind::Cos, [](double a) { return std::cos(a); }}};
  for (const auto& [kind, expected] : cases) {
    const std::vector<float> results = unary<float>(kind, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      expect_same(results[i], static_cast<float>(expected(inputs[i])), inputs[i], 0);
  }
}

TEST(KernelInterpreter, FmaRoundsOnce) {
  const float a = 1.0f + 0x1p-12f;
  const std::vector<std::vector<float>> inputs = {{a, kInf, kTiny}, {a, 0.0f, 0.5f}, {-1.0f, 1.0f, kTiny}};
  const std::vector<float> results =
      mapped<float>(ScalarType::F32, ScalarType::F32, inputs,
                    [](Builder& b, const std::vector<ValueId>& in) { return b.fma(in[0], in[1], in[2]); });
  EXPECT_EQ(results[0], 0x1p-11f + 0x1p-24f);
  EXPECT_NE(results[0], a * a - 1.0f);
  EXPECT_TRUE(std::isnan(results[1]));
  EXPECT_EQ(results[2], 2 * kTiny);
  const std::vector<std::int32_t> integers = mapped<std::int32_t>(
      ScalarType::I32, ScalarType::I32, std::vector<std::vector<std::int32_t>>{{INT32_MAX, 3}, {2, 4}, {1, 5}},
      [](Builder& b, const std::vector<ValueId>& in) { return b.fma(in[0], in[1], in[2]); });
  EXPECT_EQ(integers, (std::vector<std::int32_t>{-1, 17}));
}

TEST(KernelInterpreter, HalfArithmeticIsFloatArithmeticRounded) {
  std::vector<std::uint16_t> values;
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 1499) values.push_back(static_cast<std::uint16_t>(bits));
  for (ScalarType scalar : {ScalarType::F16, ScalarType::BF16}) {
    const auto wide = [&](std::uint16_t x) { return scalar == ScalarType::F16 ? f16_to_f32(x) : bf16_to_f32(x); };
    const auto narrow = [&](float x) { return scalar == ScalarType::F16 ? f32_to_f16(x) : f32_to_bf16(x); };
    for (BinaryKind kind : {BinaryKind::Add, BinaryKind::Mul, BinaryKind::Div}) {
      const Pairs<std::uint16_t> pairs = all_pairs(kind, values, scalar);
      for (std::size_t i = 0; i < pairs.results.size(); ++i) {
        const float a = wide(pairs.lhs[i]), b = wide(pairs.rhs[i]);
        const float exact = kind == BinaryKind::Add ? a + b : kind == BinaryKind::Mul ? a * b : a / b;
        expect_same(wide(pairs.results[i]), wide(narrow(exact)), a, b);
      }
    }
    const std::vector<std::uint16_t> negated = unary<std::uint16_t>(UnaryKind::Neg, values, scalar);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(negated[i], values[i] ^ 0x8000);
  }
}

TEST(KernelInterpreter, MovesKeepTheBitsOfANan) {
  const std::vector<std::uint16_t> signalling = {0x7c01, 0xfe12, 0x7d55};
  const std::vector<std::uint16_t> moved = mapped<std::uint16_t>(
      ScalarType::F16, ScalarType::F16, std::vector<std::vector<std::uint16_t>>{signalling},
      [](Builder& b, const std::vector<ValueId>& in) { return b.select(b.const_bool(true), in[0], in[0]); });
  EXPECT_EQ(moved, signalling);
}

// ---- Comparisons, select -------------------------------------------------------------------------------------------

template <class T>
std::vector<std::vector<int>> comparisons(const std::vector<T>& lhs, const std::vector<T>& rhs) {
  std::vector<std::vector<int>> all;
  for (int kind = 0; kind < 6; ++kind) {
    const std::vector<std::uint8_t> found =
        mapped<std::uint8_t>(kScalarOf<T>, ScalarType::I1, std::vector<std::vector<T>>{lhs, rhs},
                             [&](Builder& b, const std::vector<ValueId>& in) {
                               return b.compare(static_cast<CompareKind>(kind), in[0], in[1]);
                             });
    all.emplace_back(found.begin(), found.end());
  }
  return all;
}

TEST(KernelInterpreter, Comparisons) {
  using Table = std::vector<std::vector<int>>;  // Lt, Le, Gt, Ge, Eq, Ne
  EXPECT_EQ((comparisons<float>({1, 2, 1, kNan, 1, kNan, 0.0f}, {2, 1, 1, 1, kNan, kNan, -0.0f})),
            (Table{{1, 0, 0, 0, 0, 0, 0},
                   {1, 0, 1, 0, 0, 0, 1},
                   {0, 1, 0, 0, 0, 0, 0},
                   {0, 1, 1, 0, 0, 0, 1},
                   {0, 0, 1, 0, 0, 0, 1},
                   {1, 1, 0, 1, 1, 1, 0}}));
  const Table integers = {{1, 0, 0}, {1, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 0}};
  EXPECT_EQ((comparisons<std::int32_t>({-1, 1, 5}, {1, INT32_MIN, 5})), integers);
  EXPECT_EQ((comparisons<std::int64_t>({INT64_MIN, 1, 5}, {1, -1, 5})), integers);
  EXPECT_EQ((comparisons<std::uint8_t>({0, 1, 1}, {1, 0, 1})), integers);
}

TEST(KernelInterpreter, SelectPicksByLaneOrAsAWhole) {
  const std::vector<std::vector<std::int32_t>> inputs = {{1, -2, 3, -4, 5}, {10, 20, 30, 40, 50}};
  const std::vector<std::int32_t> by_lane =
      mapped<std::int32_t>(ScalarType::I32, ScalarType::I32, inputs, [](Builder& b, const std::vector<ValueId>& in) {
        const ValueId zero = b.const_i32(0, b.type(in[0]).lanes);
        return b.select(b.compare(CompareKind::Lt, in[0], zero), in[0], in[1]);
      });
  EXPECT_EQ(by_lane, (std::vector<std::int32_t>{10, -2, 30, -4, 50}));
  for (bool condition : {false, true}) {
    const std::vector<std::int32_t> whole = mapped<std::int32_t>(
        ScalarType::I32, ScalarType::I32, inputs,
        [&](Builder& b, const std::vector<ValueId>& in) { return b.select(b.const_bool(condition), in[0], in[1]); });
    EXPECT_EQ(whole, inputs[condition ? 0 : 1]);
  }
}

// ---- Casts ---------------------------------------------------------------------------------------------------------

TEST(KernelInterpreter, CastsFromFloatTruncateAndSaturate) {
  const std::vector<float> values = {0.0f,          -0.0f,   1.9f,          -1.9f,          kNan,
                                     kInf,          -kInf,   2147483648.0f, -2147483648.0f, -2147483904.0f,
                                     2147483520.0f, 9.3e18f, -9.3e18f,      kTiny};
  EXPECT_EQ((cast<std::int32_t>(ScalarType::F32, ScalarType::I32, values)),
            (std::vector<std::int32_t>{0, 0, 1, -1, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MIN,
                                       2147483520, INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ((cast<std::int64_t>(ScalarType::F32, ScalarType::I64, values)),
            (std::vector<std::int64_t>{0, 0, 1, -1, 0, INT64_MAX, INT64_MIN, 2147483648, -2147483648, -2147483904,
                                       2147483520, INT64_MAX, INT64_MIN, 0}));
  EXPECT_EQ((cast<std::uint8_t>(ScalarType::F32, ScalarType::I1, values)),
            (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(KernelInterpreter, CastsBetweenFloatsRoundToNearestEven) {
  const std::vector<float> values = {1.0f,     1 + 0x1p-11f, 1 + 3 * 0x1p-11f, 65519.0f, 65520.0f, -1e30f,
                                     0x1p-24f, 0x1p-25f,     0x1.8p-25f,       -0.0f,    kInf};
  EXPECT_EQ((cast<std::uint16_t>(ScalarType::F32, ScalarType::F16, values)),
            (std::vector<std::uint16_t>{0x3c00, 0x3c00, 0x3c02, 0x7bff, 0x7c00, 0xfc00, 0x0001, 0x0000, 0x0001, 0x8000,
                                        0x7c00}));
  const std::vector<float> more = {1 + 0x1p-8f, 1 + 3 * 0x1p-8f, std::numeric_limits<float>::max(), kTiny};
  EXPECT_EQ((cast<std::uint16_t>(ScalarType::F32, ScalarType::BF16, more)),
            (std::vector<std::uint16_t>{0x3f80, 0x3f82, 0x7f80, 0}));
  EXPECT_EQ((cast<float>(ScalarType::F16, ScalarType::F32, std::vector<std::uint16_t>{0x0001, 0x7bff, 0xfc00})),
            (std::vector<float>{0x1p-24f, 65504.0f, -kInf}));
  EXPECT_EQ((cast<std::uint16_t>(ScalarType::BF16, ScalarType::F16, std::vector<std::uint16_t>{0x3f80, 0x7f00})),
            (std::vector<std::uint16_t>{0x3c00, 0x7c00}));
}

TEST(KernelInterpreter, CastsFromIntegersRoundOnce) {
  const std::vector<std::int64_t> values = {0, -1, 16777217, 16777219, INT64_MAX, INT64_MIN, 65519, 65520};
  EXPECT_EQ((cast<float>(ScalarType::I64, ScalarType::F32, values)),
            (std::vector<float>{0, -1, 16777216, 16777220, 0x1p63f, -0x1p63f, 65519, 65520}));
  const std::vector<std::uint16_t> halves = cast<std::uint16_t>(ScalarType::I64, ScalarType::F16, values);
  EXPECT_EQ(halves, (std::vector<std::uint16_t>{0, 0xbc00, 0x7c00, 0x7c00, 0x7c00, 0xfc00, 0x7bff, 0x7c00}));
  // Just above the middle of two bf16 values; f32 would round it to the middle first.
  const std::int64_t middle = (std::int64_t{1} << 40) + (std::int64_t{1} << 32);
  const std::vector<std::int64_t> near = {middle, middle + 1, middle - 1, -middle - 1, INT64_MAX, INT64_MIN};
  EXPECT_EQ((cast<std::uint16_t>(ScalarType::I64, ScalarType::BF16, near)),
            (std::vector<std::uint16_t>{0x5380, 0x5381, 0x5380, 0xd381, 0x5f00, 0xdf00}));
  EXPECT_EQ((cast<float>(ScalarType::I1, ScalarType::F32, std::vector<std::uint8_t>{0, 1})),
            (std::vector<float>{0, 1}));
}

TEST(KernelInterpreter, CastsBetweenIntegersWrap) {
  const std::vector<std::int64_t> values = {0, -1, 2147483648, -2147483649, 4294967296 + 5, 256};
  EXPECT_EQ((cast<std::int32_t>(ScalarType::I64, ScalarType::I32, values)),
            (std::vector<std::int32_t>{0, -1, INT32_MIN, INT32_MAX, 5, 256}));
  EXPECT_EQ((cast<std::int64_t>(ScalarType::I32, ScalarType::I64, std::vector<std::int32_t>{-7, INT32_MIN})),
            (std::vector<std::int64_t>{-7, INT32_MIN}));
  EXPECT_EQ((cast<std::uint8_t>(ScalarType::I64, ScalarType::I1, values)),
            (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ((cast<std::int32_t>(ScalarType::I1, ScalarType::I32, std::vector<std::uint8_t>{0, 1})),
            (std::vector<std::int32_t>{0, 1}));
}

// ---- Vectors -------------------------------------------------------------------------------------------------------

/// Runs one task that stores the scalars that `make` returns.
template <class T, class Make>
std::vector<T> values_of(Make&& make) {
  Builder b("p");
  const BufferId out = b.argument("out", kScalarOf<T>, Access::Write, 64);
  b.begin_kernel("k", {});
  const std::vector<ValueId> values = make(b);
  for (std::size_t i = 0; i < values.size(); ++i) b.store(out, b.const_i64(static_cast<std::int64_t>(i)), values[i]);
  b.end_kernel();
  const Program program = b.finish();
  TestMemory memory(program);
  EXPECT_TRUE(verify(program));
  EXPECT_TRUE(interpret(program, memory.bases()));
  std::vector<T> all = memory.get<T>(out);
  all.resize(values.size());
  return all;
}

TEST(KernelInterpreter, IotaSplatExtract) {
  const std::vector<std::int64_t> found = values_of<std::int64_t>([](Builder& b) {
    const ValueId iota = b.iota(ScalarType::I64, 5);
    const ValueId three = b.splat(b.fold_lanes(LaneFold::Max, b.iota(ScalarType::I64, 4)), 5);
    const ValueId product = b.mul(iota, three);
    std::vector<ValueId> lanes;
    for (std::uint16_t i = 0; i < 5; ++i) lanes.push_back(b.extract(product, i));
    return lanes;
  });
  EXPECT_EQ(found, (std::vector<std::int64_t>{0, 3, 6, 9, 12}));
}

TEST(KernelInterpreter, ZipTakesLanesInTurn) {
  const auto zipped = [](bool high) {
    return values_of<std::int64_t>([&](Builder& b) {
      const ValueId iota = b.iota(ScalarType::I64, 6);
      const ValueId tens = b.mul(iota, b.const_i64(10, 6));
      const ValueId made = b.zip(iota, tens, high);
      std::vector<ValueId> lanes;
      for (std::uint16_t i = 0; i < 6; ++i) lanes.push_back(b.extract(made, i));
      return lanes;
    });
  };
  EXPECT_EQ(zipped(false), (std::vector<std::int64_t>{0, 0, 1, 10, 2, 20}));
  EXPECT_EQ(zipped(true), (std::vector<std::int64_t>{3, 30, 4, 40, 5, 50}));
}

/// Four floats, loaded as one vector and folded.
float folded(LaneFold kind, const std::vector<float>& lanes) {
  Builder b("p");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, 4);
  const BufferId out = b.argument("out", ScalarType::F32, Access::Write, 1);
  b.begin_kernel("k", {});
  const ValueId zero = b.const_i64(0);
  b.store(out, zero, b.fold_lanes(kind, b.load(in, zero, 4)));
  b.end_kernel();
  const Program program = b.finish();
  TestMemory memory(program);
  memory.set(in, lanes);
  EXPECT_TRUE(interpret(program, memory.bases()));
  return memory.get<float>(out)[0];
}

TEST(KernelInterpreter, FoldsAscend) {
  EXPECT_EQ(folded(LaneFold::Add, {1e8f, 1.0f, -1e8f, 1.0f}), 1.0f);
  EXPECT_EQ(folded(LaneFold::Add, {1.0f, 1e8f, 1.0f, -1e8f}), 0.0f);
  EXPECT_TRUE(std::signbit(folded(LaneFold::Add, {-0.0f, -0.0f, -0.0f, -0.0f})));
  EXPECT_EQ(folded(LaneFold::Max, {1.0f, 4.0f, -9.0f, 3.0f}), 4.0f);
  EXPECT_EQ(folded(LaneFold::Min, {1.0f, 4.0f, -9.0f, 3.0f}), -9.0f);
  EXPECT_TRUE(std::isnan(folded(LaneFold::Max, {1.0f, kNan, 2.0f, 3.0f})));
  EXPECT_TRUE(std::signbit(folded(LaneFold::Min, {0.0f, -0.0f, 0.0f, 0.0f})));
}

TEST(KernelInterpreter, ConstantsOfEveryType) {
  EXPECT_EQ(values_of<std::int32_t>(
                [](Builder& b) { return std::vector{b.const_i32(INT32_MIN), b.extract(b.const_i32(-5, 3), 2)}; }),
            (std::vector<std::int32_t>{INT32_MIN, -5}));
  EXPECT_EQ(values_of<std::uint8_t>([](Builder& b) { return std::vector{b.const_bool(true), b.const_bool(false)}; }),
            (std::vector<std::uint8_t>{1, 0}));
  const std::vector<float> floats = values_of<float>([](Builder& b) {
    return std::vector{b.const_float(ScalarType::F32, -0.0), b.const_float(ScalarType::F32, NAN),
                       b.cast(ScalarType::F32, b.const_float(ScalarType::F16, 1e6)),
                       b.cast(ScalarType::F32, b.const_float(ScalarType::BF16, 0.1))};
  });
  EXPECT_TRUE(std::signbit(floats[0]) && floats[0] == 0);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[1]), 0x7fc00000u);
  EXPECT_EQ(floats[2], kInf);
  EXPECT_EQ(floats[3], 0.10009765625f);
}

}  // namespace
}  // namespace tilewright::kernel
