// Certificates whose every line fits the program while the claim is false: the checkers refuse the statement itself.
#include <gtest/gtest.h>

#include "proof/matrix_cases.h"

namespace tilewright::proof {
namespace {

/// The certificate of a good program, rewritten to fit the bad one line by line.
void expect_claim_refused(const tile::Program& good, const tile::Program& bad, const std::string& family,
                          const Changes& lines) {
  Finding finding = ask_family(good, family).at(0);
  ASSERT_EQ(finding.kind, Finding::Kind::Proved) << finding.reason;
  Certificate certificate = *finding.certificate;
  certificate.subject = subject_hash(bad);
  for (Field& field : certificate.fields)
    for (const auto& [from, to] : lines)
      for (auto at = field.value.find(from); at != std::string::npos; at = field.value.find(from, at + to.size()))
        field.value.replace(at, from.size(), to);
  finding.certificate = std::make_shared<const Certificate>(certificate);
  const auto held = recheck_matrix(bad, noalias(), finding);
  ASSERT_TRUE(held && !*held) << print_certificate(certificate);
  EXPECT_NE(held->error()[0].message.find("statement"), std::string::npos) << held->error()[0].message;
}

tile::Program product(const Changes& changes, const Numbers& numbers = kRagged) {
  return matrix_program(product_text(changes), numbers);
}

TEST(FalseClaims, ARegionWithoutIteration) {
  const Changes steps{{"s in ceildiv(K, 4)", "s in 1 - i"}}, none{{"s in ceildiv(K, 4)", "s in 0 - i"}};
  const Numbers one{{"M", 8}, {"N", 8}, {"K", 4}};
  for (const char* family : {"recurrence.closed", "output.direct", "epilogue.same_owner"})
    expect_claim_refused(product(steps, one), product(none, one), family, {{"1 - i", "0 - i"}});
}

TEST(FalseClaims, AnOriginOfTheContractionOutside) {
  const auto shifted = [](const std::string& by) {
    return product({{"s*4 + k]", "s*4 + k + " + by + "]"}, {"B[s*4 + k", "B[s*4 + k + " + by}});
  };
  expect_claim_refused(shifted("1"), shifted("2"), "extent.bounded_mn", {{"+ k + 1", "+ k + 2"}});
}

TEST(FalseClaims, LengthsThatDiffer) {
  const auto longer = [](const std::string& by) {
    return product({{"B: f32[K, N]", "B: f32[K + " + by + ", N]"}, {"B[s*4 + k", "B[s*4 + k + 7"}});
  };
  expect_claim_refused(longer("7"), longer("8"), "extent.bounded_mn", {{"17", "18"}});
}

TEST(FalseClaims, ATileThatIsNotInside) {
  const tile::Program whole = product({}, {{"M", 8}, {"N", 8}, {"K", 10}});
  const tile::Program ragged = product({{"A: f32[M, K]", "A: f32[M - 1, K]"}}, {{"M", 8}, {"N", 8}, {"K", 10}});
  expect_claim_refused(whole, ragged, "extent.bounded_k", {{"8, 10", "7, 10"}});
}

TEST(FalseClaims, AStoreThatBeginsBeforeItsObject) {
  const auto store = [](const std::string& at) {
    return matrix_program(
        "program p(M) {\n inout Y: f32[M]\n parallel i in 3 {\n axis a: 4\n Y[" + at + "] = 1.0\n }\n}", {{"M", 11}});
  };
  expect_claim_refused(store("i*4 + a + 1"), store("i*4 + a - 1"), "store.bounded_prefix", {{"+ a + 1", "+ a - 1"}});
}

TEST(FalseClaims, AStoreOfOneElementThatBeginsBeforeItsObject) {
  const auto store = [](const std::string& at) {
    return matrix_program(
        "program p(M) {\n inout Y: f32[M]\n parallel i in 3 {\n axis a: 1\n Y[" + at + "] = 1.0\n }\n}", {{"M", 11}});
  };
  expect_claim_refused(store("i + a/4 + 1"), store("i + a/4 - 1"), "store.bounded_prefix", {{"/4 + 1", "/4 - 1"}});
}

TEST(FalseClaims, ACoordinateOutsideBesideAnAxisOfOneElement) {
  const auto store = [](const std::string& extent) {
    return matrix_program("program p(M) {\n inout Y: f32[M, " + extent +
                              "]\n parallel i in 3 {\n axis a: 1\n Y[a % 4, i + a / 4] = 1.0\n }\n}",
                          {{"M", 11}});
  };
  expect_claim_refused(store("3"), store("2"), "store.bounded_prefix", {{"11, 3", "11, 2"}});
}

TEST(FalseClaims, LengthsOfAnAxisOfOneElement) {
  const auto longer = [](const std::string& by) {
    return product({{"m: 8", "m: 1"}, {"B: f32[K, N]", "B: f32[K + " + by + ", N]"}, {"B[s*4 + k", "B[s*4 + k + 7"}});
  };
  expect_claim_refused(longer("7"), longer("8"), "extent.bounded_mn", {{"17", "18"}});
}

}  // namespace
}  // namespace tilewright::proof
