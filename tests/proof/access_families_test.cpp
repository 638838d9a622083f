// access.in_bounds, guard.equivalent and map.exact_cover of stores: each verdict and code, both sides of each boundary,
// on bound programs and for all sizes at once. Random programs: access_property_test.cpp.
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "proof/access_in_bounds.h"
#include "proof/check/check_access.h"
#include "proof/guard_equivalent.h"
#include "proof/prove_program.h"
#include "proof/store_cover.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {
namespace {

using Kind = Finding::Kind;

tile::Program program_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes = {}) {
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error());
  EXPECT_TRUE(tile::verify(*family)) << render(tile::verify(*family).error());
  auto program =
      sizes.empty() ? tile::choose_params(*family, {}) : tile::bind(*family, {.numbers = sizes, .types = {}});
  EXPECT_TRUE(program) << render(program.error());
  return std::move(*program);
}

/// A store of `value` at `coords`, and nothing else.
std::string store_text(const std::string& extents, const std::string& regions, const std::string& coords) {
  return "program p(M) {\n out Y: f32[" + extents + "]\n parallel " + regions + " {\n axis a: 4, b: 8\n Y[" + coords +
         "] = 1.0\n }\n}";
}

struct Answers {
  Kind all{}, interior{}, guard{}, cover{};
  std::string_view all_code, guard_code, cover_code;
};

Answers ask(const tile::Program& program, bool recheck_too = true) {
  const ProofReport report = prove_program(program);
  Answers answers;
  int parts = 0;
  for (const Finding& finding : report.findings) {
    if (finding.family == AccessInBounds::kId) {
      (parts++ == 0 ? answers.all : answers.interior) = finding.kind;
      if (parts == 1) answers.all_code = finding.code;
    }
    if (finding.family == GuardEquivalent::kId) answers.guard = finding.kind, answers.guard_code = finding.code;
    if (finding.family == MapExactCover::kId) answers.cover = finding.kind, answers.cover_code = finding.code;
    if (finding.kind != Kind::Proved || !recheck_too) continue;
    const auto held = recheck(program, {}, finding);
    EXPECT_TRUE(held) << render(held.error()) << print_certificate(*finding.certificate);
  }
  return answers;
}

Answers ask(const std::string& text, const std::map<std::string, std::int64_t>& sizes = {}) {
  return ask(program_of(text, sizes));
}

TEST(AccessInBounds, BoundaryOfAWholeTile) {
  const auto kinds = [](int size) { return ask(store_text("M", "i in 3", "i*4 + a"), {{"M", size}}); };
  EXPECT_EQ(kinds(12).all, Kind::Proved);
  EXPECT_EQ(kinds(13).all, Kind::Proved);
  EXPECT_EQ(kinds(11).all, Kind::Refuted);
  EXPECT_EQ(kinds(11).all_code, AccessInBounds::kPastEnd);
  EXPECT_EQ(kinds(11).interior, Kind::Proved);
}

TEST(AccessInBounds, BelowZero) {
  EXPECT_EQ(ask(store_text("M", "i in 3", "i + a - 1"), {{"M", 12}}).all_code, AccessInBounds::kBelowZero);
  EXPECT_EQ(ask(store_text("M", "i in 3", "i + a"), {{"M", 12}}).all, Kind::Proved);
  // Correlated terms: ranges alone would say -3 .. 3.
  EXPECT_EQ(ask(store_text("M", "i in 3", "i + a - i"), {{"M", 4}}).all, Kind::Proved);
}

TEST(AccessInBounds, TheWitnessViolates) {
  const tile::Program program = program_of(store_text("M", "i in ceildiv(M, 4)", "i*4 + a"));
  const Subject subject = make_subject(program);
  const auto verdict = prove_access_in_bounds(subject, subject.accesses.all[0].op, DomainPart::All, {});
  const auto& refuted = std::get<Refuted>(verdict);
  EXPECT_EQ(refuted.code, AccessInBounds::kPastEnd);
  std::map<std::string, std::int64_t> at;
  for (const Witness::Coordinate& coordinate : refuted.witness.point) at[coordinate.name] = coordinate.value;
  EXPECT_GE(at.at("M"), 1);
  EXPECT_LT(at.at("i"), (at.at("M") + 3) / 4);
  EXPECT_GE(at.at("i") * 4 + at.at("a"), at.at("M"));
}

TEST(AccessInBounds, TheLastElementOfEverySize) {
  EXPECT_EQ(ask(store_text("M", "i in M", "i")).all, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in M", "i + 1")).all_code, AccessInBounds::kPastEnd);
  EXPECT_EQ(ask(store_text("M", "i in M", "M - 1 - i")).all, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in M", "M - 2 - i")).all_code, AccessInBounds::kBelowZero);
}

TEST(AccessInBounds, TheInteriorIsWholeTiles) {
  // The second coordinate leaves where i is 1: in the interior exactly when the tile of the first is whole there.
  const auto interior = [](const std::string& first) {
    return ask(store_text("8, 1", "i in 2", first + ", i")).interior;
  };
  EXPECT_EQ(interior("i*4 + a"), Kind::Refuted);
  EXPECT_EQ(interior("i*4 + a + 1"), Kind::Proved);
  EXPECT_EQ(interior("4 - i*4 + a"), Kind::Refuted);
  EXPECT_EQ(interior("3 - i*4 + a"), Kind::Proved);
}

TEST(AccessInBounds, AnInteriorOfUnknownTilesIsNotRefuted) {
  // No tile wraps around, so that a moves the coordinate by 1; but its form does not say so. That of i = 1 is not
  // whole.
  EXPECT_EQ(ask(store_text("12", "i in 3", "(i*9 + a) % 13"), {{"M", 1}}).interior, Kind::Unknown);
  EXPECT_EQ(ask(store_text("13", "i in 3", "(i*9 + a) % 13"), {{"M", 1}}).interior, Kind::Proved);
  EXPECT_EQ(ask(store_text("4", "i in 3", "(i*3) % 5 + 2"), {{"M", 1}}).interior, Kind::Refuted);
}

TEST(AccessInBounds, WhatChangesNothingIsLookedThrough) {
  // The axis moves the coordinate by 1, though the tree does not say it: prover and checker agree on the interior.
  EXPECT_EQ(ask(store_text("M", "i in 2", "(i*2 + a) % 9")).interior, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in 2", "min(i*2 + a, 5)")).interior, Kind::Proved);
  EXPECT_NE(ask(store_text("M", "i in 2", "(i*2 + a) % 5")).interior, Kind::Proved);
}

TEST(AccessInBounds, ABranchMakesARefutationUnknown) {
  const std::string text =
      "program p(M) {\n in X: f32[M]\n out Y: f32[M]\n parallel i in M {\n axis a: 4\n c = i == 0\n if c {\n"
      " Y[i*4 + a] = 1.0\n }\n Y[i] = X[i]\n }\n}";
  const tile::Program program = program_of(text, {{"M", 9}});
  const ProofReport report = prove_program(program);
  int unknown = 0;
  for (const Finding& finding : report.findings)
    if (finding.family == AccessInBounds::kId && finding.code == AccessInBounds::kConditional) {
      EXPECT_EQ(finding.kind, Kind::Unknown);
      ++unknown;
    }
  EXPECT_EQ(unknown, 1);
}

TEST(AccessInBounds, WhatIsNotAffineIsEnumerated) {
  EXPECT_EQ(ask(store_text("M", "i in 8", "(i ^ a) & 7"), {{"M", 8}}).all, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in 8", "i * i"), {{"M", 50}}).all, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in 8", "i * i"), {{"M", 49}}).all, Kind::Refuted);
  EXPECT_EQ(ask(store_text("M", "i in M", "i * i")).all, Kind::Unknown);
  EXPECT_EQ(ask(store_text("M", "i in M", "i * i")).all_code, AccessInBounds::kNoSets);
}

TEST(GuardEquivalent, LowerBoundsFallAwayWhereNothingIsNegative) {
  EXPECT_EQ(ask(store_text("M", "i in 3", "i*4 + a"), {{"M", 11}}).guard, Kind::Proved);
  const Answers below = ask(store_text("M", "i in 3", "i*4 + a - 1"), {{"M", 11}});
  EXPECT_EQ(below.guard, Kind::Refuted);
  EXPECT_EQ(below.guard_code, GuardEquivalent::kRightOnly);
}

TEST(GuardEquivalent, OrderAndGroupingDoNotMatter) {
  const tile::Program program = program_of(store_text("M", "i in ceildiv(M, 4)", "i*4 + a"));
  const Subject subject = make_subject(program);
  const analysis::Access& access = subject.accesses.all[0];
  const Guard bounds = bounds_guard(access);
  const Guard turned{bounds[1], bounds[0], bounds[1]};
  EXPECT_TRUE(is_proved(prove_guard_equivalent(subject, access.op, bounds, turned, {})));
  EXPECT_TRUE(is_proved(prove_guard_equivalent(subject, access.op, turned, bounds, {})));
  const auto weaker = prove_guard_equivalent(subject, access.op, bounds, {}, {});
  EXPECT_EQ(std::get<Refuted>(weaker).code, GuardEquivalent::kRightOnly);
  const auto stronger = prove_guard_equivalent(subject, access.op, {}, bounds, {});
  EXPECT_EQ(std::get<Refuted>(stronger).code, GuardEquivalent::kLeftOnly);
  const tile::IndexId extent = access.dimensions[0].extent;
  const Guard off_by_one{{access.dimensions[0].expr, tile::Comparison::Le, extent}};
  EXPECT_FALSE(is_proved(prove_guard_equivalent(subject, access.op, bounds, off_by_one, {})));
}

/// Two conditions over i*4 + a, i in 3 and a in 4, as the program writes them.
std::string compared(const std::string& left, const std::string& right) {
  const tile::Program program =
      program_of("program p() {\n inout Y: f32[12]\n parallel i in 3 {\n axis a: 4\n left[a] = " + left +
                 "\n right[a] = " + right + "\n Y[i*4 + a] = 1.0\n }\n}");
  const Subject subject = make_subject(program);
  std::map<std::string, std::optional<Guard>> guards;
  for (tile::ValueId value : program.values().ids())
    guards.emplace(program.value(value).name, guard_of_value(subject, value));
  if (!guards.at("left") || !guards.at("right")) return std::string(GuardEquivalent::kNotAConjunction);
  const tile::OpId op = subject.accesses.all[0].op;
  const auto verdict = prove_guard_equivalent(subject, op, *guards.at("left"), *guards.at("right"), {});
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) return std::string(refuted->code);
  if (const auto* unknown = std::get_if<Unknown>(&verdict)) return std::string(unknown->code);
  const Certificate& certificate = std::get<Proved<GuardEquivalent>>(verdict).certificate();
  EXPECT_TRUE(check_guard_equivalent(certificate, program, {}, op, *guards.at("left"), *guards.at("right")));
  return "proved";
}

TEST(GuardEquivalent, BoundariesOfEveryComparison) {
  EXPECT_EQ(compared("i*4 + a > 3", "i*4 + a >= 4"), "proved");
  EXPECT_EQ(compared("i*4 + a > 3", "i*4 + a >= 3"), GuardEquivalent::kRightOnly);
  EXPECT_EQ(compared("i*4 + a < 7", "i*4 + a <= 6"), "proved");
  EXPECT_EQ(compared("i*4 + a < 7", "i*4 + a <= 5"), GuardEquivalent::kLeftOnly);
  EXPECT_EQ(compared("i*4 + a == 5", "i*4 + a >= 5 && 6 > i*4 + a"), "proved");
  EXPECT_EQ(compared("i*4 + a == 5", "i*4 + a >= 5 && 7 > i*4 + a"), GuardEquivalent::kRightOnly);
  EXPECT_EQ(compared("(i*4 + a)*2 < 7", "i*4 + a < 4"), "proved");
  EXPECT_EQ(compared("(i*4 + a)*2 < 7", "i*4 + a < 3"), GuardEquivalent::kLeftOnly);
  EXPECT_EQ(compared("i*4 + a < 12", "i >= 0"), "proved");
  EXPECT_EQ(compared("i < 2 || a < 2", "i < 2"), GuardEquivalent::kNotAConjunction);
}

TEST(StoreCover, WhatIsOutsideDoesNotCount) {
  // All points beyond the end have one coordinate, which is no element.
  EXPECT_EQ(ask(store_text("M", "i in 3", "min(i*4 + a, M)"), {{"M", 10}}).cover, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in 3", "min(i*4 + a, M - 1)"), {{"M", 10}}).cover_code, MapExactCover::kCollision);
}

TEST(StoreCover, TilesOfEverySize) {
  EXPECT_EQ(ask(store_text("M", "i in ceildiv(M, 4)", "i*4 + a")).cover, Kind::Proved);
  EXPECT_EQ(ask(store_text("M, 8", "i in ceildiv(M, 4)", "i*4 + a, b")).cover, Kind::Proved);
  EXPECT_EQ(ask(store_text("M", "i in M / 4", "i*4 + a")).cover_code, MapExactCover::kUnreached);
  EXPECT_EQ(ask(store_text("M", "i in ceildiv(M, 4)", "i*3 + a")).cover_code, MapExactCover::kCollision);
  EXPECT_EQ(ask(store_text("M", "i in ceildiv(M, 4)", "i*5 + a")).cover, Kind::Refuted);
  EXPECT_EQ(ask(store_text("M", "i in ceildiv(M, 4), j in 2", "i*4 + a")).cover_code, MapExactCover::kCollision);
}

TEST(AccessCertificates, AnInteriorProofIsNoProofOfAll) {
  const tile::Program program = program_of(store_text("M", "i in ceildiv(M, 4)", "i*4 + a"));
  const Subject subject = make_subject(program);
  const tile::OpId op = subject.accesses.all[0].op;
  const auto verdict = prove_access_in_bounds(subject, op, DomainPart::Interior, {});
  const auto& token = std::get<Proved<AccessInBounds>>(verdict);
  EXPECT_EQ(in_bounds_part(token), DomainPart::Interior);
  Certificate certificate = token.certificate();
  EXPECT_TRUE(check_access_in_bounds(certificate, program, {}, op, DomainPart::Interior));
  EXPECT_FALSE(check_access_in_bounds(certificate, program, {}, op, DomainPart::All));
  for (Field& field : certificate.fields)
    if (field.name == "part") field.value = "all";
  EXPECT_FALSE(check_access_in_bounds(certificate, program, {}, op, DomainPart::All));
  EXPECT_FALSE(check_access_in_bounds(certificate, program, {}, op, DomainPart::Interior));
}

}  // namespace
}  // namespace tilewright::proof
