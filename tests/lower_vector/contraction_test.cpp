// Which launches are contractions, and why the others are not.
#include "realize/contraction.h"

#include <gtest/gtest.h>

#include "lower/lowering_case.h"
#include "support/files.h"

namespace tilewright::realize::contraction_test {
namespace {

using lower::testing::bound_program;
using lower::testing::Numbers;

std::expected<Contraction, Refusal> facts_of(const std::string& text, const Numbers& sizes, std::uint32_t launch = 0) {
  const auto bound = bound_program(text, sizes);
  if (!bound) return std::unexpected(Refusal{"unbound", "it does not bind"});
  const proof::Subject subject = proof::make_subject(*bound, proof::launch_assumptions(/*noalias=*/true));
  return contraction(subject, launch, sets::Context());
}

std::string library(const std::string& name) {
  return read_file(TILEWRIGHT_SOURCE_DIR "/programs/" + name + ".tile").value();
}

TEST(Contraction, JoinsTilesToOneMatrix) {
  const auto facts = facts_of(library("gemm"), {{"M", 100}, {"N", 70}, {"K", 33}});
  ASSERT_TRUE(facts) << refusal_text(facts.error());
  EXPECT_EQ(facts->row.extent, 100);
  EXPECT_EQ(facts->row.tile, 64);
  EXPECT_EQ(facts->column.extent, 70);
  EXPECT_EQ(facts->depth.extent, 33);
  EXPECT_EQ(facts->batch_count, 1);
  EXPECT_TRUE(facts->closed.has_value());
  EXPECT_EQ(facts->forwardable.size(), 2u);
  EXPECT_EQ(facts->covers.size(), 1u);
}

TEST(Contraction, EveryMatrixProgramOfTheLibraryIsOne) {
  for (const char* name :
       {"gemm", "gemm_nt", "gemm_tn", "gemm_tt", "gemm_alpha_beta", "gemm_bias_relu", "gemm_bias_gelu"})
    EXPECT_TRUE(facts_of(library(name), {{"M", 9}, {"N", 130}, {"K", 40}})) << name;
  EXPECT_EQ(facts_of(library("batched_gemm"), {{"G", 6}, {"M", 9}, {"N", 13}, {"K", 4}})->batch_count, 6);
  for (std::uint32_t launch : {0u, 1u})
    EXPECT_TRUE(facts_of(library("mlp"), {{"N", 20}, {"D", 8}, {"H", 12}, {"C", 5}}, launch));
}

std::string program_with(const std::string& body) {
  return R"(program p(M, N, K; BM: {4} = 4, BN: {8} = 8, BK: {2} = 2) {
  in A: f32[M, K]
  in B: f32[K, N]
  in W: f32[M, N]
  inout D: f32[N, M]
  inout C: f32[M, N]
  parallel i in ceildiv(M, BM), j in ceildiv(N, BN) {
    axis m: BM, n: BN, k: BK
)" + body +
         "  }\n}";
}

constexpr const char* kProduct = R"(    acc[m, n] = 0.0
    serial s in ceildiv(K, BK) {
      a[m, k] = A[i*BM + m, s*BK + k]
      b[k, n] = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc)
    }
)";

constexpr const char* kStore = "    C[i*BM + m, j*BN + n] = acc\n";

std::string code_of(const std::string& body, const Numbers& sizes = {{"M", 10}, {"N", 20}, {"K", 6}}) {
  const auto facts = facts_of(program_with(body), sizes);
  return facts ? std::string("taken") : std::string(facts.error().code);
}

TEST(Contraction, RefusalsSayWhatStandsInTheWay) {
  using Codes = ContractionCodes;
  const std::string product = kProduct, store = kStore;
  EXPECT_EQ(code_of(product + store), "taken");
  EXPECT_EQ(code_of("    w[m, n] = W[i*BM + m, j*BN + n]\n    C[i*BM + m, j*BN + n] = w\n"), Codes::kNoProduct);
  EXPECT_EQ(code_of(product + "    t[m] = sum(acc, n)\n    C[i*BM + m, j*BN + n] = acc + t\n"), Codes::kNotAlone);
  // A tile that knows where it begins is no part of one matrix.
  EXPECT_EQ(code_of(product + "    t[m, n] = f32(m)\n    C[i*BM + m, j*BN + n] = acc + t\n"), Codes::kNotJoint);
  // Read where another element is written, and read after it was written.
  EXPECT_EQ(code_of(product + "    w[m, n] = C[j*BN + n, i*BM + m]\n    C[i*BM + m, j*BN + n] = acc + w\n"),
            Codes::kSourceWritten);
  EXPECT_EQ(code_of(product + store + "    w[m, n] = C[i*BM + m, j*BN + n]\n    D[j*BN + n, i*BM + m] = w\n"),
            Codes::kSourceWritten);
  EXPECT_EQ(code_of(product + "    w[m, n] = C[i*BM + m, j*BN + n]\n" + "    C[i*BM + m, j*BN + n] = acc + w\n"),
            "taken");
  EXPECT_EQ(code_of(product + store + "    D[j*BN + n, i*BM + m] = acc\n"), "taken");
  // Rows of the output that no program has.
  EXPECT_EQ(code_of(product + "    C[2*i*BM + m, j*BN + n] = acc\n"), Codes::kNotJoint);
  EXPECT_EQ(code_of(product + "    C[i*BM + m + 1, j*BN + n] = acc\n"), Codes::kNotJoint);
  EXPECT_EQ(code_of(product + "    if M > 3 {\n      C[i*BM + m, j*BN + n] = acc\n    }\n"), Codes::kNotAlone);
}

TEST(Contraction, OperandsEndTogether) {
  using Codes = ContractionCodes;
  const auto with = [](const std::string& a, const std::string& b) {
    return "    acc[m, n] = 0.0\n    serial s in ceildiv(K, BK) {\n      a[m, k] = " + a + "\n      b[k, n] = " + b +
           "\n      acc = mma(a, b, acc)\n    }\n" + kStore;
  };
  EXPECT_EQ(code_of(with("A[i*BM + m, s*BK + k]", "B[s*BK + k, j*BN + n]")), "taken");
  // W has N columns: beyond K they are numbers, which meet the padding of the other side.
  EXPECT_EQ(code_of(with("W[i*BM + m, s*BK + k]", "B[s*BK + k, j*BN + n]"), {{"M", 10}, {"N", 20}, {"K", 5}}),
            Codes::kOperandEnds);
  // Rows of B stand for rows of the product and end before it does.
  EXPECT_EQ(code_of(with("B[i*BM + m, s*BK + k]", "B[s*BK + k, j*BN + n]")), Codes::kOperandEnds);
  EXPECT_EQ(code_of(with("A[i*BM + m, s*BK + k] * 2.0", "B[s*BK + k, j*BN + n]")), Codes::kNotAlone);
  EXPECT_EQ(code_of(with("C[i*BM + m, s*BK + k]", "B[s*BK + k, j*BN + n]")), Codes::kOperand);
  EXPECT_EQ(code_of(with("A[i*BM + m, s*BK + k + 1]", "B[s*BK + k, j*BN + n]")), Codes::kNotJoint);
  EXPECT_EQ(code_of(with("A[i*BM + m, 2*s*BK + k]", "B[s*BK + k, j*BN + n]")), Codes::kNotJoint);
}

TEST(Contraction, SeveralProductsAndOpenCarriesAreNone) {
  using Codes = ContractionCodes;
  const std::string product = kProduct;
  EXPECT_EQ(code_of(product + product + kStore), Codes::kNoProduct);
  EXPECT_EQ(code_of(R"(    acc[m, n] = 0.0
    serial s in ceildiv(K, BK) {
      a[m, k] = A[i*BM + m, s*BK + k]
      b[k, n] = B[s*BK + k, j*BN + n]
      acc = mma(a, b, acc) * 0.5
    }
)" + std::string(kStore)),
            Codes::kRecurrence);
}

}  // namespace
}  // namespace tilewright::realize::contraction_test
