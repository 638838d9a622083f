// output.direct and overwrite.allowed: proved, refused with each code, and their boundaries.
#include <gtest/gtest.h>

#include "proof/matrix_cases.h"
#include "proof/output_direct.h"
#include "proof/overwrite_allowed.h"

namespace tilewright::proof {
namespace {

using Direct = OutputDirect;
using Overwrite = OverwriteAllowed;

constexpr const char* kDirectStore = "C[i*8 + m, j*8 + n] = acc";
const Numbers kOneTrip{{"M", 13}, {"N", 11}, {"K", 4}};

std::string direct(const Changes& changes, const Numbers& numbers = kRagged) {
  return answer(matrix_program(product_text(changes), numbers), Direct::kId);
}
std::string overwrite(const Changes& changes, const Numbers& numbers = kOneTrip) {
  return answer(matrix_program(product_text(changes), numbers), Overwrite::kId);
}

TEST(OutputDirect, LiteralInitAndOneStore) {
  EXPECT_EQ(direct({}), "proved");
  EXPECT_EQ(direct({{"= 0.0", "= -1.5"}}), "proved");
  EXPECT_EQ(answer(matrix_program(product_text(), {}), Direct::kId), "proved");
  EXPECT_EQ(direct({{"out C: f32[M, N]", "out C: f32[N, M]"}, {kDirectStore, "C[j*8 + n, i*8 + m] = acc"}}), "proved");
  EXPECT_EQ(direct({{"out C: f32[M, N]", "out C: f32[3, M, N]"}, {kDirectStore, "C[1, i*8 + m, j*8 + n] = acc"}}),
            "proved");
}

TEST(OutputDirect, TheProjectionIsInTheCertificate) {
  const auto findings = ask_family(matrix_program(product_text({{"out C: f32[M, N]", "out C: f32[N, M]"},
                                                                {kDirectStore, "C[j*8 + n, i*8 + m] = acc"}})),
                                   Direct::kId);
  ASSERT_EQ(findings.size(), 1u);
  const std::string text = print_certificate(*findings[0].certificate);
  EXPECT_NE(text.find("projection m to dimension 1, n to dimension 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("init +0\n"), std::string::npos) << text;
}

TEST(OutputDirect, NotClosed) {
  EXPECT_EQ(direct({{"mma(a, b, acc)", "mma(a, b, acc * 2.0)"}}), Direct::kNotClosed);
  EXPECT_EQ(direct({}, {{"M", 8}, {"N", 8}, {"K", 0}}), Direct::kNotClosed);
  Assumptions assumptions = noalias();
  assumptions.least_size = 0;
  const auto findings = ask_family(matrix_program(product_text(), {}), Direct::kId, assumptions);
  EXPECT_EQ(findings.at(0).kind, Finding::Kind::Unknown);
  EXPECT_EQ(findings.at(0).code, Direct::kNotClosed);
}

TEST(OutputDirect, WhatIsAccumulated) {
  EXPECT_EQ(direct({{"= 0.0", "= bias[j*8 + n]"}}), Direct::kInitNotLiteral);
  EXPECT_EQ(direct({{"in A: f32", "in A: i32"},
                    {"in B: f32", "in B: i32"},
                    {"out C: f32", "out C: i32"},
                    {"= 0.0", "= i32(0)"}}),
            Direct::kNotF32);
}

TEST(OutputDirect, TheUsesOfTheResult) {
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m, j*8 + n] = 1.0"}}), Direct::kResultUnused);
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m, j*8 + n] = acc\n    D[i*8 + m, j*8 + n] = acc"}}), Direct::kSeveralUses);
  EXPECT_EQ(direct({{"out C: f32", "out C: f16"}, {kDirectStore, "C[i*8 + m, j*8 + n] = f16(acc)"}}),
            Direct::kNarrowingCast);
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m, j*8 + n] = f32(acc)"}}), "proved");
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m, j*8 + n] = acc + 1.0"}}), Direct::kComputed);
}

TEST(OutputDirect, WhereTheStoreStands) {
  EXPECT_EQ(direct({{kDirectStore, "if i == 0 {\n      C[i*8 + m, j*8 + n] = acc\n    }"}}), Direct::kConditional);
  EXPECT_EQ(direct({{kDirectStore, "serial t in 2 {\n      C[i*8 + m, j*8 + n] = acc\n    }"}}), Direct::kOtherBlock);
}

TEST(OutputDirect, HowTheStoreProjects) {
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m*2, j*8 + n] = acc"}}), Direct::kNotProjected);
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m + n, j*8 + n] = acc"}}), Direct::kNotProjected);
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + (m ^ 1), j*8 + n] = acc"}}), Direct::kNotAffine);
  EXPECT_EQ(direct({{kDirectStore, "C[i*8 + m % 8, j*8 + n] = acc"}}), "proved");
  EXPECT_EQ(direct({{"out C: f32[M, N]", "out C: f32[4, M, N]"}, {kDirectStore, "C[k, i*8 + m, j*8 + n] = acc"}}),
            Direct::kExtraAxis);
  EXPECT_EQ(direct({{"acc[m, n] = 0.0", "memory S: f32[8, 8]\n    acc[m, n] = 0.0"},
                    {kDirectStore, "S[m, n] = acc"},
                    {"out C", "inout C"}}),
            Direct::kMemory);
}

TEST(OverwriteAllowed, OneIterationOntoPositiveZero) {
  EXPECT_EQ(overwrite({}), "proved");
  EXPECT_EQ(overwrite({{"= 0.0", "= -0.0"}}), Overwrite::kNegativeZero);
  EXPECT_EQ(overwrite({{"= 0.0", "= 1.0e-30"}}), Overwrite::kNotZero);
  EXPECT_EQ(overwrite({{"= 0.0", "= bias[j*8 + n]"}}), Overwrite::kNotLiteral);
  EXPECT_EQ(overwrite({{"mma(a, b, acc)", "mma(a, b, acc, ordered)"}}), Overwrite::kOrdered);
}

TEST(OverwriteAllowed, BoundaryOfTheTrips) {
  const auto at = [](std::int64_t size) { return overwrite({}, {{"M", 8}, {"N", 8}, {"K", size}}); };
  EXPECT_EQ(at(0), Overwrite::kNotClosed);
  EXPECT_EQ(at(1), "proved");
  EXPECT_EQ(at(4), "proved");
  EXPECT_EQ(at(5), Overwrite::kTripsNotOne);
  EXPECT_EQ(answer(matrix_program(product_text(), {}), Overwrite::kId), Overwrite::kTripsOpen);
  EXPECT_EQ(overwrite({{"mma(a, b, acc)", "mma(a, b, acc) * 2.0"}}), Overwrite::kNotClosed);
  Assumptions assumptions = noalias();
  assumptions.least_size = 0;
  const auto findings = ask_family(matrix_program(product_text(), {}), Overwrite::kId, assumptions);
  EXPECT_EQ(findings.at(0).kind, Finding::Kind::Unknown);
  EXPECT_EQ(findings.at(0).code, Overwrite::kNotClosed);
}

TEST(OverwriteAllowed, Standalone) {
  const auto standalone = [](const std::string& zero) {
    return overwrite(
        {{"mma(a, b, acc)", "acc + mma(a, b, zero)"}, {"a[m, k]", "zero[m, n] = " + zero + "\n      a[m, k]"}},
        kRagged);
  };
  EXPECT_EQ(standalone("0.0"), "proved");
  EXPECT_EQ(standalone("-0.0"), Overwrite::kNegativeZero);
  EXPECT_EQ(standalone("1.0"), Overwrite::kNotZero);
  EXPECT_EQ(standalone("acc * 2.0"), Overwrite::kNotLiteral);
}

}  // namespace
}  // namespace tilewright::proof
