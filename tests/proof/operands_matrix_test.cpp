// operands.congruent: proved, and refused with each code.
#include <gtest/gtest.h>

#include "proof/matrix_cases.h"
#include "proof/operands_congruent.h"

namespace tilewright::proof {
namespace {

using Congruent = OperandsCongruent;

constexpr const char* kPlainStore = "C[i*8 + m, j*8 + n] = acc";

std::string congruence(Changes changes, const std::string& stored, const Assumptions& assumptions = noalias(),
                       const Numbers& numbers = kRagged) {
  changes.push_back({kPlainStore, stored});
  return answer(matrix_program(product_text(changes), numbers), Congruent::kId, assumptions);
}
std::string with_operand(const std::string& operand, const std::string& declared = "bias: f32[N]") {
  return congruence({{"bias: f32[N]", declared}}, "C[i*8 + m, j*8 + n] = acc + " + operand);
}

TEST(OperandsCongruent, BiasResidualAndOldOutput) {
  EXPECT_EQ(with_operand("bias[j*8 + n]"), "proved");
  EXPECT_EQ(with_operand("bias[i*8 + m]", "bias: f32[M]"), "proved");
  EXPECT_EQ(with_operand("bias[i*8 + m, j*8 + n]", "bias: f32[M, N]"), "proved");
  EXPECT_EQ(with_operand("bias[j*8 + n, i*8 + m]", "bias: f32[N, M]"), "proved");
  EXPECT_EQ(with_operand("f32(bias[j*8 + n]) * tanh(bias[j*8 + n])"), "proved");
  EXPECT_EQ(congruence({{"out C", "inout C"}}, "C[i*8 + m, j*8 + n] = acc + C[i*8 + m, j*8 + n]"), "proved");
}

/// Whoever stores an element may only read where the output has one.
TEST(OperandsCongruent, Bounds) {
  EXPECT_EQ(with_operand("bias[j*8 + n]", "bias: f32[N + 1]"), "proved");
  EXPECT_EQ(with_operand("bias[j*8 + n]", "bias: f32[N - 1]"), Congruent::kOutside);
  EXPECT_EQ(with_operand("bias[j*8 + n + 1]", "bias: f32[N]"), Congruent::kOutside);
  EXPECT_EQ(with_operand("bias[j*8 + n + 1]", "bias: f32[N + 9]"), "proved");
  EXPECT_EQ(with_operand("bias[i, j*8 + n]", "bias: f32[2, N]"), "proved");
  EXPECT_EQ(with_operand("bias[i, j*8 + n]", "bias: f32[1, N]"), Congruent::kOutside);
}

TEST(OperandsCongruent, Coordinates) {
  EXPECT_EQ(with_operand("bias[j*8 + 2*n]", "bias: f32[4*N]"), Congruent::kNotProjected);
  EXPECT_EQ(with_operand("bias[m + n]", "bias: f32[16]"), Congruent::kNotProjected);
  EXPECT_EQ(with_operand("sum(bias[m, n, k], k)", "bias: f32[8, 8, 4]"), Congruent::kOtherAxes);
  EXPECT_EQ(with_operand("bias[(m * m) % 8]", "bias: f32[8]"), Congruent::kNotAffine);
}

TEST(OperandsCongruent, WhatMayChange) {
  EXPECT_EQ(congruence({}, "C[i*8 + m, j*8 + n] = acc", noalias()), "");
  EXPECT_EQ(congruence({}, "C[i*8 + m, j*8 + n] = acc + bias[j*8 + n]", {}), Congruent::kAliasing);
  EXPECT_EQ(congruence({{"out C", "inout C"}}, "C[i*8 + m, j*8 + n] = acc + C[i*8 + n, j*8 + m]"), Congruent::kWritten);
  EXPECT_EQ(congruence({{"in bias", "inout bias"}}, "C[i*8 + m, j*8 + n] = acc + bias[j*8 + n]\n    bias[j] = 0.0"),
            Congruent::kWritten);
  EXPECT_EQ(congruence({}, "C[i*8 + m, j*8 + n] = acc + bias[j*8 + n]\n    opaque \"f\"(acc)"), Congruent::kOpaque);
  EXPECT_EQ(congruence({}, "barrier group\n    C[i*8 + m, j*8 + n] = acc + bias[j*8 + n]"), Congruent::kBarrier);
  EXPECT_EQ(congruence({{"acc[m, n] = 0.0", "memory S: f32[8, 8]\n    S[m, n] = 1.0\n    acc[m, n] = 0.0"}},
                       "C[i*8 + m, j*8 + n] = acc + S[m, n]"),
            Congruent::kMemory);
}

TEST(OperandsCongruent, ALoadElsewhere) {
  EXPECT_EQ(congruence({}, "r[n] = bias[j*8 + n]\n    if i == 0 {\n      C[i*8 + m, j*8 + n] = acc + r\n    }"),
            Congruent::kOtherBlock);
}

TEST(OperandsCongruent, NoOperand) {
  const tile::Program program = matrix_program(product_text());
  const Subject subject = make_subject(program, noalias());
  const auto verdict = prove_operands_congruent(subject, subject.accesses.all.back().op);
  EXPECT_EQ(std::get<Refuted>(verdict).code, Congruent::kNone);
}

}  // namespace
}  // namespace tilewright::proof
