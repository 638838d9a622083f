// Products in rectangles of vector registers give the interpreter's bits on every kind of processor that the host can
// be.
#include <gtest/gtest.h>

#include <string>

#include "emit_llvm/differential.h"
#include "kernel/builder.h"
#include "lower/launch_buffers.h"
#include "lower/vector/vector_lowering.h"
#include "realize/contraction.h"
#include "support/files.h"
#include "tile/bind.h"
#include "tile/parser.h"

namespace tilewright::emit_llvm {
namespace {

using realize::VectorMapping;

kernel::Program product(const std::string& name, const std::map<std::string, DataType>& types,
                        const VectorMapping& mapping) {
  const std::string text = read_file(TILEWRIGHT_SOURCE_DIR "/programs/" + name + ".tile").value();
  const auto family = tile::parse_program(text, name);
  const auto bound = tile::bind(*family, {{{"M", 13}, {"N", 37}, {"K", 21}}, types}).value();
  const proof::Subject subject = proof::make_subject(bound, proof::launch_assumptions(/*noalias=*/true));
  const auto facts = realize::contraction(subject, 0, sets::Context());
  EXPECT_TRUE(facts);
  kernel::Builder builder(name);
  auto objects = lower::declare_buffers(bound, {}, builder).value();
  lower::lower_contraction(bound, *facts, mapping, "product", builder, objects);
  return builder.finish();
}

void expect_same_bits(const std::string& name, const std::map<std::string, DataType>& types,
                      const VectorMapping& mapping) {
  SCOPED_TRACE(::testing::Message() << name << ", lanes " << mapping.lanes << ", packs " << mapping.packs);
  const kernel::Program program = product(name, types, mapping);
  for (const std::uint64_t seed : {1, 2}) {
    Arena arena(program);
    arena.fill(seed);
    expect_agreement(program, arena);
  }
}

TEST(VectorProducts, EveryVectorWidthOnEveryProcessor) {
  for (const std::int64_t lanes : {4, 8, 16})
    for (const bool packs : {false, true}) {
      const VectorMapping mapping{
          .lanes = lanes, .rows = 3, .vectors = 2, .unroll = 2, .packs = packs, .group = 2, .fetch_ahead = 16};
      expect_same_bits("gemm", {}, mapping);
    }
}

TEST(VectorProducts, PassesAndLanesAlongTheDepth) {
  expect_same_bits("gemm", {}, {.lanes = 8, .rows = 4, .vectors = 2, .unroll = 2, .packs = true, .pass = 8});
  expect_same_bits("gemm_nt", {}, {.lanes = 8, .rows = 2, .vectors = 3, .unroll = 1, .depth_lanes = true});
}

TEST(VectorProducts, EpiloguesAndNarrowElements) {
  const VectorMapping mapping{.lanes = 16, .rows = 4, .vectors = 1, .unroll = 1, .packs = true};
  expect_same_bits("gemm_bias_relu", {}, mapping);
  expect_same_bits("gemm_alpha_beta", {}, mapping);
  for (const DataType type : {DataType::F16, DataType::BF16})
    expect_same_bits("gemm_bias_relu", {{"T", type}}, mapping);
}

}  // namespace
}  // namespace tilewright::emit_llvm
