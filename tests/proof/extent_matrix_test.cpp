// extent.bounded_k and extent.bounded_mn: proved at fixed and open sizes, refused with each code, and boundaries.
#include <gtest/gtest.h>

#include "proof/extent_bounded.h"
#include "proof/matrix_cases.h"

namespace tilewright::proof {
namespace {

using BoundedK = ExtentBoundedK;
using BoundedMn = ExtentBoundedMn;

constexpr const char* kOperandA = "a[m, k] = A[i*8 + m, s*4 + k]";
constexpr const char* kOperandB = "b[k, n] = B[s*4 + k, j*8 + n]";
const Numbers kWhole{{"M", 16}, {"N", 8}, {"K", 10}};

std::string bounded_k(const Changes& changes, const Numbers& numbers = kWhole) {
  return answer(matrix_program(product_text(changes), numbers), BoundedK::kId);
}
std::string bounded_mn(const Changes& changes, const Numbers& numbers = kRagged) {
  return answer(matrix_program(product_text(changes), numbers), BoundedMn::kId);
}

TEST(ExtentBounded, WholeAndRaggedTiles) {
  EXPECT_EQ(bounded_k({}), "proved");
  EXPECT_EQ(bounded_k({}, {{"M", 15}, {"N", 8}, {"K", 10}}), BoundedK::kOuterOutside);
  EXPECT_EQ(bounded_k({}, {{"M", 16}, {"N", 9}, {"K", 10}}), BoundedK::kOuterOutside);
  EXPECT_EQ(bounded_mn({}), "proved");
  EXPECT_EQ(bounded_mn({}, kWhole), "proved");
}

TEST(ExtentBounded, OpenSizes) {
  const tile::Program open = matrix_program(product_text(), {});
  EXPECT_EQ(answer(open, BoundedMn::kId), "proved");
  EXPECT_EQ(answer(open, BoundedK::kId), BoundedK::kOuterOutside);
}

TEST(ExtentBounded, BothAreTransposed) {
  EXPECT_EQ(bounded_mn({{"A: f32[M, K]", "A: f32[K, M]"},
                        {"B: f32[K, N]", "B: f32[N, K]"},
                        {kOperandA, "a[m, k] = A[s*4 + k, i*8 + m]"},
                        {kOperandB, "b[k, n] = B[j*8 + n, s*4 + k]"}}),
            "proved");
}

TEST(ExtentBounded, BoundaryOfTheOriginOfK) {
  const auto shifted = [](const std::string& by) {
    return bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k" + by + "]"},
                       {kOperandB, "b[k, n] = B[s*4 + k" + by + ", j*8 + n]"}},
                      {{"M", 13}, {"N", 11}, {"K", 10}});
  };
  EXPECT_EQ(shifted(" + 1"), "proved");
  EXPECT_EQ(shifted(" + 2"), BoundedMn::kOriginPastEnd);
  EXPECT_EQ(shifted(" - 1"), BoundedMn::kOriginBelowZero);
}

TEST(ExtentBounded, Outer) {
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m - 1, s*4 + k]"}}), BoundedMn::kOriginBelowZero);
  EXPECT_EQ(bounded_k({{kOperandA, "a[m, k] = A[i*8 + m - 1, s*4 + k]"}}), BoundedK::kOuterOutside);
  const Changes batched{{"A: f32[M, K]", "A: f32[2, M, K]"}, {kOperandA, "a[m, k] = A[i, i*8 + m, s*4 + k]"}};
  EXPECT_EQ(bounded_mn(batched), "proved");
  EXPECT_EQ(bounded_mn(batched, {{"M", 17}, {"N", 8}, {"K", 8}}), BoundedMn::kFixedOutside);
}

TEST(ExtentBounded, LengthsOfAAndB) {
  EXPECT_EQ(bounded_mn({{"B: f32[K, N]", "B: f32[K + 1, N]"}}), BoundedMn::kLengthsDiffer);
  EXPECT_EQ(bounded_mn({{"B: f32[K, N]", "B: f32[K + 1, N]"}, {kOperandB, "b[k, n] = B[s*4 + k + 1, j*8 + n]"}}),
            "proved");
  EXPECT_EQ(bounded_mn({{kOperandB, "b[k, n] = B[s*3 + k, j*8 + n]"}}), BoundedMn::kLengthsDiffer);
}

TEST(ExtentBounded, Structure) {
  EXPECT_EQ(bounded_mn({{"acc = mma(a, b, acc)", "acc = mma(a * 2.0, b, acc)"}}), BoundedMn::kNotALoad);
  EXPECT_EQ(bounded_mn({{"acc = mma(a, b, acc)", "acc = mma(a, b, acc, ordered)"}}), BoundedMn::kNotForwardable);
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k] else 1.0"}}), BoundedMn::kNotForwardable);
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k] assume"}}), BoundedMn::kAssumed);
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k*2]"}}), BoundedMn::kNotProjected);
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k + m]"}}), BoundedMn::kNotProjected);
  const auto findings = ask_family(matrix_program(product_text()), BoundedMn::kId, {});
  EXPECT_EQ(findings.at(0).kind, Finding::Kind::Unknown);
  EXPECT_EQ(findings.at(0).code, BoundedMn::kNotForwardable);
}

TEST(ExtentBounded, TwoContractionAxes) {
  EXPECT_EQ(bounded_mn({{"k: 4", "k: 4, q: 2"},
                        {"A: f32[M, K]", "A: f32[M, K, 2]"},
                        {"B: f32[K, N]", "B: f32[K, 2, N]"},
                        {kOperandA, "a[m, k, q] = A[i*8 + m, s*4 + k, q]"},
                        {kOperandB, "b[k, q, n] = B[s*4 + k, q, j*8 + n]"}}),
            BoundedMn::kNotRank2);
}

TEST(ExtentBounded, Unknown) {
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, (s*4) ^ k]"}}), BoundedMn::kNotAffine);
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + m, s*4 + k - 1]"},
                        {kOperandB, "b[k, n] = B[s*4 + k - 1, j*8 + n]"},
                        {"      a[m, k]", "      if s > 0 {\n      a[m, k]"},
                        {"mma(a, b, acc)\n", "mma(a, b, acc)\n      }\n"}}),
            BoundedMn::kConditional);
  EXPECT_EQ(bounded_mn({{"A: f32[M, K]", "A: f32[M*M, M, K]"}, {kOperandA, "a[m, k] = A[i*j, i*8 + m, s*4 + k]"}}, {}),
            BoundedMn::kNoSets);
}

}  // namespace
}  // namespace tilewright::proof
