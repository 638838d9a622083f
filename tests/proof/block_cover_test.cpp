// Statements about all sizes that are recognised by their form: blocks that tile an object, coordinates that end before
// an extent, corners that violate. Each against enumeration at small sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "proof/access_in_bounds.h"
#include "proof/block_cover.h"
#include "proof/prove_program.h"
#include "proof/store_cover.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/verifier.h"

namespace tilewright::proof {
namespace {

tile::Program open_store(const std::string& regions, const std::string& coords, const std::string& extents = "M") {
  const std::string text = "program p(M) {\n out Y: f32[" + extents + "]\n parallel " + regions +
                           " {\n axis a: 4, b: 8, e: M\n Y[" + coords + "] = 1.0\n }\n}";
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  EXPECT_TRUE(tile::verify(*family)) << text;
  return *tile::choose_params(*family, {});
}

bool recognised(const tile::Program& program) {
  const Subject subject = make_subject(program);
  return surely_covers_by_blocks(subject, subject.accesses.all.front());
}

/// What integer sets and enumeration say.
Finding::Kind cover(const tile::Program& program) {
  for (const Finding& finding : prove_program(program).findings) {
    if (finding.family != MapExactCover::kId) continue;
    if (finding.kind == Finding::Kind::Proved) {
      EXPECT_TRUE(recheck(program, {}, finding));
    }
    return finding.kind;
  }
  ADD_FAILURE() << "no question";
  return {};
}

struct Blocks {
  std::string regions, coords, extents = "M";
};

TEST(BlockCover, OfFormsThatTile) {
  const std::vector<Blocks> all = {
      {"i in ceildiv(M, 4)", "i*4 + a"},
      {"i in ceildiv(M, 8)", "b + 8*i"},
      {"i in ceildiv(M, 32)", "i*32 + b*4 + a"},
      {"i in ceildiv(M, 32)", "i*32 + a*8 + b"},
      {"i in M", "i"},
      {"i in 1", "e"},
      {"i in ceildiv(M, 4), j in ceildiv(M, 8)", "i*4 + a, j*8 + b", "M, M"},
      {"i in ceildiv(M, 4), j in 1", "i*4 + a"},
      {"i in 3", "i*4 + a", "12"},
      {"i in 3", "i*4 + a", "9"},
  };
  for (const Blocks& one : all) {
    const tile::Program program = open_store(one.regions, one.coords, one.extents);
    EXPECT_TRUE(recognised(program)) << one.regions << ": " << one.coords;
    EXPECT_EQ(cover(program), Finding::Kind::Proved) << one.regions << ": " << one.coords;
  }
}

TEST(BlockCover, NotOfFormsThatMissByOne) {
  const std::vector<Blocks> all = {
      {"i in ceildiv(M, 5)", "i*4 + a"},          // too few blocks
      {"i in M/4", "i*4 + a"},                    // no partial block
      {"i in ceildiv(M, 4)", "i*5 + a"},          // gaps
      {"i in ceildiv(M, 5)", "i*5 + a"},          // gaps, with blocks enough to reach the end
      {"i in ceildiv(M, 4)", "i*3 + a"},          // overlaps
      {"i in ceildiv(M, 4)", "i*4 + a + 1"},      // does not begin at 0
      {"i in ceildiv(M, 4), j in 2", "i*4 + a"},  // each element twice
      {"i in ceildiv(M, 4)", "i*4 + a, i*4 + a", "M, M"},
      {"i in ceildiv(M, 4)", "i*4 + a", "M + 4"},
      {"i in 3", "i*4 + a", "13"},
      {"i in M - 1", "i"},
  };
  for (const Blocks& one : all) {
    const tile::Program program = open_store(one.regions, one.coords, one.extents);
    EXPECT_FALSE(recognised(program)) << one.regions << ": " << one.coords;
    EXPECT_EQ(cover(program), Finding::Kind::Refuted) << one.regions << ": " << one.coords;
  }
}

TEST(InBounds, OfCoordinatesThatEndWithTheirExtent) {
  const std::map<std::string, bool> inside = {
      {"i in M", true},      {"i in M + 1", false},        {"i in M - 1", true},
      {"i in 2*M", false},   {"i in ceildiv(M, 1)", true}, {"i in ceildiv(M, 2)", true},
      {"i in M + M", false}, {"i in max(M, 2)", false},    {"i in min(M, 2)", true},
  };
  for (const auto& [region, expected] : inside) {
    const tile::Program program = open_store(region, "i");
    const auto verdict = prove_access_in_bounds(make_subject(program), make_subject(program).accesses.all.front().op,
                                                DomainPart::All, sets::Context());
    EXPECT_EQ(is_proved(verdict), expected) << region;
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_EQ(refuted != nullptr, !expected) << region;
    if (refuted == nullptr) continue;
    // The witness: M, then i.
    const auto& point = refuted->witness.point;
    ASSERT_EQ(point.size(), 2u) << region;
    EXPECT_GE(point[1].value, point[0].value) << region;
  }
}

TEST(InBounds, OfMultiplesThatEndWithTheirExtent) {
  const auto proved = [](const std::string& region, const std::string& coordinate) {
    const tile::Program program = open_store(region, coordinate);
    const Subject subject = make_subject(program);
    return is_proved(prove_access_in_bounds(subject, subject.accesses.all.front().op, DomainPart::All, {}));
  };
  EXPECT_TRUE(proved("i in ceildiv(M, 2)", "2*i"));
  EXPECT_TRUE(proved("i in ceildiv(M, 7)", "7*i"));
  EXPECT_FALSE(proved("i in M", "2*i"));
  EXPECT_FALSE(proved("i in ceildiv(M, 2)", "3*i"));
  EXPECT_FALSE(proved("i in ceildiv(M, 2)", "2*i + 1"));
}

/// No quasi-affine extent: a corner is all that can refute.
TEST(InBounds, ACornerDecidesWhereIntegerSetsCannot) {
  const auto code = [](const std::string& region, const std::string& coordinate) {
    const tile::Program program = open_store(region, coordinate);
    const Subject subject = make_subject(program);
    const auto verdict = prove_access_in_bounds(subject, subject.accesses.all.front().op, DomainPart::All, {});
    if (is_proved(verdict)) return std::string_view("proved");
    const auto* refuted = std::get_if<Refuted>(&verdict);
    return refuted != nullptr ? refuted->code : std::get<Unknown>(verdict).code;
  };
  EXPECT_EQ(code("i in M + M/M", "i"), AccessInBounds::kPastEnd);
  EXPECT_EQ(code("i in M + M/M - 1", "i"), AccessInBounds::kNoSets);
  EXPECT_EQ(code("i in M + M/M - 1", "i - 1"), AccessInBounds::kBelowZero);
}

TEST(InBounds, AWitnessMeetsTheRequirements) {
  auto family = tile::parse_program(
      "program p(M) {\n out Y: f32[M]\n require M >= 7, \"\"\n parallel i in 7 {\n Y[i] = 1.0\n }\n}", "test.tile");
  ASSERT_TRUE(family) << render(family.error());
  const tile::Program program = *tile::choose_params(*family, {});
  const Subject subject = make_subject(program);
  EXPECT_TRUE(is_proved(prove_access_in_bounds(subject, subject.accesses.all.front().op, DomainPart::All, {})));
}

}  // namespace
}  // namespace tilewright::proof
