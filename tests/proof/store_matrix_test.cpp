// store.bounded_prefix: proved at fixed and open sizes, refused with each code, and the boundaries of origins.
#include <map>

#include <gtest/gtest.h>

#include "proof/matrix_cases.h"
#include "proof/store_bounded_prefix.h"

namespace tilewright::proof {
namespace {

using Prefix = StoreBoundedPrefix;

std::string store_program(const std::string& extents, const std::string& regions, const std::string& store) {
  return "program p(M) {\n in X: f32[M]\n out Y: f32[" + extents + "]\n parallel " + regions +
         " {\n axis a: 4, b: 8\n " + store + "\n }\n}";
}
std::string prefix(const std::string& extents, const std::string& regions, const std::string& store,
                   const Numbers& numbers = {{"M", 11}}) {
  return answer(matrix_program(store_program(extents, regions, store), numbers), Prefix::kId);
}

TEST(StoreBoundedPrefix, RaggedTiles) {
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a] = 1.0"), "proved");
  EXPECT_EQ(prefix("M, M", "i in 3", "Y[i*4 + b, i*2 + a] = 1.0"), "proved");
  EXPECT_EQ(prefix("M", "i in 9", "Y[i*4 + a] = 1.0"), "proved");
  EXPECT_EQ(prefix("M, 8", "i in ceildiv(M, 4)", "Y[i*4 + a, b] = 1.0", {}), "proved");
  EXPECT_EQ(prefix("M, M", "i in M", "Y[i, b] = 1.0", {}), "proved");
}

TEST(StoreBoundedPrefix, BoundaryOfTheOrigin) {
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a - 1] = 1.0"), Prefix::kOriginBelowZero);
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a + 0] = 1.0"), "proved");
  EXPECT_EQ(prefix("M", "i in M", "Y[M - 1 - i + a] = 1.0", {}), "proved");
  EXPECT_EQ(prefix("M", "i in M", "Y[M - 2 - i + a] = 1.0", {}), Prefix::kOriginBelowZero);
  EXPECT_EQ(prefix("M, 8", "i in 3", "Y[i, b] = 1.0", {{"M", 3}}), "proved");
  EXPECT_EQ(prefix("M, 8", "i in 3", "Y[i, b] = 1.0", {{"M", 2}}), Prefix::kOriginOutside);
  EXPECT_EQ(prefix("M, 8", "i in 3", "Y[i - 1, b] = 1.0"), Prefix::kOriginOutside);
}

TEST(StoreBoundedPrefix, TheWitnessViolates) {
  const auto findings =
      ask_family(matrix_program(store_program("M", "i in M", "Y[M - 2 - i + a] = 1.0"), {}), Prefix::kId);
  ASSERT_EQ(findings.at(0).kind, Finding::Kind::Refuted);
  std::map<std::string, std::int64_t> at;
  for (const Witness::Coordinate& coordinate : findings[0].witness) at[coordinate.name] = coordinate.value;
  EXPECT_GE(at.at("M"), 1);
  EXPECT_LT(at.at("i"), at.at("M"));
  EXPECT_LT(at.at("M") - 2 - at.at("i"), 0);
}

TEST(StoreBoundedPrefix, Structure) {
  EXPECT_EQ(prefix("M", "i in 2", "Y[i*4 + a] assume = 1.0"), Prefix::kAssumed);
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a*2] = 1.0"), Prefix::kNotProjected);
  EXPECT_EQ(prefix("M", "i in 3", "Y[a + b] = 1.0"), Prefix::kNotProjected);
  EXPECT_EQ(prefix("M, M", "i in 3", "Y[i + a, i + a] = 1.0"), Prefix::kSharedAxis);
  EXPECT_EQ(prefix("M", "i in 3", "Y[(a ^ 1) + i] = 1.0"), Prefix::kNotAffine);
}

TEST(StoreBoundedPrefix, WhatChangesNothingIsLookedThrough) {
  EXPECT_EQ(prefix("M", "i in 3", "Y[min(i + a, M)] = 1.0"), "proved");
  EXPECT_EQ(prefix("M", "i in 3", "Y[(i + a) % 6] = 1.0"), "proved");
  EXPECT_EQ(prefix("M", "i in 3", "Y[(i + a) % 5] = 1.0"), Prefix::kNotAffine);
}

TEST(StoreBoundedPrefix, BoundaryOfTheExtent) {
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a] = 1.0", {{"M", 2147483647}}), "proved");
  EXPECT_EQ(prefix("M", "i in 3", "Y[i*4 + a] = 1.0", {{"M", 2147483648}}), Prefix::kTooLarge);
}

TEST(StoreBoundedPrefix, Unknown) {
  const auto with_requirement = [](const std::string& requirement) {
    std::string text = store_program("M", "i in 3", "Y[M - 2 + a] = 1.0");
    text.insert(text.find(" parallel"), " require " + requirement + ", \"r\"\n");
    return answer(matrix_program(text, {}), Prefix::kId);
  };
  EXPECT_EQ(with_requirement("M >= 2"), "proved");
  EXPECT_EQ(with_requirement("M >= 1"), Prefix::kOriginBelowZero);
  EXPECT_EQ(with_requirement("M * M >= 3"), Prefix::kConditional);
  EXPECT_EQ(prefix("M", "i in 3", "c = i > 0\n if c {\n Y[i*4 - 4 + a] = 1.0\n }"), Prefix::kConditional);
  EXPECT_EQ(prefix("M, 4", "i in M, j in M", "Y[i*j, a] = 1.0", {}), Prefix::kNoSets);
}

}  // namespace
}  // namespace tilewright::proof
