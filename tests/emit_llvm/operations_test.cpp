// Every element-wise operation, on scalars and vectors, on every processor variant, against the interpreter.
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/builder.h"
#include "kernel/names.h"
#include "support/half.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

constexpr std::array<std::uint16_t, 3> kLanes = {1, 3, 16};

const std::vector<float>& special_floats() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> kAll{
      0.0f,      -0.0f,      1.0f,        -1.0f,        1.5f,
      -2.5f,     0.1f,       -0.3f,       3.0f,         7.0f,
      65504.0f,  65519.996f, 65520.0f,    -65536.0f,    1e30f,
      -3e38f,    FLT_MAX,    FLT_MIN,     1e-40f,       -1e-45f,
      0x1p-24f,  0x1p-25f,   0x1.8p-25f,  0x1p-14f,     0x1.ffcp-15f,
      2047.5f,   2049.0f,    2051.0f,     257.0f,       259.0f,
      0x1.01p0f, 0x1.03p0f,  kInfinity,   -kInfinity,   0x1p31f,
      -0x1p31f,  0x1p63f,    -0x1p63f,    2147483520.f, 16777217.0f,
      0.5f,      -0.5f,      0.99999994f, 0x1.00002p0f, std::numeric_limits<float>::quiet_NaN()};
  return kAll;
}

/// Values of a type at which something special happens.
std::vector<std::uint64_t> special_values(ScalarType scalar) {
  std::vector<std::uint64_t> bits;
  switch (scalar) {
    case ScalarType::I1:
      return {0, 1};
    case ScalarType::I32:
      for (std::int64_t v : {0,
                             1,
                             -1,
                             2,
                             -2,
                             3,
                             -3,
                             7,
                             -7,
                             31,
                             32,
                             33,
                             63,
                             64,
                             -32,
                             255,
                             16777217,
                             -33554433,
                             1 << 30,
                             INT32_MAX,
                             INT32_MAX - 64,
                             INT32_MIN,
                             INT32_MIN + 1})
        bits.push_back(static_cast<std::uint32_t>(v));
      return bits;
    case ScalarType::I64:
      for (std::int64_t v : {std::int64_t{0},
                             std::int64_t{1},
                             std::int64_t{-1},
                             std::int64_t{2},
                             std::int64_t{-3},
                             std::int64_t{10},
                             std::int64_t{63},
                             std::int64_t{64},
                             std::int64_t{65},
                             std::int64_t{-64},
                             std::int64_t{65519},
                             std::int64_t{65520},
                             std::int64_t{1} << 24,
                             (std::int64_t{1} << 24) + 1,
                             (std::int64_t{1} << 31) + (1 << 23),
                             (std::int64_t{1} << 31) + (1 << 23) + 1,
                             (std::int64_t{1} << 38) + (std::int64_t{1} << 30) + 1,
                             -(std::int64_t{1} << 52) - (std::int64_t{1} << 44) - 1,
                             (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1,
                             INT64_MAX,
                             INT64_MIN,
                             INT64_MIN + 1})
        bits.push_back(static_cast<std::uint64_t>(v));
      return bits;
    case ScalarType::F16:
      for (float v : special_floats()) bits.push_back(f32_to_f16(v));
      for (std::uint64_t v : {0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff}) bits.push_back(v);
      return bits;
    case ScalarType::BF16:
      for (float v : special_floats()) bits.push_back(f32_to_bf16(v));
      for (std::uint64_t v : {0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f}) bits.push_back(v);
      return bits;
    case ScalarType::F32:
      for (float v : special_floats()) bits.push_back(std::bit_cast<std::uint32_t>(v));
      return bits;
  }
  return bits;
}

std::string label(const testing::TestParamInfo<ScalarType>& info) { return scalar_name(info.param); }

/// A program whose kernels each apply one operation to all elements of three operands.
class Sheet {
 public:
  Sheet(ScalarType scalar, std::uint16_t lanes, const std::vector<std::vector<std::uint64_t>>& operands)
      : lanes_(lanes), builder_("sheet") {
    count_ = static_cast<std::int64_t>((operands[0].size() + lanes - 1) / lanes * lanes);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs_.push_back(builder_.argument(fmt::format("in{}", i), scalar, Access::Read, count_));
      std::vector<std::byte> bytes(static_cast<std::size_t>(count_) * scalar_bytes(scalar));
      for (std::size_t element = 0; element < operands[i].size(); ++element)
        std::memcpy(bytes.data() + element * scalar_bytes(scalar), &operands[i][element], scalar_bytes(scalar));
      contents_.push_back(std::move(bytes));
    }
  }

  template <class Body>
  void kernel(const std::string& name, ScalarType result, Body&& body) {
    const BufferId out = builder_.argument("out_" + name, result, Access::Write, count_);
    kernel_to(name, out, lanes_, body);
  }
  /// For results with one lane.
  template <class Body>
  void fold(const std::string& name, ScalarType result, Body&& body) {
    const BufferId out = builder_.argument("out_" + name, result, Access::Write, count_ / lanes_);
    kernel_to(name, out, 1, body);
  }

  void check() {
    const Program program = builder_.finish();
    Arena arena(program);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      arena.set_bytes(inputs_[i], contents_[i].data(), contents_[i].size());
    EXPECT_EQ(compare_with_interpreter(program, arena, variants()), "");
  }

 private:
  template <class Body>
  void kernel_to(const std::string& name, BufferId out, std::uint16_t out_lanes, Body& body) {
    const std::vector<ValueId> at = builder_.begin_kernel(name, {count_ / lanes_});
    const ValueId index = builder_.mul(at[0], lanes_);
    std::vector<ValueId> operands;
    for (BufferId input : inputs_) operands.push_back(builder_.load(input, index, lanes_));
    builder_.store(out, builder_.mul(at[0], out_lanes), body(builder_, operands));
    builder_.end_kernel();
  }

  std::uint16_t lanes_;
  std::int64_t count_ = 0;
  Builder builder_;
  std::vector<BufferId> inputs_;
  std::vector<std::vector<std::byte>> contents_;
};

using Operands = std::vector<ValueId>;

bool accepts(ScalarType scalar, UnaryKind kind) {
  if (kind == UnaryKind::Not) return scalar == ScalarType::I1;
  if (kind == UnaryKind::Neg || kind == UnaryKind::Abs) return scalar != ScalarType::I1;
  return is_float_scalar(scalar) && (kind == UnaryKind::Sqrt || kind == UnaryKind::Floor);
}

bool accepts(ScalarType scalar, BinaryKind kind) {
  switch (kind) {
    case BinaryKind::Add:
    case BinaryKind::Sub:
    case BinaryKind::Mul:
      return scalar != ScalarType::I1;
    case BinaryKind::Max:
    case BinaryKind::Min:
      return true;
    case BinaryKind::Div:
    case BinaryKind::Fmod:
      return is_float_scalar(scalar);
    case BinaryKind::FloorDiv:
    case BinaryKind::FloorMod:
    case BinaryKind::Shl:
    case BinaryKind::Shr:
      return scalar == ScalarType::I32 || scalar == ScalarType::I64;
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
      return !is_float_scalar(scalar);
  }
  return false;
}

class OperationsOf : public testing::TestWithParam<ScalarType> {};

TEST_P(OperationsOf, OneOperand) {
  for (std::uint16_t lanes : kLanes) {
    Sheet sheet(GetParam(), lanes, {special_values(GetParam())});
    for (int k = 0; k <= static_cast<int>(UnaryKind::Floor); ++k) {
      const auto kind = static_cast<UnaryKind>(k);
      if (!accepts(GetParam(), kind)) continue;
      sheet.kernel(unary_name(kind), GetParam(), [&](Builder& b, const Operands& x) { return b.unary(kind, x[0]); });
    }
    for (ScalarType to : kScalars) {
      sheet.kernel(fmt::format("to_{}", scalar_name(to)), to,
                   [&](Builder& b, const Operands& x) { return b.cast(to, x[0]); });
    }
    SCOPED_TRACE(lanes);
    sheet.check();
  }
}

TEST_P(OperationsOf, TwoOperands) {
  const std::vector<std::uint64_t> values = special_values(GetParam());
  std::vector<std::vector<std::uint64_t>> pairs(2);
  for (std::uint64_t a : values) {
    for (std::uint64_t b : values) {
      pairs[0].push_back(a);
      pairs[1].push_back(b);
    }
  }
  for (std::uint16_t lanes : kLanes) {
    Sheet sheet(GetParam(), lanes, pairs);
    for (int k = 0; k <= static_cast<int>(BinaryKind::Shr); ++k) {
      const auto kind = static_cast<BinaryKind>(k);
      if (!accepts(GetParam(), kind)) continue;
      sheet.kernel(binary_name(kind), GetParam(),
                   [&](Builder& b, const Operands& x) { return b.binary(kind, x[0], x[1]); });
    }
    for (int k = 0; k <= static_cast<int>(CompareKind::Ne); ++k) {
      const auto kind = static_cast<CompareKind>(k);
      sheet.kernel(compare_name(kind), ScalarType::I1,
                   [&](Builder& b, const Operands& x) { return b.compare(kind, x[0], x[1]); });
    }
    sheet.kernel("select", GetParam(), [&](Builder& b, const Operands& x) {
      return b.select(b.compare(CompareKind::Eq, x[0], x[1]), x[0], x[1]);
    });
    SCOPED_TRACE(lanes);
    sheet.check();
  }
}

TEST_P(OperationsOf, Folds) {
  std::vector<std::uint64_t> values = special_values(GetParam());
  // A NaN would hide the other values.
  if (is_float_scalar(GetParam())) values.resize(special_floats().size() - 1);
  for (std::uint16_t lanes : kLanes) {
    if (lanes == 1) continue;
    Sheet sheet(GetParam(), lanes, {values});
    for (LaneFold kind : {LaneFold::Add, LaneFold::Max, LaneFold::Min}) {
      if (GetParam() == ScalarType::I1 && kind == LaneFold::Add) continue;
      sheet.fold(fold_name(kind), GetParam(), [&](Builder& b, const Operands& x) { return b.fold_lanes(kind, x[0]); });
    }
    sheet.fold("extract", GetParam(),
               [&](Builder& b, const Operands& x) { return b.extract(x[0], static_cast<std::uint16_t>(lanes - 1)); });
    sheet.kernel("splat", GetParam(),
                 [&](Builder& b, const Operands& x) { return b.splat(b.extract(x[0], 0), lanes); });
    SCOPED_TRACE(lanes);
    sheet.check();
  }
}

class IntegerOperationsOf : public testing::TestWithParam<ScalarType> {};

TEST_P(IntegerOperationsOf, ConstantDivisorsAndShifts) {
  for (std::uint16_t lanes : {std::uint16_t{1}, std::uint16_t{4}}) {
    Sheet sheet(GetParam(), lanes, {special_values(GetParam())});
    for (std::int32_t constant : {0, 1, -1, 2, 3, -3, 8, 64, 1 << 30, INT32_MIN}) {
      for (BinaryKind kind : {BinaryKind::FloorDiv, BinaryKind::FloorMod, BinaryKind::Shl, BinaryKind::Shr}) {
        const std::string name =
            fmt::format("{}_{}_{}", binary_name(kind), constant < 0 ? "minus" : "plus",
                        static_cast<std::uint32_t>(constant < 0 ? -std::int64_t{constant} : constant));
        sheet.kernel(name, GetParam(), [&](Builder& b, const Operands& x) {
          const ValueId number = b.const_number({GetParam(), lanes}, constant);
          return b.binary(kind, x[0], number);
        });
      }
    }
    SCOPED_TRACE(lanes);
    sheet.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, OperationsOf, testing::ValuesIn(kScalars), label);
INSTANTIATE_TEST_SUITE_P(Types, IntegerOperationsOf, testing::Values(ScalarType::I32, ScalarType::I64), label);

TEST(Operations, FusedMultiplyAdd) {
  const std::vector<std::uint64_t> values = special_values(ScalarType::F32);
  std::vector<std::vector<std::uint64_t>> triples(3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      triples[0].push_back(values[i]);
      triples[1].push_back(values[j]);
      triples[2].push_back(values[(7 * i + 3 * j) % values.size()]);
      // c = -round(a * b): only one rounding leaves the exact remainder.
      triples[0].push_back(values[i]);
      triples[1].push_back(values[j]);
      const float product =
          std::bit_cast<float>(std::uint32_t(values[i])) * std::bit_cast<float>(std::uint32_t(values[j]));
      triples[2].push_back(std::bit_cast<std::uint32_t>(-product));
    }
  }
  for (std::uint16_t lanes : kLanes) {
    Sheet sheet(ScalarType::F32, lanes, triples);
    sheet.kernel("fma", ScalarType::F32, [](Builder& b, const Operands& x) { return b.fma(x[0], x[1], x[2]); });
    sheet.kernel("apart", ScalarType::F32,
                 [](Builder& b, const Operands& x) { return b.add(b.mul(x[0], x[1]), x[2]); });
    SCOPED_TRACE(lanes);
    sheet.check();
  }
}

TEST(Operations, IntegerMultiplyAdd) {
  const std::vector<std::uint64_t> values = special_values(ScalarType::I32);
  Sheet sheet(ScalarType::I32, 4, {values, values, values});
  sheet.kernel("fma", ScalarType::I32, [](Builder& b, const Operands& x) { return b.fma(x[0], x[1], x[2]); });
  sheet.check();
}

TEST(Operations, EveryHalfWidensAndReturns) {
  for (ScalarType scalar : {ScalarType::F16, ScalarType::BF16}) {
    std::vector<std::uint64_t> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Sheet sheet(scalar, 16, {all});
    sheet.kernel("wide", ScalarType::F32, [](Builder& b, const Operands& x) { return b.cast(ScalarType::F32, x[0]); });
    for (ScalarType to : {ScalarType::F16, ScalarType::BF16}) {
      sheet.kernel(scalar_name(to), to, [&](Builder& b, const Operands& x) { return b.cast(to, x[0]); });
    }
    sheet.check();
  }
}

TEST(Operations, NarrowingRoundsAtEveryBoundary) {
  // All values of the upper half-word, with the lower one at, just below and just above each rounding boundary.
  std::vector<std::uint64_t> all;
  for (std::uint32_t high = 0; high < (1u << 16); ++high) {
    for (std::uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u, 0x8001u,
                              0xefffu, 0xf000u, 0xffffu})
      all.push_back(high << 16 | low);
  }
  Sheet sheet(ScalarType::F32, 16, {all});
  for (ScalarType to : {ScalarType::F16, ScalarType::BF16}) {
    sheet.kernel(scalar_name(to), to, [&](Builder& b, const Operands& x) { return b.cast(to, x[0]); });
  }
  sheet.check();
}

/// The last bits of these are the target's: here those of the host's math library, on vectors too.
TEST(Operations, MathFunctionsAreTheHosts) {
  using Function = float (*)(float);
  const std::vector<std::pair<UnaryKind, Function>> functions{{UnaryKind::Exp, expf},
                                                              {UnaryKind::Log, logf},
                                                              {UnaryKind::Tanh, tanhf},
                                                              {UnaryKind::Sin, sinf},
                                                              {UnaryKind::Cos, cosf}};
  std::vector<float> inputs = special_floats();
  while (inputs.size() % 5 != 0) inputs.push_back(0.7f);
  const auto count = static_cast<std::int64_t>(inputs.size());
  for (std::uint16_t lanes : {std::uint16_t{1}, std::uint16_t{5}}) {
    for (const auto& [kind, function] : functions) {
      Builder b("math");
      const BufferId in = b.argument("in", ScalarType::F32, Access::Read, count);
      const BufferId out = b.argument("out", ScalarType::F32, Access::Write, count);
      const std::vector<ValueId> at = b.begin_kernel("math", {count / lanes});
      const ValueId index = b.mul(at[0], lanes);
      b.store(out, index, b.unary(kind, b.load(in, index, lanes)));
      b.end_kernel();
      const Program program = b.finish();
      std::vector<float> expected;
      for (float x : inputs) expected.push_back(function(x));
      Arena wanted(program), found(program);
      wanted.set(in, inputs);
      wanted.set(out, expected);
      found.set(in, inputs);
      for (const Variant& variant : variants()) {
        ASSERT_EQ(run_compiled(program, found, variant), "");
        EXPECT_EQ(wanted.difference(found), "") << unary_name(kind) << " on " << variant.name;
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::emit_llvm
