// Every element-wise operation, on scalars and vectors, on every processor variant, against the interpreter.
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/builder.h"
#include "kernel/names.h"
#include "kernel/operation_sheet.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

constexpr std::array<std::uint16_t, 3> kLanes = {1, 3, 16};

std::string label(const testing::TestParamInfo<ScalarType>& info) { return scalar_name(info.param); }

void check(Sheet& sheet) {
  const Program program = sheet.finish();
  Arena arena(program);
  for (std::uint32_t i = 0; i < sheet.contents().size(); ++i)
    arena.set_bytes(BufferId{i}, sheet.contents()[i].data(), sheet.contents()[i].size());
  EXPECT_EQ(compare_with_interpreter(program, arena, variants()), "");
}

using Operands = std::vector<ValueId>;

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
    check(sheet);
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
    check(sheet);
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
    check(sheet);
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
    check(sheet);
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
    check(sheet);
  }
}

TEST(Operations, IntegerMultiplyAdd) {
  const std::vector<std::uint64_t> values = special_values(ScalarType::I32);
  Sheet sheet(ScalarType::I32, 4, {values, values, values});
  sheet.kernel("fma", ScalarType::I32, [](Builder& b, const Operands& x) { return b.fma(x[0], x[1], x[2]); });
  check(sheet);
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
    check(sheet);
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
  check(sheet);
}

/// The last bits of these are the target's: here those of the host's math library, on vectors too.
TEST(Operations, SineAndCosineAreTheHosts) {
  using Function = float (*)(float);
  const std::vector<std::pair<UnaryKind, Function>> functions{{UnaryKind::Sin, sinf}, {UnaryKind::Cos, cosf}};
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
