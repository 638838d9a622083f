// Every mapping of a contraction computes what the program means, bit for bit: the sums are the reference chains.
#include <gtest/gtest.h>

#include <string>

#include "kernel/builder.h"
#include "lower/launch_buffers.h"
#include "lower/lowering_case.h"
#include "lower/vector/vector_lowering.h"
#include "realize/contraction.h"
#include "support/files.h"

namespace tilewright::lower::vector_mappings_test {
namespace {

using namespace testing;
using realize::VectorMapping;

std::string library(const std::string& name) {
  return read_file(TILEWRIGHT_SOURCE_DIR "/programs/" + name + ".tile").value();
}

/// Every launch by the mapping.
Result<kernel::Program> lower_by(const VectorMapping& mapping, const tile::Program& bound, const LaunchLayout& layout) {
  const proof::Subject subject = proof::make_subject(bound, proof::launch_assumptions(/*noalias=*/true));
  const sets::Context context;
  kernel::Builder builder(bound.name());
  auto objects = declare_buffers(bound, layout, builder).value();
  for (std::uint32_t launch = 0; launch < subject.walk.launches.size(); ++launch) {
    const auto facts = realize::contraction(subject, launch, context);
    EXPECT_TRUE(facts) << realize::refusal_text(facts.error());
    lower_contraction(bound, facts.value(), mapping, "product", builder, objects);
  }
  return builder.finish();
}

void expect_right(const std::string& text, const Numbers& sizes, const VectorMapping& mapping, CaseOptions options = {},
                  std::int64_t range_length = 0) {
  SCOPED_TRACE(::testing::Message() << "rows " << mapping.rows << " vectors " << mapping.vectors << " lanes "
                                    << mapping.lanes << " packs " << mapping.packs << " group " << mapping.group
                                    << " swaps " << mapping.swaps << " unroll " << mapping.unroll << " ranges of "
                                    << range_length << " M " << sizes.at("M"));
  options.lower = [&](const tile::Program& bound, const LaunchLayout& layout) {
    return lower_by(mapping, bound, layout);
  };
  options.range_length = range_length;
  expect_lowers(text, sizes, options);
}

constexpr std::int64_t kSizes[][3] = {{1, 1, 1},   {3, 5, 7},  {8, 8, 4},  {13, 18, 9},
                                      {17, 33, 6}, {2, 41, 5}, {29, 2, 11}};

TEST(VectorMappings, EveryRectangleOfEveryShape) {
  const std::string gemm = library("gemm");
  for (const auto& [m, n, k] : kSizes)
    for (const auto& [rows, vectors] : {std::pair<int, int>{1, 1}, {6, 2}, {4, 3}, {14, 1}, {1, 5}})
      for (const bool packs : {false, true}) {
        const VectorMapping mapping{
            .lanes = 4, .rows = rows, .vectors = vectors, .unroll = rows == 6 ? 4 : 1, .packs = packs};
        expect_right(gemm, {{"M", m}, {"N", n}, {"K", k}}, mapping);
      }
}

TEST(VectorMappings, RangesMayBeCutAnywhere) {
  const std::string gemm = library("gemm");
  const Numbers sizes{{"M", 23}, {"N", 38}, {"K", 7}};
  for (std::int64_t length : {1, 2, 3, 5, 100})
    for (std::int64_t group : {1, 2, 4}) {
      const VectorMapping mapping{.lanes = 4, .rows = 4, .vectors = 2, .unroll = 2, .packs = true, .group = group};
      expect_right(gemm, sizes, mapping, {}, length);
    }
}

TEST(VectorMappings, PassesKeepTheChain) {
  for (const char* name : {"gemm", "gemm_nt", "gemm_bias_relu", "gemm_alpha_beta"})
    for (const bool packs : {false, true})
      for (std::int64_t pass : {4, 6, 100})
        for (std::int64_t length : {0, 1, 3}) {
          if (!packs && std::string_view(name) == "gemm_nt") continue;
          const VectorMapping mapping{
              .lanes = 4, .rows = 3, .vectors = 2, .unroll = 2, .packs = packs, .group = 2, .pass = pass};
          expect_right(library(name), {{"M", 10}, {"N", 21}, {"K", 13}}, mapping, {}, length);
        }
}

TEST(VectorMappings, SpecialNumbersAreKept) {
  const VectorMapping mapping{.lanes = 8, .rows = 3, .vectors = 2, .unroll = 2, .packs = true};
  VectorMapping in_place = mapping;
  in_place.packs = false;
  for (const VectorMapping& each : {mapping, in_place})
    for (std::uint32_t seed : {1u, 2u, 3u})
      expect_right(library("gemm"), {{"M", 7}, {"N", 19}, {"K", 5}}, each, {.fill = Fill::Special, .seed = seed});
}

TEST(VectorMappings, Orientations) {
  for (const char* name : {"gemm_nt", "gemm_tn", "gemm_tt"})
    for (const bool swaps : {false, true}) {
      const VectorMapping mapping{
          .lanes = 4, .rows = 3, .vectors = 2, .unroll = 2, .swaps = swaps, .packs = true, .group = 2};
      expect_right(library(name), {{"M", 10}, {"N", 21}, {"K", 9}}, mapping, {}, 2);
    }
}

TEST(VectorMappings, StridedAndTransposedBuffers) {
  const Numbers sizes{{"M", 9}, {"N", 14}, {"K", 6}};
  for (const bool swaps : {false, true}) {
    const VectorMapping mapping{.lanes = 4, .rows = 4, .vectors = 2, .unroll = 1, .swaps = swaps, .packs = true};
    expect_right(library("gemm"), sizes, mapping, {.strides = {{"C", {1, 11}}}});
    expect_right(library("gemm"), sizes, mapping, {.strides = {{"A", {19, 2}}, {"B", {31, 2}}, {"C", {40, 2}}}});
    expect_right(library("gemm"), sizes, mapping, {.strides = {{"A", {-6, 1}}, {"B", {0, 1}}}});
  }
}

TEST(VectorMappings, BatchesHaveTheirOwnOperands) {
  const VectorMapping mapping{.lanes = 4, .rows = 3, .vectors = 1, .unroll = 1, .packs = true, .group = 2};
  for (std::int64_t length : {0, 1, 4})
    expect_right(library("batched_gemm"), {{"G", 3}, {"M", 5}, {"N", 10}, {"K", 4}}, mapping, {}, length);
}

TEST(VectorMappings, EpiloguesRunOnTheSums) {
  const VectorMapping mapping{.lanes = 4, .rows = 3, .vectors = 2, .unroll = 1, .packs = true};
  VectorMapping in_place = mapping;
  in_place.packs = false;
  for (const VectorMapping& each : {mapping, in_place})
    for (const char* name : {"gemm_bias_relu", "gemm_alpha_beta"})
      for (std::uint32_t seed : {1u, 5u})
        expect_right(library(name), {{"M", 7}, {"N", 13}, {"K", 4}}, each, {.fill = Fill::Special, .seed = seed});
}

TEST(VectorMappings, NarrowElementsAreWidenedAndRoundedOnce) {
  const VectorMapping mapping{.lanes = 4, .rows = 3, .vectors = 2, .unroll = 2, .packs = true};
  VectorMapping in_place = mapping;
  in_place.packs = false;
  for (const VectorMapping& each : {mapping, in_place})
    for (const DataType type : {DataType::F16, DataType::BF16})
      for (const char* name : {"gemm", "gemm_bias_relu"})
        expect_right(library(name), {{"M", 7}, {"N", 13}, {"K", 6}}, each, {.types = {{"T", type}}});
}

constexpr const char* kLoadedStart = R"(program p(M, N, K; BM: {4} = 4, BN: {8} = 8, BK: {2} = 2) {
  in A: f32[M, K]
  in B: f32[K, N]
  in D: f32[M, N]
  in row: f32[M]
  in scale: f32 = 0.5
  inout C: f32[M, N]
  out E: f32[M, N]
  parallel j in ceildiv(N, BN), i in ceildiv(M, BM) {
    old[m: BM, n: BN] = C[i*BM + m, j*BN + n]
    acc = old * scale
    serial s in ceildiv(K, BK) {
      a[m, k: BK] = A[i*BM + m, s*BK + k]
      b[k, n] = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc)
    }
    r[m] = row[i*BM + m]
    d[m, n] = D[i*BM + m, j*BN + n]
    place[m, n] = f32(i*BM + m) - 2.0 * f32(j*BN + n)
    C[i*BM + m, j*BN + n] = select(d > 0.0, acc + r, acc - place)
    E[i*BM + m, j*BN + n] = d * acc
  }
})";

TEST(VectorMappings, AccumulatorsMayStartFromMemoryAndFeedSeveralOutputs) {
  for (const bool packs : {false, true})
    for (std::int64_t length : {0, 1}) {
      const VectorMapping mapping{.lanes = 4, .rows = 3, .vectors = 2, .unroll = 1, .packs = packs};
      expect_right(kLoadedStart, {{"M", 10}, {"N", 19}, {"K", 5}}, mapping, {}, length);
    }
}

TEST(VectorMappings, LanesAlongTheDepthStayWithinTheBounds) {
  const std::string program = library("gemm_nt");
  for (const auto& [m, n, k] : kSizes)
    for (const auto& [rows, columns] : {std::pair<int, int>{1, 1}, {3, 2}, {2, 4}})
      for (const bool swaps : {false, true}) {
        const VectorMapping mapping{
            .lanes = 4, .rows = rows, .vectors = columns, .unroll = 1, .swaps = swaps, .depth_lanes = true};
        const auto bound = bound_program(program, {{"M", m}, {"N", n}, {"K", k}});
        ASSERT_TRUE(bound);
        CaseOptions options;
        options.lower = [&](const tile::Program& each, const LaunchLayout& layout) {
          return lower_by(mapping, each, layout);
        };
        options.range_length = rows;
        EXPECT_TRUE(expect_results_within_bounds(*bound, options));
      }
}

}  // namespace
}  // namespace tilewright::lower::vector_mappings_test
