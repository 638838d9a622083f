// Axes of extent 1 and 0 and domains without points: what is true of nothing is proved and re-checked, and each
// certificate has one form.
#include <gtest/gtest.h>

#include "proof/check/linear_coefficient.h"
#include "proof/extent_bounded.h"
#include "proof/matrix_cases.h"
#include "proof/output_direct.h"
#include "proof/prove_program.h"
#include "proof/store_bounded_prefix.h"

namespace tilewright::proof::narrow_axes_test {
namespace {

/// One store of a program whose axis `a` has this extent.
tile::Program store_of(const std::string& extent, const std::string& store, const std::string& output = "M",
                       const std::string& region = "i in 3", const Numbers& numbers = {{"M", 11}}) {
  return matrix_program("program p(M) {\n inout Y: f32[" + output + "]\n parallel " + region +
                            " {\n axis a: " + extent + ", b: 8\n " + store + "\n }\n}",
                        numbers);
}

/// The verdict, and for a proof its field of this name. Certificates are re-checked and altered.
std::string told(const tile::Program& program, std::string_view family, std::string_view field) {
  const Finding finding = ask_family(program, family).at(0);
  if (finding.kind != Finding::Kind::Proved) return std::string(finding.code);
  for (const Field& one : finding.certificate->fields)
    if (one.name == field) return one.value;
  return "no such field";
}
std::string lengths(const tile::Program& program) { return told(program, StoreBoundedPrefix::kId, "lengths"); }

std::string length_of_a(const std::string& at, const std::string& extent) {
  return "a: clamp(11 - (" + at + " at a = 0), 0, " + extent + ")";
}

TEST(NarrowAxes, ADivisionThatLeavesNothing) {
  for (const char* extent : {"0", "1"})
    EXPECT_EQ(lengths(store_of(extent, "Y[a / 4 + i] = 1.0")), length_of_a("a/4 + i", extent));
  EXPECT_EQ(lengths(store_of("2", "Y[a / 4 + i] = 1.0")), "none");
}

TEST(NarrowAxes, ARemainderThatChangesNothing) {
  for (const char* extent : {"0", "1", "2"})
    EXPECT_EQ(lengths(store_of(extent, "Y[(i + a) % 6] = 1.0")), length_of_a("(i + a)%6", extent));
  EXPECT_EQ(lengths(store_of("5", "Y[(i + a) % 6] = 1.0")), StoreBoundedPrefix::kNotAffine);
}

TEST(NarrowAxes, AMultipleOfNothing) {
  for (const char* extent : {"0", "1"})
    EXPECT_EQ(lengths(store_of(extent, "Y[a*2 + i] = 1.0")), length_of_a("a*2 + i", extent));
  EXPECT_EQ(lengths(store_of("2", "Y[a*2 + i] = 1.0")), StoreBoundedPrefix::kNotProjected);
}

TEST(NarrowAxes, CountInOneCoordinateAlone) {
  for (const char* extent : {"0", "1", "2"})
    EXPECT_EQ(lengths(store_of(extent, "Y[a % 4, a / 4] = 1.0", "M, M")), length_of_a("a%4", extent));
  for (const char* extent : {"0", "1"})
    EXPECT_EQ(lengths(store_of(extent, "Y[i + a, i + a] = 1.0", "M, M")), length_of_a("i + a", extent));
  EXPECT_EQ(lengths(store_of("2", "Y[i + a, i + a] = 1.0", "M, M")), StoreBoundedPrefix::kSharedAxis);
}

TEST(NarrowAxes, GiveWayToAnAxisThatMoves) {
  for (const char* extent : {"0", "1"})
    EXPECT_EQ(lengths(store_of(extent, "Y[a + b] = 1.0")), "b: clamp(11 - (a + b at b = 0), 0, 8)");
  EXPECT_EQ(lengths(store_of("2", "Y[a + b] = 1.0")), StoreBoundedPrefix::kNotProjected);
}

TEST(NarrowAxes, OfOpenSizes) {
  EXPECT_EQ(lengths(store_of("min(M, 1)", "Y[a / 4 + i] = 1.0", "M + 3", "i in M", {})),
            "a: clamp(M + 3 - (a/4 + i at a = 0), 0, min(M, 1))");
  EXPECT_EQ(lengths(store_of("min(M, 2)", "Y[a / 4 + i] = 1.0", "M + 3", "i in M", {})), "none");
}

TEST(NarrowAxes, StillNeedAnOriginInside) {
  for (const char* extent : {"1", "2"})
    EXPECT_EQ(lengths(store_of(extent, "Y[(i + a) % 6 - 1] = 1.0")), StoreBoundedPrefix::kOriginBelowZero);
  EXPECT_EQ(lengths(store_of("1", "Y[a % 4, a / 4 + i] = 1.0", "M, 2")), StoreBoundedPrefix::kOriginOutside);
  EXPECT_EQ(lengths(store_of("1", "Y[a % 4, a / 4 + i] = 1.0", "M, 3")), length_of_a("a%4", "1"));
}

TEST(NarrowAxes, ADomainWithoutPointsHasTheFormsOfOneWith) {
  const std::string tiles = "Y[min(i*4 + a, M)] = 1.0", quotients = "Y[(i*4 + a) / 4 + i] = 1.0";
  for (const char* trips : {"i in 0", "i in 1", "i in 0, j in 3"}) {
    EXPECT_EQ(lengths(store_of("4", tiles, "M", trips)), length_of_a("min(i*4 + a, 11)", "4"));
    EXPECT_EQ(lengths(store_of("4", quotients, "M", trips)), "none");
  }
  const auto nested = [](const std::string& store) { return "serial i in j / 3 {\n " + store + "\n }"; };
  EXPECT_EQ(lengths(store_of("4", nested(tiles), "M", "j in 3")), length_of_a("min(i*4 + a, 11)", "4"));
  EXPECT_EQ(lengths(store_of("4", nested(quotients), "M", "j in 3")), "none");
}

TEST(NarrowAxes, AnInteriorIsAsTheyCount) {
  const auto interior = [](const tile::Program& program) {
    for (const Finding& finding : prove_program(program, noalias()).findings) {
      if (finding.part != DomainPart::Interior) continue;
      if (finding.kind != Finding::Kind::Proved) return std::string(finding.code);
      const auto held = recheck(program, noalias(), finding);
      return held ? std::string("proved") : render(held.error());
    }
    return std::string("no such question");
  };
  for (const char* extent : {"0", "1"}) {
    EXPECT_EQ(interior(store_of(extent, "Y[a / 4 + i] = 1.0", "2")), "proved");
    EXPECT_EQ(interior(store_of(extent, "Y[(a ^ 1) + b] = 1.0")), "proved");
    EXPECT_EQ(interior(store_of(extent, "Y[a / 4 + b] = 1.0")), "proved");
  }
  EXPECT_EQ(interior(store_of("1", "Y[a % 4, a / 4 + i] = 1.0", "M, 2")), "past_end");
  EXPECT_EQ(interior(store_of("2", "Y[a / 4 + i] = 1.0", "2")), "past_end");
}

constexpr const char* kStore = "C[i*8 + m, j*8 + n] = acc";
constexpr const char* kLoadA = "a[m, k] = A[i*8 + m, s*4 + k]";
constexpr const char* kLoadB = "b[k, n] = B[s*4 + k, j*8 + n]";

tile::Program product(const std::string& axes, const Changes& changes) {
  Changes all = changes;
  all.emplace_back("m: 8, n: 8, k: 4", axes);
  return matrix_program(product_text(all), {{"M", 16}, {"N", 16}, {"K", 12}});
}

TEST(NarrowAxes, ProjectAResult) {
  const Changes divided{{kStore, "C[i*8 + m % 4, j*8 + n / 4 + m / 4] = acc"}};
  for (const char* axes : {"m: 1, n: 1, k: 4", "m: 0, n: 1, k: 4", "m: 1, n: 1, k: 1"})
    EXPECT_EQ(told(product(axes, divided), OutputDirect::kId, "projection"), "m to dimension 0, n to dimension 1");
  EXPECT_EQ(told(product("m: 1, n: 2, k: 4", divided), OutputDirect::kId, "projection"), OutputDirect::kNotProjected);
}

TEST(NarrowAxes, EndAProduct) {
  const Changes divided{{kLoadA, "a[m, k] = A[i*8 + m / 4, s*4 + k % 4]"}, {kLoadB, "b[k, n] = B[s*4 + k, j*8 + n]"}};
  for (const char* axes : {"m: 0, n: 8, k: 4", "m: 1, n: 8, k: 4", "m: 1, n: 8, k: 1"})
    for (const std::string_view family : {ExtentBoundedK::kId, ExtentBoundedMn::kId})
      EXPECT_EQ(told(product(axes, divided), family, "a_length"), "12 - (s*4 + k%4 at k = 0)") << axes;
  EXPECT_EQ(told(product("m: 2, n: 8, k: 4", divided), ExtentBoundedMn::kId, "a_length"),
            ExtentBoundedMn::kNotProjected);
}

TEST(NarrowAxes, AProductOfNothingEndsAnywhere) {
  const Changes longer{{"B: f32[K, N]", "B: f32[K + 1, N]"}};
  EXPECT_EQ(told(product("m: 0, n: 8, k: 4", longer), ExtentBoundedMn::kId, "b_length"), "13 - (s*4 + k at k = 0)");
  EXPECT_EQ(told(product("m: 1, n: 8, k: 4", longer), ExtentBoundedMn::kId, "b_length"),
            ExtentBoundedMn::kLengthsDiffer);
  const Changes apart{{"acc[m, n] = 0.0", "acc[m, n] = 0.0\n a[m, k] = A[i*8 + m, k]"},
                      {kLoadA, ""},
                      {kLoadB, "b[k, n] = B[s*0 + k, j*8 + n]"},
                      {"s in ceildiv(K, 4)", "s in M - 16"}};
  EXPECT_EQ(told(product("m: 8, n: 8, k: 4", apart), ExtentBoundedMn::kId, "b_length"), "12 - (s*0 + k at k = 0)");
}

TEST(LinearCoefficient, ByTheTree) {
  tile::IndexArena index;
  using tile::IndexKind;
  const auto a = index.axis(tile::AxisId{0}), b = index.axis(tile::AxisId{1}), i = index.coord(tile::CoordId{0});
  const auto number = [&](std::int64_t value) { return index.constant(value); };
  const auto of = [&](tile::IndexId expr) { return check::linear_coefficient(index, expr, IndexKind::Axis, 0); };
  const auto make = [&](IndexKind kind, tile::IndexId x, tile::IndexId y) { return index.make(kind, x, y); };
  EXPECT_EQ(of(a), 1);
  EXPECT_EQ(of(b), 0);
  EXPECT_EQ(of(i), 0);
  EXPECT_EQ(check::linear_coefficient(index, i, IndexKind::Coord, 0), 1);
  EXPECT_EQ(of(make(IndexKind::Sub, make(IndexKind::Mul, number(3), a), make(IndexKind::Mul, a, number(5)))), -2);
  EXPECT_EQ(of(make(IndexKind::Add, a, make(IndexKind::FloorDiv, b, number(2)))), 1);
  EXPECT_EQ(of(make(IndexKind::Add, b, make(IndexKind::FloorDiv, a, number(2)))), std::nullopt);
  EXPECT_EQ(of(make(IndexKind::Mul, a, b)), std::nullopt);
  const auto large = make(IndexKind::Mul, a, number(INT64_MAX));
  EXPECT_EQ(of(large), INT64_MAX);
  EXPECT_EQ(of(make(IndexKind::Add, large, a)), std::nullopt);
}

}  // namespace
}  // namespace tilewright::proof::narrow_axes_test
