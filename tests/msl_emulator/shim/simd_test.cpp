// Functions of SIMD groups and quads against a model, with all and with some lanes taking part; atomics.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::shim_test {

namespace {

constexpr std::size_t kThreads = 64;

/// What one group of lanes (a SIMD group, or a quad of it) gives the lane `me`. values[i] of the lanes that take part.
struct Scope {
  std::vector<double> values;
  std::vector<std::uint32_t> lanes;
  std::size_t me = 0;

  double fold(double start, const std::function<double(double, double)>& join, std::size_t end) const {
    double total = start;
    for (std::size_t i = 0; i < end; ++i) total = join(total, values[i]);
    return total;
  }
  double fold(double start, const std::function<double(double, double)>& join) const {
    return fold(start, join, values.size());
  }
  double prefix(double start, const std::function<double(double, double)>& join, bool inclusive) const {
    return fold(start, join, me + (inclusive ? 1 : 0));
  }
  Scope map(const std::function<double(double)>& f) const {
    Scope mapped = *this;
    std::transform(values.begin(), values.end(), mapped.values.begin(), f);
    return mapped;
  }
};

Scope scope_of(const std::vector<float>& in, std::uint32_t active, std::size_t thread, std::uint32_t width) {
  Scope scope;
  const std::size_t first = thread / width * width;
  for (std::size_t t = first; t < first + width; ++t) {
    const auto lane = static_cast<std::uint32_t>(t % 32);
    if ((active >> lane & 1U) == 0) continue;
    if (t == thread) scope.me = scope.values.size();
    scope.values.push_back(in[t]);
    scope.lanes.push_back(lane);
  }
  return scope;
}

double sum(double a, double b) { return a + b; }
double product(double a, double b) { return a * b; }
double smaller(double a, double b) { return std::min(a, b); }
double larger(double a, double b) { return std::max(a, b); }
double bit_and(double a, double b) { return static_cast<int>(a) & static_cast<int>(b); }
double bit_or(double a, double b) { return static_cast<int>(a) | static_cast<int>(b); }
double bit_xor(double a, double b) { return static_cast<int>(a) ^ static_cast<int>(b); }
double factor(double x) { return 1 + x / 64; }
double odd(double x) { return static_cast<int>(x) | 1; }
double by_three(double x) { return static_cast<int>(x) % 3 == 0 ? 1 : 0; }
double above_five(double x) { return x > 5 ? 1 : 0; }

/// In the order of the kernel simd_functions.
std::vector<double> expected_of(const Scope& simd, const Scope& quad) {
  std::vector<double> values = {simd.fold(0, sum),
                                simd.map(factor).fold(1, product),
                                simd.fold(INFINITY, smaller),
                                simd.fold(-INFINITY, larger),
                                simd.map(odd).fold(-1, bit_and),
                                simd.fold(0, bit_or),
                                simd.fold(0, bit_xor),
                                simd.prefix(0, sum, true),
                                simd.prefix(0, sum, false),
                                simd.map(factor).prefix(1, product, true),
                                simd.map(factor).prefix(1, product, false),
                                simd.values[0],
                                1,
                                simd.map(above_five).fold(1, smaller),
                                simd.map(above_five).fold(0, larger),
                                0,
                                simd.map(by_three).fold(0, sum),
                                static_cast<double>(simd.values.size()),
                                simd.me == 0 ? 1.0 : 0.0,
                                quad.fold(0, sum),
                                quad.map(factor).fold(1, product),
                                quad.fold(INFINITY, smaller),
                                quad.fold(-INFINITY, larger),
                                quad.map(odd).fold(-1, bit_and),
                                quad.fold(0, bit_or),
                                quad.fold(0, bit_xor),
                                quad.prefix(0, sum, true),
                                quad.prefix(0, sum, false),
                                quad.values[0],
                                quad.map(above_five).fold(1, smaller),
                                quad.map(above_five).fold(0, larger)};
  double ballot = 0;
  for (std::size_t i = 0; i < quad.values.size(); ++i) ballot += by_three(quad.values[i]) * (1U << (quad.lanes[i] % 4));
  values.push_back(ballot);
  values.push_back(quad.me == 0 ? 1 : 0);
  values.push_back(static_cast<double>(simd.values.size()));
  values.push_back(simd.map([](double x) { return static_cast<int>(x) % 4; }).fold(0, sum));
  values.push_back(simd.fold(0, larger));
  return values;
}

class SimdFunctions : public InDialect {};
INSTANTIATE_TEST_SUITE_P(Dialects, SimdFunctions, ::testing::Values(Dialect::OpenCl, Dialect::Cpp20), name_of_dialect);

TEST_P(SimdFunctions, ReductionsOfTheLanesThatTakePart) {
  for (const std::uint32_t active : {0xffffffffU, 0x0000ffffU, 0xaaaaaaaaU, 0x00100001U, 0xf731c8e3U, 0x80000000U}) {
    std::vector<float> in(kThreads), out(36 * kThreads, -1.0F);
    for (std::size_t i = 0; i < kThreads; ++i) in[i] = static_cast<float>(i * 29 % 31);
    std::vector<std::uint32_t> mask = {active};
    run_clean("simd.metal", GetParam(), "simd_functions", 1, kThreads, {bytes_of(out), bytes_of(in), bytes_of(mask)});
    for (std::size_t t = 0; t < kThreads; ++t) {
      if ((active >> (t % 32) & 1U) == 0) continue;
      const std::vector<double> expected = expected_of(scope_of(in, active, t, 32), scope_of(in, active, t, 4));
      for (std::size_t f = 0; f < expected.size(); ++f)
        EXPECT_NEAR(out[f * kThreads + t], expected[f], std::fabs(expected[f]) * 1e-5)
            << "function " << f << " thread " << t << " active " << active;
    }
  }
}

/// The lane that is read, from 100 on with its filling value.
std::vector<int> sources_of(int lane) {
  const auto within = [](int source, int own, int width) {
    return source / width == own / width && source >= 0 ? source : own;
  };
  const auto turned = [](int source, int own, int width) { return own / width * width + (source + 2 * width) % width; };
  const auto up = [](int l, int delta, int width) {
    return l % width < delta ? 100 + l / width * width + (l - delta + 2 * width) % width : l - delta;
  };
  const auto down = [](int l, int delta, int width) {
    return l % width + delta >= width ? 100 + l / width * width + (l + delta) % width : l + delta;
  };
  return {7,
          (lane * 5 + 3) % 32,
          lane ^ 9,
          within(lane - 3, lane, 32),
          within(lane + 3, lane, 32),
          turned(lane - 3, lane, 32),
          turned(lane + 3, lane, 32),
          up(lane, 3, 32),
          down(lane, 3, 32),
          up(lane, 3, 8),
          down(lane, 3, 8),
          lane / 4 * 4 + 2,
          lane / 4 * 4 + (lane + 1) % 4,
          lane ^ 1,
          lane % 4 == 0 ? lane : lane - 1,
          lane % 4 == 3 ? lane : lane + 1,
          lane / 4 * 4 + (lane + 3) % 4,
          lane / 4 * 4 + (lane + 1) % 4,
          5,
          lane ^ 2,
          4,
          lane == 31 ? lane : lane + 1};
}

TEST_P(SimdFunctions, Shuffles) {
  std::vector<float> in(kThreads), out(22 * kThreads, -1.0F);
  for (std::size_t i = 0; i < kThreads; ++i) in[i] = static_cast<float>(i * 29 % 67);
  run_clean("simd.metal", GetParam(), "shuffles", 1, kThreads, {bytes_of(out), bytes_of(in)});
  for (std::size_t t = 0; t < kThreads; ++t) {
    const std::vector<int> sources = sources_of(static_cast<int>(t % 32));
    for (std::size_t f = 0; f < sources.size(); ++f) {
      const std::size_t from = t / 32 * 32 + static_cast<std::size_t>(sources[f] % 100);
      float expected = in[from] + (sources[f] >= 100 ? 1000.0F : 0.0F);
      if (f == 19) expected = -expected;
      if (f == 20) expected = static_cast<float>(static_cast<int>(expected) & 1);
      EXPECT_EQ(out[f * kThreads + t], expected) << "function " << f << " thread " << t;
    }
  }
}

TEST_P(SimdFunctions, AnInactiveSourceIsIndeterminate) {
  std::vector<std::uint32_t> out(32);
  run_clean("simd.metal", GetParam(), "inactive_source", 1, 32, {bytes_of(out)});
  for (std::size_t lane = 0; lane < 32; lane += 2) {
    EXPECT_EQ(out[lane], 0x7fa5c3d1U) << lane;
    EXPECT_EQ(out[lane + 1] & ~0x200U, 0x7d69U & ~0x200U) << lane;
  }
}

TEST_P(SimdFunctions, Atomics) {
  struct Counters {
    std::int32_t sum = 5;
    std::uint32_t largest = 1, bits = 0;
    float total = 1;
    std::uint32_t swapped = 4;
    std::uint32_t padding = 0;
    std::uint64_t top = 3;
    std::int32_t smallest = 9;
    std::int32_t tail = 0;
  };
  constexpr std::size_t kGroups = 3;
  std::vector<Counters> counters(1);
  std::vector<std::int32_t> out(kGroups * kThreads);
  run_clean("simd.metal", GetParam(), "atomics", kGroups, kThreads, {bytes_of(counters), bytes_of(out)}, 16);
  const int n = kGroups * kThreads;
  EXPECT_EQ(counters[0].sum, 5 + n * (n - 1) / 2 - 11 * n);
  EXPECT_EQ(counters[0].largest, 60U);
  EXPECT_EQ(counters[0].bits, 0xfffffU);
  EXPECT_EQ(counters[0].total, 1.0F + 0.5F * static_cast<float>(n));
  EXPECT_EQ(counters[0].swapped, 4U + 3U * static_cast<unsigned>(n));
  EXPECT_EQ(counters[0].top, std::uint64_t{n - 1} << 32U);
  EXPECT_EQ(counters[0].smallest, -49);
  for (std::size_t g = 0; g < kGroups; ++g) {
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(g * kThreads);
    std::sort(begin, begin + kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(out[g * kThreads + i], static_cast<int>(i));
  }
}

}  // namespace

}  // namespace tilewright::msl_emulator::shim_test
