// Every element-wise operation, on numbers and vectors: the emulated text against the interpreter.
#include <array>
#include <bit>

#include <gtest/gtest.h>

#include "emulated.h"
#include "kernel/names.h"
#include "kernel/operation_sheet.h"

namespace tilewright::emit_msl {
namespace {

using namespace kernel;

constexpr std::array<std::uint16_t, 2> kLanesOfSheets = {1, 3};
constexpr std::array kAllScalars = {ScalarType::I1,  ScalarType::I32,  ScalarType::I64,
                                    ScalarType::F16, ScalarType::BF16, ScalarType::F32};
using Values = std::vector<ValueId>;

std::string scalar_label(const testing::TestParamInfo<ScalarType>& info) { return scalar_name(info.param); }

void check_sheet(Sheet& sheet, int ulps = 0) {
  const Program program = sheet.finish();
  BufferBytes memory(program);
  for (std::uint32_t i = 0; i < sheet.contents().size(); ++i) memory.set_bytes(BufferId{i}, sheet.contents()[i]);
  EXPECT_EQ(compare_with_interpreter(program, memory, ulps), "");
}

class MetalOperationsOf : public testing::TestWithParam<ScalarType> {};

TEST_P(MetalOperationsOf, OneOperand) {
  for (std::uint16_t lanes : kLanesOfSheets) {
    Sheet sheet(GetParam(), lanes, {special_values(GetParam())});
    for (int k = 0; k <= static_cast<int>(UnaryKind::Floor); ++k) {
      const auto kind = static_cast<UnaryKind>(k);
      if (!accepts(GetParam(), kind)) continue;
      sheet.kernel(unary_name(kind), GetParam(), [&](Builder& b, const Values& x) { return b.unary(kind, x[0]); });
    }
    for (ScalarType to : kAllScalars)
      sheet.kernel(fmt::format("to_{}", scalar_name(to)), to,
                   [&](Builder& b, const Values& x) { return b.cast(to, x[0]); });
    SCOPED_TRACE(lanes);
    check_sheet(sheet);
  }
}

TEST_P(MetalOperationsOf, TwoOperands) {
  const std::vector<std::uint64_t> values = special_values(GetParam());
  std::vector<std::vector<std::uint64_t>> pairs(2);
  for (std::uint64_t a : values)
    for (std::uint64_t b : values) pairs[0].push_back(a), pairs[1].push_back(b);
  for (std::uint16_t lanes : kLanesOfSheets) {
    Sheet sheet(GetParam(), lanes, pairs);
    for (int k = 0; k <= static_cast<int>(BinaryKind::Shr); ++k) {
      const auto kind = static_cast<BinaryKind>(k);
      if (!accepts(GetParam(), kind)) continue;
      sheet.kernel(binary_name(kind), GetParam(),
                   [&](Builder& b, const Values& x) { return b.binary(kind, x[0], x[1]); });
    }
    for (int k = 0; k <= static_cast<int>(CompareKind::Ne); ++k) {
      const auto kind = static_cast<CompareKind>(k);
      sheet.kernel(compare_name(kind), ScalarType::I1,
                   [&](Builder& b, const Values& x) { return b.compare(kind, x[0], x[1]); });
    }
    sheet.kernel("select", GetParam(), [&](Builder& b, const Values& x) {
      const ValueId equal = b.compare(CompareKind::Eq, x[0], x[1]);
      return b.select(equal, x[0], x[1]);
    });
    SCOPED_TRACE(lanes);
    check_sheet(sheet);
  }
}

TEST_P(MetalOperationsOf, Folds) {
  std::vector<std::uint64_t> values = special_values(GetParam());
  // A NaN would hide the other values.
  if (is_float_scalar(GetParam())) values.resize(special_floats().size() - 1);
  Sheet sheet(GetParam(), 3, {values});
  for (LaneFold kind : {LaneFold::Add, LaneFold::Max, LaneFold::Min}) {
    if (GetParam() == ScalarType::I1 && kind == LaneFold::Add) continue;
    sheet.fold(fold_name(kind), GetParam(), [&](Builder& b, const Values& x) { return b.fold_lanes(kind, x[0]); });
  }
  sheet.fold("extract", GetParam(), [&](Builder& b, const Values& x) { return b.extract(x[0], 2); });
  sheet.kernel("splat", GetParam(), [&](Builder& b, const Values& x) {
    const ValueId first = b.extract(x[0], 0);
    return b.splat(first, 3);
  });
  check_sheet(sheet);
}

INSTANTIATE_TEST_SUITE_P(Types, MetalOperationsOf, testing::ValuesIn(kAllScalars), scalar_label);

class MetalIntegersOf : public testing::TestWithParam<ScalarType> {};

TEST_P(MetalIntegersOf, ConstantDivisorsAndShifts) {
  for (BinaryKind kind : {BinaryKind::FloorDiv, BinaryKind::FloorMod, BinaryKind::Shl, BinaryKind::Shr}) {
    Sheet sheet(GetParam(), 1, {special_values(GetParam())});
    int number = 0;
    for (std::int32_t constant : {0, 1, -1, 2, 3, -3, 8, 64, 1 << 30, INT32_MIN}) {
      sheet.kernel(fmt::format("by{}", number++), GetParam(), [&](Builder& b, const Values& x) {
        const ValueId divisor = b.const_number({GetParam(), 1}, constant);
        return b.binary(kind, x[0], divisor);
      });
    }
    SCOPED_TRACE(binary_name(kind));
    check_sheet(sheet);
  }
}

TEST_P(MetalIntegersOf, MultiplyAdd) {
  const std::vector<std::uint64_t> values = special_values(GetParam());
  std::vector<std::uint64_t> turned(values.rbegin(), values.rend());
  Sheet sheet(GetParam(), 1, {values, turned, values});
  sheet.kernel("fma", GetParam(), [](Builder& b, const Values& x) { return b.fma(x[0], x[1], x[2]); });
  check_sheet(sheet);
}

INSTANTIATE_TEST_SUITE_P(Types, MetalIntegersOf, testing::Values(ScalarType::I32, ScalarType::I64), scalar_label);

TEST(MetalOperations, MultiplyAddIsFusedAndNothingElseIs) {
  const std::vector<std::uint64_t> values = special_values(ScalarType::F32);
  std::vector<std::vector<std::uint64_t>> triples(3);
  for (std::uint64_t a : values)
    for (std::uint64_t b : values) {
      const float product = std::bit_cast<float>(std::uint32_t(a)) * std::bit_cast<float>(std::uint32_t(b));
      triples[0].push_back(a), triples[1].push_back(b);
      // Only one rounding leaves the exact remainder.
      triples[2].push_back(std::bit_cast<std::uint32_t>(-product));
    }
  Sheet sheet(ScalarType::F32, 1, triples);
  sheet.kernel("fma", ScalarType::F32, [](Builder& b, const Values& x) { return b.fma(x[0], x[1], x[2]); });
  sheet.kernel("apart", ScalarType::F32, [](Builder& b, const Values& x) {
    const ValueId product = b.mul(x[0], x[1]);
    return b.add(product, x[2]);
  });
  check_sheet(sheet);
}

/// Their last bits are the device's.
TEST(MetalOperations, FunctionsOfTheLibraryAreClose) {
  std::vector<std::uint64_t> values;
  for (float x : {0.0f, -0.0f, 0.5f, -0.75f, 1.0f, 3.25f, 10.0f, -20.0f, 80.0f, 1e-30f})
    values.push_back(std::bit_cast<std::uint32_t>(x));
  Sheet sheet(ScalarType::F32, 1, {values});
  for (UnaryKind kind : {UnaryKind::Exp, UnaryKind::Log, UnaryKind::Tanh, UnaryKind::Sin, UnaryKind::Cos})
    sheet.kernel(unary_name(kind), ScalarType::F32, [&](Builder& b, const Values& x) { return b.unary(kind, x[0]); });
  check_sheet(sheet, 4);
}

}  // namespace
}  // namespace tilewright::emit_msl
