// recurrence.closed: proved, refused with each code, and the boundary of no iteration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proof/matrix_cases.h"
#include "proof/recurrence_closed.h"

namespace tilewright::proof {
namespace {

using Closed = RecurrenceClosed;

std::string closed(const Changes& changes, const Numbers& numbers = kRagged) {
  return answer(matrix_program(product_text(changes), numbers), Closed::kId);
}

TEST(RecurrenceClosed, SerialAndPipeline) {
  EXPECT_EQ(closed({}), "proved");
  EXPECT_EQ(closed({{"serial", "pipeline"}}), "proved");
  EXPECT_EQ(closed({{"acc[m, n] = 0.0", "acc[m, n] = D[i*8 + m, j*8 + n]"}}), "proved");
}

TEST(RecurrenceClosed, TheCertificateNamesTheUpdate) {
  const auto findings = ask_family(matrix_program(product_text()), Closed::kId);
  ASSERT_EQ(findings.size(), 1u);
  const std::string text = print_certificate(*findings[0].certificate);
  for (const char* line : {"region serial s in 3\n", "axes m in 8, n in 8\n", "trips 3\n", "carry 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(RecurrenceClosed, BoundaryOfNoIteration) {
  EXPECT_EQ(closed({}, {{"M", 8}, {"N", 8}, {"K", 0}}), Closed::kZeroTrip);
  EXPECT_EQ(closed({}, {{"M", 8}, {"N", 8}, {"K", 1}}), "proved");
  const tile::Program open = matrix_program(product_text(), {});
  Assumptions assumptions = noalias();
  EXPECT_EQ(answer(open, Closed::kId, assumptions), "proved");
  assumptions.least_size = 0;
  EXPECT_EQ(answer(open, Closed::kId, assumptions), Closed::kMaybeZeroTrip);
  EXPECT_EQ(closed({{"ceildiv(K, 4)", "i + 1"}}), "proved");
  EXPECT_EQ(closed({{"ceildiv(K, 4)", "i"}}), Closed::kMaybeZeroTrip);
}

TEST(RecurrenceClosed, WhereTheMmaStands) {
  EXPECT_EQ(closed({{"serial s in ceildiv(K, 4) {", "s = 0"}, {"acc = mma(a, b, acc)\n    }", "acc = mma(a, b, acc)"}}),
            Closed::kNoLoop);
  EXPECT_EQ(closed({{"acc = mma(a, b, acc)", "if s == 0 {\n acc = mma(a, b, acc)\n }"}}), Closed::kInBranch);
}

TEST(RecurrenceClosed, WhatTheCarryIs) {
  EXPECT_EQ(closed({{"mma(a, b, acc)", "mma(a, b, acc) * 2.0"}}), Closed::kNotYielded);
  EXPECT_EQ(closed({{"mma(a, b, acc)", "mma(a, b, acc * 2.0)"}}), Closed::kAccumulatorDiffers);
}

TEST(RecurrenceClosed, TheCarryAsOperandOnEitherSide) {
  const Changes left{{"a[m, k] = A[i*8 + m, s*4 + k]", "a[m, q] = relabel(acc, n: q)"},
                     {"b[k, n] = B[s*4 + k, j*8 + n]", "b[q, n] = B[s*8 + q, j*8 + n]"},
                     {"k: 4", "q: 8"}};
  EXPECT_EQ(closed(left), Closed::kCarryIsOperand);
  const Changes right{{"a[m, k] = A[i*8 + m, s*4 + k]", "a[m, q] = A[i*8 + m, s*8 + q]"},
                      {"b[k, n] = B[s*4 + k, j*8 + n]", "b[q, n] = relabel(acc, m: q)"},
                      {"k: 4", "q: 8"}};
  EXPECT_EQ(closed(right), Closed::kCarryIsOperand);
}

TEST(RecurrenceClosed, ObserversAreNamed) {
  const Changes old_value{{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    old[m, n] = 0.0"},
                          {"acc = mma(a, b, acc)", "old = acc\n      acc = mma(a, b, acc)"},
                          {"= acc\n  }", "= acc\n    D[i*8 + m, j*8 + n] = old\n  }"}};
  EXPECT_EQ(closed(old_value), Closed::kCarryObserved);
  const Changes stored{{"acc = mma(a, b, acc)", "acc = mma(a, b, acc)\n      D[i*8 + m, j*8 + n] = acc"}};
  const auto findings = ask_family(matrix_program(product_text(stored)), Closed::kId);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, Closed::kResultObserved);
  EXPECT_EQ(findings[0].kind, Finding::Kind::Refuted);
  EXPECT_NE(findings[0].reason.find("D[i*8 + m, j*8 + n] = acc"), std::string::npos) << findings[0].reason;
}

TEST(RecurrenceClosed, ExplicitMemoryThatObservesTheCarry) {
  EXPECT_EQ(closed({{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    memory S: f32[8, 8]"},
                    {"acc = mma(a, b, acc)", "S[m, n] = acc\n      acc = mma(a, b, acc)"}}),
            Closed::kCarryObserved);
}

TEST(RecurrenceClosed, IndependentProductsShareARegion) {
  const Changes second{{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    two[m, n] = 0.0"},
                       {"acc = mma(a, b, acc)", "acc = mma(a, b, acc)\n      two = mma(a, b, two)"},
                       {"= acc\n  }", "= acc\n    D[i*8 + m, j*8 + n] = two\n  }"}};
  EXPECT_EQ(answers(matrix_program(product_text(second)), Closed::kId), "proved proved");
  EXPECT_EQ(answers(matrix_program(product_text(second), {}), Closed::kId), "proved proved");
  // A product beside the accumulator that is stored in each iteration, and one in an inner loop.
  EXPECT_EQ(answers(matrix_program(product_text({{"acc = mma(a, b, acc)",
                                                  "zero[m, n] = 0.0\n      p = mma(a, b, zero)\n"
                                                  "      D[i*8 + m, j*8 + n] = p\n      acc = mma(a, b, acc)"}})),
                    Closed::kId),
            fmt::format("{} proved", Closed::kNotYielded));
  EXPECT_EQ(
      answers(matrix_program(product_text({{"acc = mma(a, b, acc)",
                                            "g[m, n] = 0.0\n      serial t in 2 {\n        g = mma(a, b, g)\n"
                                            "      }\n      D[i*8 + m, j*8 + n] = g\n      acc = mma(a, b, acc)"}})),
              Closed::kId),
      "proved proved");
}

/// What the accumulator's mma takes as `a`, where n and k have one extent; answers of all products.
std::string fed_by(const std::string& before, const std::string& inside) {
  return answers(
      matrix_program(product_text({{"k: 4", "k: 8"},
                                   {"ceildiv(K, 4)", "ceildiv(K, 8)"},
                                   {"a[m, k] = A[i*8 + m, s*4 + k]", "a0[m, k] = A[i*8 + m, s*8 + k]"},
                                   {"b[k, n] = B[s*4 + k, j*8 + n]", "b[k, n] = B[s*8 + k, j*8 + n]\n      " + inside},
                                   {"acc[m, n] = 0.0", "acc[m, n] = 0.0\n    " + before}})),
      Closed::kId);
}

TEST(RecurrenceClosed, AnOperandFromAnotherProduct) {
  const std::string zero = "zero[m, n] = 0.0\n      ";
  const std::string refused = fmt::format("{} {}", Closed::kNotYielded, Closed::kSeveralMma);
  EXPECT_EQ(fed_by("", zero + "p = mma(a0, b, zero)\n      a[m, k] = relabel(p, n: k)"), refused);
  EXPECT_EQ(fed_by("", zero + "p = mma(a0, b, zero)\n      e = exp(p)\n      a = relabel(e, n: k) + a0"), refused);
  // Through another carry, also in the first iteration; through a branch; through an inner loop.
  EXPECT_EQ(
      fed_by("old[m, n] = 0.0", zero + "a[m, k] = relabel(old, n: k)\n      p = mma(a0, b, zero)\n      old = p * 0.5"),
      refused);
  EXPECT_EQ(fed_by("", zero + "p = mma(a0, b, zero)\n      g[m, n] = 1.0\n      if s == 0 {\n        g = p\n      }\n"
                              "      a[m, k] = relabel(g, n: k)"),
            refused);
  EXPECT_EQ(fed_by("",
                   "g[m, n] = 0.0\n      serial t in 2 {\n        g = mma(a0, b, g)\n      }\n"
                   "      a[m, k] = relabel(g, n: k)"),
            fmt::format("proved {}", Closed::kSeveralMma));
  // Through storage: nobody looks for what a store of the region left there.
  EXPECT_EQ(fed_by("memory S: f32[8, 8]", zero + "p = mma(a0, b, zero)\n      S[m, n] = p\n      a[m, k] = S[m, k]"),
            refused);
  EXPECT_EQ(fed_by("", zero + "p = mma(a0, b, zero)\n      D[i*8 + m, j*8 + n] = p\n      a[m, k] = D[i*8 + m, k]"),
            refused);
}

TEST(RecurrenceClosed, ACarryThatNoProductReaches) {
  const std::string two = "two[m, n] = 0.0\n    scale[m, k] = 1.0";
  EXPECT_EQ(fed_by(two, "two = mma(a0, b, two)\n      scale = scale * 0.5\n      a = a0 * scale"), "proved proved");
  EXPECT_EQ(fed_by(two, "two = mma(a0, b, two)\n      scale = scale + sum(two, n)\n      a = a0 * scale"),
            fmt::format("{} {}", Closed::kResultObserved, Closed::kSeveralMma));
  // Without another product nothing is asked about the operands.
  EXPECT_EQ(fed_by("scale[m, k] = 1.0", "scale = scale * 0.5\n      a = a0 * scale"), "proved");
  EXPECT_EQ(fed_by("", "a[m, k] = D[i*8 + m, k]\n      D[i*8 + m, k] = a0"), "proved");
}

TEST(RecurrenceClosed, AProductThatReadsTheAccumulator) {
  EXPECT_EQ(fed_by("two[m, n] = 0.0", "a = a0\n      x[m, k] = relabel(acc, n: k)\n      two = mma(x, b, two)"),
            fmt::format("{} {}", Closed::kSeveralMma, Closed::kCarryObserved));
}

}  // namespace
}  // namespace tilewright::proof
