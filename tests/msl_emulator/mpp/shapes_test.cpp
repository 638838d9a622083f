// Kernels in the shapes of public code: dequantized weights, an epilogue, the map of M5, attention, reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "emulated.h"

namespace tilewright::msl_emulator::mpp {
namespace {

const Result<CompiledLibrary>& shapes_library() {
  return library_of("shapes.metal",
                    {"dequantized", "epilogue_h", "epilogue_f", "m5_map_h", "m5_map_b", "attention", "reductions",
                     "ownership", "views"},
                    {"ZEROED"});
}

Buffer sizes(int m, int n, int k) {
  return Buffer::of('n',
                    std::vector<double>{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k), 0});
}

struct Dequantized {
  Buffer weights = Buffer::random('i', 45 * 70, 1), scales = Buffer::random('f', 45, 2);
  Buffer activations = Buffer::random('f', 90 * 70, 3), d{'f', 90 * 45}, mnk = sizes(45, 90, 70);
};

Result<LaunchResult> run_dequantized(const CompiledLibrary& library, Dequantized& data, const DeviceModel& device,
                                     std::uint64_t seed) {
  Launch launch{
      "dequantized", {2, 2, 1}, 128, {&data.weights, &data.scales, &data.activations, &data.d, &data.mnk}, seed};
  launch.threadgroup_bytes = 32 * 32 * 2;
  launch.device = device;
  return run(library, launch);
}

void expect_dequantized_product(const Dequantized& data) {
  Buffer weights('f', 45 * 70);
  Buffer as_half('h', 1);
  for (std::size_t i = 0; i < 45 * 70; ++i) {
    as_half.set(0, data.weights.get(i) * data.scales.get(i / 70));
    weights.set(i, as_half.get(0));
  }
  const Product product{90, 45, 70, false, true};
  for (int i = 0; i < 90; ++i) {
    for (int j = 0; j < 45; ++j) {
      const double bound = product_magnitude(product, data.activations, weights, i, j) * 70 * 0x1p-23;
      ASSERT_NEAR(data.d.get(element_index(i, j, 45)), product_element(product, data.activations, weights, i, j),
                  bound);
    }
  }
}

TEST(MatmulShapes, WeightsFromThreadgroupMemory) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  for (const std::uint64_t seed : {0u, 1u, 4u}) {
    Dequantized data;
    const Result<LaunchResult> result = run_dequantized(*library, data, {}, seed);
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    expect_dequantized_product(data);
  }
}

TEST(MatmulShapes, AnUnzeroedDestinationIsReportedUnlessTheDeviceZeroesIt) {
  const Result<CompiledLibrary>& library = library_of("shapes.metal", {"dequantized"});
  ASSERT_TRUE(library) << describe(library.error());
  Dequantized data;
  const Result<LaunchResult> strict = run_dequantized(*library, data, {}, 0);
  ASSERT_TRUE(strict) << describe(strict.error());
  ASSERT_FALSE(strict->reports.empty());
  EXPECT_EQ(strict->reports[0].kind, ReportKind::UninitializedRead) << describe(strict->reports);
  DeviceModel device;
  device.zero_cooperative_destinations = true;
  const Result<LaunchResult> lenient = run_dequantized(*library, data, device, 0);
  ASSERT_TRUE(lenient) << describe(lenient.error());
  EXPECT_TRUE(lenient->reports.empty()) << describe(lenient->reports);
  expect_dequantized_product(data);
}

void check_epilogue(const std::string& kernel, Type type, int rows, int columns, std::uint32_t threads) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  constexpr Product kShape{75, 130, 37};
  Buffer a = Buffer::random(type, 75 * 37, 1);
  Buffer b = Buffer::random(type, 37 * 130, 2);
  Buffer self = Buffer::random(type, 75 * 130, 3);
  Buffer alpha_beta = Buffer::of('f', std::vector<double>{0.5, -2});
  Buffer mnk = sizes(75, 130, 37);
  const Uint3 groups{static_cast<std::uint32_t>((130 + columns - 1) / columns),
                     static_cast<std::uint32_t>((75 + rows - 1) / rows), 1};
  for (const std::uint64_t seed : {0u, 1u, 2u, 5u}) {
    Buffer d(type, 75 * 130);
    const Result<LaunchResult> result =
        run(*library, {kernel, groups, threads, {&a, &b, &d, &mnk, &self, &alpha_beta}, seed});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    for (int i = 0; i < 75; ++i) {
      for (int j = 0; j < 130; ++j) {
        const auto at = element_index(i, j, 130);
        const double expected = 0.5 * product_element(kShape, a, b, i, j) - 2 * self.get(at);
        ASSERT_NEAR(d.get(at), expected, 1e-3 + std::fabs(expected) * rounding(type)) << i << " " << j;
      }
    }
  }
}

TEST(MatmulShapes, EpilogueOverHalves) { check_epilogue("epilogue_h", 'h', 64, 32, 128); }
TEST(MatmulShapes, EpilogueOverFloats) { check_epilogue("epilogue_f", 'f', 16, 64, 64); }

/// The largest error of a product with the written-out map, over the magnitude.
double m5_map_error(const std::string& kernel, Type type, bool m5, std::uint64_t seed) {
  const Result<CompiledLibrary>& library = shapes_library();
  if (!library) return HUGE_VAL;
  constexpr Product kShape{32, 64, 48};
  Buffer a = Buffer::random(type, 32 * 48, 1);
  Buffer b = Buffer::random(type, 48 * 64, 2);
  Buffer d('f', 32 * 64);
  Buffer mnk = sizes(32, 64, 48);
  Launch launch{kernel, {2, 2, 1}, 32, {&a, &b, &d, &mnk}, seed};
  launch.device.m5_layout = m5;
  const Result<LaunchResult> result = run(*library, launch);
  if (!result || !result->reports.empty()) return HUGE_VAL;
  double worst = 0;
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 64; ++j) {
      const double error = d.get(element_index(i, j, 64)) - product_element(kShape, a, b, i, j);
      worst = std::max(worst, std::fabs(error) / product_magnitude(kShape, a, b, i, j));
    }
  }
  return worst;
}

TEST(MatmulShapes, TheMapOfM5IsRightOnlyOnM5) {
  ASSERT_TRUE(shapes_library()) << describe(shapes_library().error());
  for (const std::uint64_t seed : {0u, 7u}) {
    EXPECT_LT(m5_map_error("m5_map_h", 'h', true, seed), 48 * 0x1p-23);
    EXPECT_LT(m5_map_error("m5_map_b", 'b', true, seed), 48 * 0x1p-23);
  }
  EXPECT_GT(m5_map_error("m5_map_h", 'h', false, 0), 0.01);
}

/// softmax(q k^t) v of one tile: 16 queries, 32 keys, head 32.
std::vector<double> attention_of(const Buffer& q, const Buffer& keys, const Buffer& values) {
  std::vector<double> out(16 * 32, 0);
  for (std::size_t i = 0; i < 16; ++i) {
    std::vector<double> weights(32, 0);
    for (std::size_t j = 0; j < 32; ++j) {
      for (std::size_t p = 0; p < 32; ++p) weights[j] += q.get(i * 32 + p) * keys.get(j * 32 + p);
    }
    const double highest = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - highest);
    for (std::size_t j = 0; j < 32; ++j) {
      for (std::size_t c = 0; c < 32; ++c) out[i * 32 + c] += weights[j] / sum * values.get(j * 32 + c);
    }
  }
  return out;
}

TEST(MatmulShapes, AttentionByRegistersOrByMemory) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  Buffer q = Buffer::random('h', 16 * 32, 1);
  Buffer keys = Buffer::random('h', 32 * 32, 2);
  Buffer values = Buffer::random('h', 32 * 32, 3);
  const std::vector<double> expected = attention_of(q, keys, values);
  bool direct = false;
  bool staged = false;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Buffer d('f', 16 * 32);
    Buffer path('n', 1);
    const Result<LaunchResult> result =
        run(*library, {"attention", {1, 1, 1}, 32, {&q, &keys, &values, &d, &path}, seed});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    (path.get(0) != 0 ? direct : staged) = true;
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(d.get(i), expected[i], 4e-3) << i << " seed " << seed;
  }
  EXPECT_TRUE(direct);
  EXPECT_TRUE(staged);
}

TEST(MatmulShapes, ReductionsWithTheirIdentities) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  Buffer a = Buffer::random('h', 16 * 16, 1);
  Buffer b = Buffer::random('h', 16 * 32, 2);
  for (std::size_t i = 0; i < 16; ++i) {  // the product's first row is negative throughout
    a.set(i, -1);
    for (std::size_t j = 0; j < 32; ++j) b.set(i * 32 + j, std::fabs(b.get(i * 32 + j)) + 0.25);
  }
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    Buffer sums('f', 16), highest('f', 16), low('f', 16), column_sums('f', 32);
    const Result<LaunchResult> result =
        run(*library, {"reductions", {1, 1, 1}, 32, {&a, &b, &sums, &highest, &low, &column_sums}, seed});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    std::vector<double> columns(32, 0);
    for (int i = 0; i < 16; ++i) {
      double sum = 0;
      double most = -HUGE_VAL;
      for (int j = 0; j < 32; ++j) {
        const double element = product_element({16, 32, 16}, a, b, i, j);
        sum += element;
        most = std::max(most, element);
        columns[static_cast<std::size_t>(j)] += element;
      }
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(sums.get(at), sum, 1e-3);
      EXPECT_NEAR(highest.get(at), most, 1e-4);
      EXPECT_NEAR(low.get(at), std::max(most, 0.0), 1e-4);
    }
    EXPECT_LT(highest.get(0), 0);
    for (std::size_t j = 0; j < 32; ++j) EXPECT_NEAR(column_sums.get(j), columns[j], 1e-3);
  }
}

TEST(CooperativeLayout, HoldsEveryElementOnce) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  bool uneven = false;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Buffer count('n', 24 * 48);
    Buffer valid('n', 64);
    const Result<LaunchResult> result = run(*library, {"ownership", {1, 1, 1}, 64, {&count, &valid}, seed});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
    for (std::size_t i = 0; i < count.size(); ++i) ASSERT_EQ(count.get(i), 1) << i << " seed " << seed;
    for (std::size_t i = 1; i < 64; ++i) uneven = uneven || valid.get(i) != valid.get(0);
  }
  EXPECT_TRUE(uneven) << "no seed left a slot empty";
}

TEST(TensorViews, AreIndexedSlicedAndMeasured) {
  const Result<CompiledLibrary>& library = shapes_library();
  ASSERT_TRUE(library) << describe(library.error());
  std::vector<double> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const std::vector<double> expected{23, 5, 23, 16, 14, 7, 0, 7, 0, 101, 332, 321, 1202, 83, 12};
  Buffer data = Buffer::of('f', values);
  Buffer out('f', expected.size());
  const Result<LaunchResult> result = run(*library, {"views", {1, 1, 1}, 1, {&data, &out}});
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_TRUE(result->reports.empty()) << describe(result->reports);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(out.get(i), expected[i]) << i;
  EXPECT_EQ(data.get(8), 8) << "a store past the edge";
}

}  // namespace
}  // namespace tilewright::msl_emulator::mpp
