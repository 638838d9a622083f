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

/// The last step begins where K ends, at every size but the least: no corner shows it.
TEST(ExtentBounded, AnOriginAtTheVeryEnd) {
  const auto of_extent = [](const std::string& extent) {
    return answer(matrix_program(product_text({{"A: f32[M, K]", "A: f32[M, " + extent + "]"},
                                               {"B: f32[K, N]", "B: f32[" + extent + ", N]"},
                                               {"s in ceildiv(K, 4)", "s in K"},
                                               {kOperandA, "a[m, k] = A[i*8 + m, s + k]"},
                                               {kOperandB, "b[k, n] = B[s + k, j*8 + n]"}}),
                                 {}),
                  BoundedMn::kId);
  };
  EXPECT_EQ(of_extent("max(K, 1)"), "proved");
  EXPECT_EQ(of_extent("max(K - 1, 1)"), BoundedMn::kOriginPastEnd);
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

/// The load of A under other names, and relabellings to the axes of the product.
Changes renamed(const std::string& load, const std::string& relabels, const std::string& axes = "k: 4, q: 4, r: 8") {
  return {{"k: 4", axes}, {kOperandA, load + "\n      " + relabels}};
}

TEST(ExtentBounded, ThroughRelabellings) {
  const Changes chain = renamed("x[r, q] = A[i*8 + r, s*4 + q]", "y = relabel(x, q: k)\n      a = relabel(y, r: m)");
  EXPECT_EQ(bounded_mn(chain), "proved");
  EXPECT_EQ(bounded_k(chain), "proved");
  EXPECT_EQ(answer(matrix_program(product_text(chain), {}), BoundedMn::kId), "proved");
  const auto findings = ask_family(matrix_program(product_text(chain)), BoundedMn::kId);
  ASSERT_EQ(findings.size(), 1u);
  const std::string text = print_certificate(*findings[0].certificate);
  for (const char* line : {"a load A[i*8 + r, s*4 + q] relabelled r: m, q: k\n", "a_length 10 - (s*4 + q at q = 0)\n",
                           "b load B[s*4 + k, j*8 + n]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(ExtentBounded, RelabellingsThatExchangeAxes) {
  const Changes square{
      {"k: 4", "k: 8"}, {"ceildiv(K, 4)", "ceildiv(K, 8)"}, {kOperandB, "b[k, n] = B[s*8 + k, j*8 + n]"}};
  const auto exchanged = [&](const std::string& load) {
    Changes changes = square;
    changes.push_back({kOperandA, load + "\n      a[m, k] = x[k, m]"});
    return bounded_mn(changes);
  };
  EXPECT_EQ(exchanged("x[m, k] = A[i*8 + k, s*8 + m]"), "proved");
  EXPECT_EQ(exchanged("x[m, k] = A[i*8 + m, s*8 + k]"), BoundedMn::kLengthsDiffer);
}

TEST(ExtentBounded, BoundariesBehindRelabellings) {
  const auto shifted = [](const std::string& by, const std::string& by_b) {
    Changes changes = renamed("x[m, q] = A[i*8 + m, s*4 + q" + by + "]", "a = relabel(x, q: k)");
    changes.push_back({kOperandB, "b[k, n] = B[s*4 + k" + by_b + ", j*8 + n]"});
    return bounded_mn(changes);
  };
  EXPECT_EQ(shifted(" + 1", " + 1"), "proved");
  EXPECT_EQ(shifted(" + 1", ""), BoundedMn::kLengthsDiffer);
  EXPECT_EQ(shifted(" + 2", " + 2"), BoundedMn::kOriginPastEnd);
  EXPECT_EQ(shifted(" - 1", " - 1"), BoundedMn::kOriginBelowZero);
  EXPECT_EQ(
      bounded_k(renamed("x[r, k] = A[i*8 + r, s*4 + k]", "a = relabel(x, r: m)"), {{"M", 15}, {"N", 8}, {"K", 10}}),
      BoundedK::kOuterOutside);
}

TEST(ExtentBounded, LengthsOfRelabelledOperandsBySets) {
  // Equal lengths that no affine form shows: each is asked about with an axis of its own.
  Changes changes = renamed("x[m, q] = A[i*8 + m, s*4 + q]", "a = relabel(x, q: k)");
  changes.push_back({"B: f32[K, N]", "B: f32[(K*2)/2, N]"});
  EXPECT_EQ(answer(matrix_program(product_text(changes), {}), BoundedMn::kId), "proved");
  changes.back().second = "B: f32[(K*2 + 1)/2 + 1, N]";
  EXPECT_EQ(answer(matrix_program(product_text(changes), {}), BoundedMn::kId), BoundedMn::kLengthsDiffer);
  changes.back() = {"A: f32[M, K]", "A: f32[M, (K*2 + 1)/2 + 1]"};
  EXPECT_EQ(answer(matrix_program(product_text(changes), {}), BoundedMn::kId), BoundedMn::kLengthsDiffer);
}

TEST(ExtentBounded, WhatChangesNothingIsLookedThrough) {
  EXPECT_EQ(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + min(m, 7), s*4 + k % 4]"}}), "proved");
  EXPECT_NE(bounded_mn({{kOperandA, "a[m, k] = A[i*8 + min(m, 6), s*4 + k % 4]"}}), "proved");
}

TEST(ExtentBounded, OtherReindexesAreNoRelabellings) {
  EXPECT_EQ(bounded_mn(renamed("x[m, q] = A[i*8 + m, s*4 + q]", "a[m, k] = x[m, 3 - k]")), BoundedMn::kNotALoad);
  EXPECT_EQ(bounded_mn(renamed("x[m, q] = A[i*8 + m, s*4 + q]", "a[m, k] = x[m, k + 1]", "k: 4, q: 5")),
            BoundedMn::kNotALoad);
  EXPECT_EQ(bounded_mn(renamed("x[m, q] = A[i*8 + m, s*4 + q]", "a = relabel(x, q: k)\n      D[i*8 + m, q] = x")),
            BoundedMn::kNotForwardable);
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
