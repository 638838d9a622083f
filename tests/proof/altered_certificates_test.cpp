// Every certificate of every question that is asked about a program, with every part altered and the digest recomputed:
// none passes the path of `prove --recheck`. The families about maps and traces have the same test beside them.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "proof/altered_certificate.h"
#include "proof/prove_program.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {
namespace {

// Two equal loads, a premise of each kind, everything provable.
constexpr const char* kTwins = R"(program twins(M, N, K) {
  in A: f32[M, K]
  in B: f32[K, N]
  out C: f32[M, N]
  inout D: f32[M, N]
  require M >= 1
  parallel i in ceildiv(M, 8), j in ceildiv(N, 8) {
    axis m: 8, n: 8, k: 4, q: 4
    acc[m, n] = 0.0
    two[m, n] = 0.0
    serial s in ceildiv(K, 4) {
      a[m, k] = A[i*8 + m, s*4 + k]
      a2[m, k] = A[i*8 + m, s*4 + k]
      r[q, n] = B[s*4 + q, j*8 + n]
      b = relabel(r, q: k)
      acc = mma(a, b, acc)
      two = mma(a2, b, two)
    }
    C[i*8 + m, j*8 + n] = max(acc, 0.0)
    D[i*8 + m, j*8 + n] = two
  }
}
)";

const Assumptions kPromised{{true, analysis::AliasPromise::Origin::LaunchCheck}, 1};

tile::Program program_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error());
  EXPECT_TRUE(tile::verify(*family));
  auto program =
      sizes.empty() ? tile::choose_params(*family, {}) : tile::bind(*family, {.numbers = sizes, .types = {}});
  EXPECT_TRUE(program) << render(program.error());
  return std::move(*program);
}

struct Counts {
  std::set<std::string> families;
  int certificates = 0, alterations = 0;
};

Counts alter_everything(const tile::Program& program) {
  Counts counts;
  for (const Finding& finding : prove_program(program, kPromised).findings) {
    if (finding.kind != Finding::Kind::Proved) continue;
    SCOPED_TRACE(finding.family + ": " + finding.question);
    counts.families.insert(finding.family);
    ++counts.certificates;
    counts.alterations += expect_alterations_refused(*finding.certificate, [&](const Certificate& altered) {
      Finding changed = finding;
      changed.certificate = std::make_shared<const Certificate>(altered);
      return recheck(program, kPromised, changed);
    });
  }
  return counts;
}

TEST(AlteredCertificates, OfAllSizes) {
  const Counts counts = alter_everything(program_of(kTwins, {}));
  for (const char* family :
       {"access.in_bounds", "guard.equivalent", "map.exact_cover", "traversal.bijective", "load.forwardable",
        "recurrence.closed", "output.direct", "extent.bounded_mn", "epilogue.same_owner", "store.bounded_prefix"})
    EXPECT_TRUE(counts.families.contains(family)) << family;
  EXPECT_GT(counts.alterations, 3000);
}

TEST(AlteredCertificates, OfWholeTilesAndOneIteration) {
  const Counts counts = alter_everything(program_of(kTwins, {{"M", 16}, {"N", 24}, {"K", 3}}));
  for (const char* family : {"access.in_bounds", "extent.bounded_k", "overwrite.allowed"})
    EXPECT_TRUE(counts.families.contains(family)) << family;
  EXPECT_GT(counts.alterations, 3000);
}

TEST(AlteredCertificates, AnotherQuestionOfTheSameFamilyIsNoAnswer) {
  const tile::Program program = program_of(kTwins, {{"M", 16}, {"N", 24}, {"K", 4}});
  const auto findings = prove_program(program, kPromised).findings;
  int swapped = 0;
  for (const Finding& asked : findings)
    for (const Finding& given : findings) {
      if (&asked == &given || asked.family != given.family) continue;
      if (asked.kind != Finding::Kind::Proved || given.kind != Finding::Kind::Proved) continue;
      Finding changed = asked;
      changed.certificate = given.certificate;
      EXPECT_FALSE(recheck(program, kPromised, changed)) << asked.question << "\n" << given.question;
      ++swapped;
    }
  EXPECT_GT(swapped, 100);
}

TEST(AlteredCertificates, AllAndInteriorAreDifferentQuestions) {
  const tile::Program program = program_of(kTwins, {{"M", 16}, {"N", 24}, {"K", 4}});
  int parts = 0;
  for (const Finding& finding : prove_program(program, kPromised).findings) {
    if (finding.family != "access.in_bounds") continue;
    ASSERT_EQ(finding.kind, Finding::Kind::Proved);
    ASSERT_TRUE(finding.part.has_value());
    Certificate altered = *finding.certificate;
    ASSERT_EQ(altered.fields.back(), (Field{"part", std::string(domain_part_name(*finding.part))}));
    altered.fields.back().value = finding.part == DomainPart::All ? "interior" : "all";
    Finding changed = finding;
    changed.certificate = std::make_shared<const Certificate>(altered);
    const auto held = recheck(program, kPromised, changed);
    ASSERT_FALSE(held);
    EXPECT_NE(held.error()[0].message.find("part"), std::string::npos) << held.error()[0].message;
    ++parts;
  }
  EXPECT_EQ(parts, 10);
}

}  // namespace
}  // namespace tilewright::proof
