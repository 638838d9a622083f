// Open sizes whose default is smaller than what is assumed of the others: proofs, witnesses, premises and checkers
// admit the default.
#include <algorithm>

#include <gtest/gtest.h>

#include "proof/access_in_bounds.h"
#include "proof/matrix_cases.h"
#include "proof/prove_program.h"
#include "proof/recurrence_closed.h"
#include "proof/store_bounded_prefix.h"

namespace tilewright::proof::size_defaults_test {
namespace {

/// A store at these coordinates; `pad` is declared as written.
tile::Program padded(const std::string& pad, const std::string& coords, const std::string& region = "i in M") {
  return matrix_program("program p(M, " + pad + ") {\n inout Y: f32[M + 2*pad + 1]\n parallel " + region +
                            " {\n axis a: 4\n Y[" + coords + "] = 1.0\n }\n}",
                        {});
}

/// About the first operation, at every point.
Finding in_bounds(const tile::Program& program) {
  for (Finding& finding : prove_program(program, noalias()).findings)
    if (finding.part == DomainPart::All) return std::move(finding);
  ADD_FAILURE() << "no such question";
  return {};
}

std::int64_t value_of(const Finding& finding, const std::string& name) {
  const auto& point = finding.witness;
  const auto found = std::find_if(point.begin(), point.end(), [&](const auto& one) { return one.name == name; });
  return found == point.end() ? -1 : found->value;
}

TEST(SizeDefaults, AreAmongTheSizes) {
  for (const char* coords : {"i + pad - 1", "max(i + pad, 2*pad) - 1"}) {
    SCOPED_TRACE(coords);
    for (const char* pad : {"pad", "pad = 1", "pad = 3"}) {
      const tile::Program program = padded(pad, coords);
      const Finding finding = in_bounds(program);
      ASSERT_EQ(finding.kind, Finding::Kind::Proved) << pad << ": " << finding.reason;
      EXPECT_TRUE(recheck(program, noalias(), finding));
    }
    const Finding refuted = in_bounds(padded("pad = 0", coords));
    EXPECT_EQ(refuted.code, AccessInBounds::kBelowZero);
    EXPECT_EQ(value_of(refuted, "pad"), 0);
    EXPECT_EQ(value_of(refuted, "M"), 1);
  }
}

TEST(SizeDefaults, AreInThePremise) {
  const auto premise = [](const std::string& pad, std::int64_t least) {
    Assumptions assumptions = noalias();
    assumptions.least_size = least;
    const tile::Program program = padded(pad, "i + a");
    const Finding finding = ask_family(program, StoreBoundedPrefix::kId, assumptions).at(0);
    EXPECT_EQ(kind_name(finding.kind), "proved");
    return finding.premises.at(1).text;
  };
  EXPECT_EQ(premise("pad = 1", 1), "every size is at least 1 and at most 1099511627776");
  EXPECT_EQ(premise("pad = 0", 1), "every size is at least 1 (pad at least 0) and at most 1099511627776");
  EXPECT_EQ(premise("pad = 0", 0), "every size is at least 0 and at most 1099511627776");
  EXPECT_EQ(
      premise("pad = 2, causal = 0, stride = 1", 3),
      "every size is at least 3 (pad at least 2, causal at least 0, stride at least 1) and at most 1099511627776");
}

TEST(SizeDefaults, DecideWhetherALoopRuns) {
  const auto closed = [](const std::string& steps) {
    return answer(
        matrix_program(product_text({{"(M, N, K)", "(M, N, K, " + steps + ")"}, {"ceildiv(K, 4)", "steps"}}), {}),
        RecurrenceClosed::kId);
  };
  EXPECT_EQ(closed("steps"), "proved");
  EXPECT_EQ(closed("steps = 1"), "proved");
  EXPECT_EQ(closed("steps = 0"), RecurrenceClosed::kMaybeZeroTrip);
}

/// The certificate of a size without a default, rewritten to fit one with the default 0.
TEST(SizeDefaults, AreTriedByTheCheckers) {
  const tile::Program good = padded("pad", "i + pad - 1"), bad = padded("pad = 0", "i + pad - 1");
  for (const Finding& finding : prove_program(good, noalias()).findings) {
    if (finding.family == "map.exact_cover" || finding.kind != Finding::Kind::Proved) continue;
    if (finding.part == DomainPart::Interior) continue;
    Finding changed = finding;
    Certificate certificate = *finding.certificate;
    EXPECT_EQ(certificate.subject, subject_hash(bad)) << "a default is no part of the meaning";
    changed.certificate = std::make_shared<const Certificate>(certificate);
    const auto by_premise = recheck(bad, noalias(), changed);
    ASSERT_FALSE(by_premise);
    EXPECT_NE(by_premise.error()[0].message.find("premise 2"), std::string::npos) << by_premise.error()[0].message;
    certificate.premises.at(1).text = "every size is at least 1 (pad at least 0) and at most 1099511627776";
    changed.certificate = std::make_shared<const Certificate>(certificate);
    const auto by_statement = recheck(bad, noalias(), changed);
    ASSERT_FALSE(by_statement) << print_certificate(certificate);
    EXPECT_NE(by_statement.error()[0].message.find("statement"), std::string::npos) << by_statement.error()[0].message;
  }
}

}  // namespace
}  // namespace tilewright::proof::size_defaults_test
