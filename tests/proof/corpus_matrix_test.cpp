// Expected verdicts of all matrix families on programs of the library.
#include <gtest/gtest.h>

#include "proof/matrix_cases.h"

namespace tilewright::proof {
namespace {

std::string all_answers(const tile::Program& program) {
  std::string text;
  for (const char* family :
       {"load.forwardable", "recurrence.closed", "output.direct", "overwrite.allowed", "extent.bounded_k",
        "extent.bounded_mn", "epilogue.same_owner", "operands.congruent", "store.bounded_prefix"}) {
    const std::string said = answers(program, family);
    // Without an operand nothing is asked about it.
    if (!said.empty() || std::string_view(family) != "operands.congruent")
      text += std::string(family) + ": " + said + "\n";
  }
  return text;
}

TEST(MatrixCorpus, Gemm) {
  EXPECT_EQ(all_answers(library_program("gemm", {{"M", 65}, {"N", 63}, {"K", 70}})),
            "load.forwardable: proved proved\nrecurrence.closed: proved\noutput.direct: proved\n"
            "overwrite.allowed: trips_not_one\nextent.bounded_k: outer_outside\nextent.bounded_mn: proved\n"
            "epilogue.same_owner: proved\nstore.bounded_prefix: proved\n");
  EXPECT_EQ(all_answers(library_program("gemm", {{"M", 64}, {"N", 128}, {"K", 31}})),
            "load.forwardable: proved proved\nrecurrence.closed: proved\noutput.direct: proved\n"
            "overwrite.allowed: proved\nextent.bounded_k: proved\nextent.bounded_mn: proved\n"
            "epilogue.same_owner: proved\nstore.bounded_prefix: proved\n");
}

TEST(MatrixCorpus, GemmOfAllSizes) {
  EXPECT_EQ(all_answers(library_program("gemm", {})),
            "load.forwardable: proved proved\nrecurrence.closed: proved\noutput.direct: proved\n"
            "overwrite.allowed: trips_open\nextent.bounded_k: outer_outside\nextent.bounded_mn: proved\n"
            "epilogue.same_owner: proved\nstore.bounded_prefix: proved\n");
}

TEST(MatrixCorpus, GemmBiasRelu) {
  EXPECT_EQ(all_answers(library_program("gemm_bias_relu", {{"M", 65}, {"N", 63}, {"K", 70}})),
            "load.forwardable: proved proved\nrecurrence.closed: proved\noutput.direct: computed\n"
            "overwrite.allowed: trips_not_one\nextent.bounded_k: outer_outside\nextent.bounded_mn: proved\n"
            "epilogue.same_owner: proved\noperands.congruent: proved\nstore.bounded_prefix: proved\n");
}

TEST(MatrixCorpus, Mlp) {
  EXPECT_EQ(
      all_answers(library_program("mlp", {{"N", 33}, {"D", 20}, {"H", 40}, {"C", 7}})),
      "load.forwardable: proved proved proved proved\nrecurrence.closed: proved proved\n"
      "output.direct: computed computed\noverwrite.allowed: proved trips_not_one\n"
      "extent.bounded_k: outer_outside outer_outside\nextent.bounded_mn: proved proved\n"
      "epilogue.same_owner: proved proved\noperands.congruent: proved proved\nstore.bounded_prefix: proved proved\n");
}

TEST(MatrixCorpus, Attention) {
  EXPECT_EQ(
      all_answers(library_program(
          "attention", {{"B", 2}, {"Hq", 4}, {"Hkv", 2}, {"Lq", 40}, {"Lk", 50}, {"D", 8}, {"Dv", 8}, {"causal", 1}})),
      "load.forwardable: proved proved proved\nrecurrence.closed: not_yielded accumulator_differs\n"
      "output.direct: not_closed not_closed\noverwrite.allowed: proved not_literal\n"
      "extent.bounded_k: outer_outside not_a_load\nextent.bounded_mn: proved not_a_load\n"
      "epilogue.same_owner: not_closed\nstore.bounded_prefix: proved\n");
}

TEST(MatrixCorpus, AttentionOfAllSizes) {
  EXPECT_EQ(all_answers(library_program("attention", {})),
            "load.forwardable: proved proved proved\nrecurrence.closed: not_yielded accumulator_differs\n"
            "output.direct: not_closed not_closed\noverwrite.allowed: proved not_literal\n"
            "extent.bounded_k: not_affine not_a_load\nextent.bounded_mn: not_affine not_a_load\n"
            "epilogue.same_owner: not_closed\nstore.bounded_prefix: proved\n");
}

TEST(MatrixCorpus, SwiGluHasNoMma) {
  EXPECT_EQ(all_answers(library_program("swiglu", {{"N", 9}, {"C", 130}})),
            "load.forwardable: \nrecurrence.closed: \noutput.direct: \noverwrite.allowed: \nextent.bounded_k: \n"
            "extent.bounded_mn: \nepilogue.same_owner: \nstore.bounded_prefix: proved\n");
}

}  // namespace
}  // namespace tilewright::proof
