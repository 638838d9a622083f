// exp, tanh and log of every processor variant: how far they are from the exact numbers, in scalars and in vectors.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "case_count.h"
#include "differential.h"
#include "kernel/builder.h"
#include "kernel/names.h"
#include "kernel/operation_sheet.h"
#include "runtime/cpu/loader.h"
#include "runtime/cpu/run.h"

namespace tilewright::emit_llvm {
namespace {

using namespace kernel;

constexpr std::int64_t kAtOnce = 1 << 18;

/// out[i] = kind(in[i]), `lanes` at a time.
Program function_program(UnaryKind kind, std::uint16_t lanes) {
  Builder b("math");
  const BufferId in = b.argument("in", ScalarType::F32, Access::Read, kAtOnce);
  const BufferId out = b.argument("out", ScalarType::F32, Access::Write, kAtOnce);
  const std::vector<ValueId> at = b.begin_kernel("math", {kAtOnce / lanes});
  const ValueId index = b.mul(at[0], lanes);
  b.store(out, index, b.unary(kind, b.load(in, index, lanes)));
  b.end_kernel();
  return b.finish();
}

/// One kernel of the host, loaded.
class Function {
 public:
  Function(UnaryKind kind, std::uint16_t lanes, const Variant& variant)
      : code_(runtime_cpu::load(*emit(function_program(kind, lanes), variant.options))) {}
  std::vector<float> operator()(std::vector<float> in) const {
    in.resize(kAtOnce, 1.0f);
    std::vector<float> out(kAtOnce);
    void* const bindings[] = {in.data(), out.data()};
    EXPECT_TRUE(runtime_cpu::run(*code_, bindings, {.threads = 1}));
    return out;
  }

 private:
  Result<runtime_cpu::LoadedArtifact> code_;
};

double exact(UnaryKind kind, float x) {
  const double wide = x;
  return kind == UnaryKind::Exp ? std::exp(wide) : kind == UnaryKind::Tanh ? std::tanh(wide) : std::log(wide);
}

/// Units in the last place of the f32 numbers around `value`: 2^-149 and more.
double unit_at(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Infinite where class or sign is wrong.
double units_off(float found, double wanted) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(wanted)) return std::isnan(found) ? 0 : infinity;
  if (std::signbit(found) != std::signbit(wanted)) return infinity;
  const auto nearest = static_cast<float>(wanted);
  if (nearest == found) return 0;
  if (!std::isfinite(wanted) || std::isnan(found)) return infinity;
  const double largest = 0x1.fffffep127;
  const double reached = std::isinf(found) ? std::copysign(largest + unit_at(largest), wanted) : double{found};
  return std::abs(reached - wanted) / unit_at(wanted);
}

/// Numbers around each place where something changes, and `count` spread over all bit patterns.
std::vector<float> samples(std::int64_t count) {
  std::vector<float> all = special_floats();
  const auto around = [&](float center) {
    const auto bits = std::bit_cast<std::uint32_t>(center);
    for (std::uint32_t step = 0; step < 64; ++step) {
      for (const std::uint32_t near : {bits + step, bits - step}) {
        all.push_back(std::bit_cast<float>(near));
        all.push_back(-std::bit_cast<float>(near));
      }
    }
  };
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent) around(std::bit_cast<float>(exponent << 23));
  for (float x : {88.72284f, 87.33655f, 103.2789f, 103.97208f, 104.0f, 89.0f, 0.625f, 0.5493061f, 9.01f, 10.0f,
                  0.70710678f, 1.4142135f, 0.34657359f, 0.6931472f})
    around(x);
  const auto step = static_cast<std::uint32_t>((std::int64_t{1} << 32) / count) | 1u;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += step)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return all;
}

class MathFunction : public testing::TestWithParam<UnaryKind> {};

/// The bound of the kernel IR: docs/kernel-ir.md.
TEST_P(MathFunction, IsNearAndTheSameInAnyLane) {
  const std::vector<float> all = samples(case_count(1'000'000, 50));
  for (const Variant& variant : variants()) {
    const Function scalar(GetParam(), 1, variant), vector(GetParam(), 16, variant), narrow(GetParam(), 4, variant);
    double worst = 0;
    float worst_at = 0;
    std::int64_t differences = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += kAtOnce) {
      const std::size_t end = std::min(all.size(), begin + kAtOnce);
      const std::vector<float> in(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all.begin() + static_cast<std::ptrdiff_t>(end));
      const std::vector<float> one = scalar(in), sixteen = vector(in), four = narrow(in);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const auto same = [&](float other) {
          return std::bit_cast<std::uint32_t>(one[i]) == std::bit_cast<std::uint32_t>(other) ||
                 (std::isnan(one[i]) && std::isnan(other));
        };
        if (!same(sixteen[i]) || !same(four[i])) ++differences;
        const double off = units_off(one[i], exact(GetParam(), in[i]));
        if (off > worst) {
          worst = off;
          worst_at = in[i];
        }
      }
    }
    EXPECT_EQ(differences, 0) << variant.name;
    EXPECT_LE(worst, 2.0) << variant.name << ", at " << worst_at;
  }
}

TEST_P(MathFunction, OfSpecialNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> in{0.0f, -0.0f, infinity, -infinity, nan, 1e-45f, -1e-45f, 3e38f, -3e38f, 1.0f};
  for (const Variant& variant : variants()) {
    const std::vector<float> out = Function(GetParam(), 16, variant)(in);
    for (std::size_t i = 0; i < in.size(); ++i)
      EXPECT_LE(units_off(out[i], exact(GetParam(), in[i])), 1.0) << variant.name << " at " << in[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MathFunction, testing::Values(UnaryKind::Exp, UnaryKind::Tanh, UnaryKind::Log),
                         [](const auto& info) { return std::string(unary_name(info.param)); });

}  // namespace
}  // namespace tilewright::emit_llvm
