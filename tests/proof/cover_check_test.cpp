// The checker of map.exact_cover of stores where the domain is too large to visit: true covers of every form are
// accepted, and certificates whose every line fits a store that leaves a gap or writes twice are refused.
#include <gtest/gtest.h>

#include "case_count.h"
#include "proof/case_random.h"
#include "proof/check/check_cover.h"
#include "proof/store_cover.h"
#include "tile/bind.h"
#include "tile/parser.h"
#include "tile/printer.h"
#include "tile/verifier.h"

namespace tilewright::proof::cover_check_test {
namespace {

struct Store {
  std::string extents, regions, axes, coords;
};

tile::Program store_program(const Store& store, bool open = false) {
  const std::string text = std::string("program p(") + (open ? "M" : "") + ") {\n inout Y: f32[" + store.extents +
                           "]\n parallel " + store.regions + " {\n axis " + store.axes + "\n Y[" + store.coords +
                           "] = 1.0\n }\n}";
  auto family = tile::parse_program(text, "test.tile");
  EXPECT_TRUE(family) << render(family.error()) << text;
  EXPECT_TRUE(tile::verify(*family));
  auto program = open ? tile::choose_params(*family, {}) : tile::bind(*family, {});
  EXPECT_TRUE(program) << render(program.error()) << text;
  return std::move(*program);
}

tile::OpId store_of(const tile::Program& program) {
  for (tile::OpId op : program.ops().ids())
    if (std::holds_alternative<tile::StoreOp>(program.op(op).payload)) return op;
  return {};
}

/// The certificate that would be right if the store covered.
Certificate claim(const tile::Program& program) {
  const Subject subject = make_subject(program);
  const auto text = [&](const std::vector<tile::IndexId>& ids) {
    std::string line;
    for (tile::IndexId id : ids) line += (line.empty() ? "" : ", ") + tile::print_index(program, id);
    return line;
  };
  const analysis::Access& access = *subject.accesses.of(store_of(program));
  std::vector<tile::IndexId> coords;
  for (const analysis::AccessDimension& dimension : access.dimensions) coords.push_back(dimension.expr);
  std::string domain;
  for (const analysis::Dimension& dimension : access.domain.dimensions)
    domain += (domain.empty() ? "" : ", ") +
              (dimension.is_coord() ? program.coords()[dimension.coord].name : program.axes()[dimension.axis].label) +
              " in " + tile::print_index(program, dimension.extent);
  Certificate certificate{std::string(MapExactCover::kId), subject.hash, access.op.index, common_premises(subject), {}};
  certificate.fields = {{"access", "store Y[" + text(coords) + "]"},
                        {"extents", text(program.object(access.object).extents)},
                        {"domain", domain}};
  return certificate;
}

/// "": accepted; else what the checker says.
std::string checked(const Store& store, const AccessCheckLimits& limits = {}, bool open = false) {
  const tile::Program program = store_program(store, open);
  const auto held = check_store_cover(claim(program), program, {}, store_of(program), limits);
  if (held) return {};
  const std::string& message = held.error()[0].message;
  return message.substr(message.rfind(": ") + 2);
}

constexpr const char* kGap = "an element is not stored";
constexpr const char* kTwice = "an element is stored twice";

TEST(CoverCheck, EachDimensionByItsPoints) {
  const Store gemm{"8192, 8192", "i in 128, j in 128", "m: 64, n: 64", "i*64 + m, j*64 + n"};
  EXPECT_EQ(checked(gemm), "");
  const auto with = [&](const Store& change) {
    return checked(
        {change.extents.empty() ? gemm.extents : change.extents, change.regions.empty() ? gemm.regions : change.regions,
         change.axes.empty() ? gemm.axes : change.axes, change.coords.empty() ? gemm.coords : change.coords});
  };
  EXPECT_EQ(with({"8191, 8192", "", "", ""}), "");
  EXPECT_EQ(with({"8193, 8192", "", "", ""}), kGap);
  EXPECT_EQ(with({"", "i in 127, j in 128", "", ""}), kGap);
  EXPECT_EQ(with({"", "i in 129, j in 128", "", ""}), "");
  EXPECT_EQ(with({"", "", "m: 63, n: 64", ""}), kGap);
  EXPECT_EQ(with({"", "", "m: 65, n: 64", ""}), kTwice);
  EXPECT_EQ(with({"", "", "", "i*64 + m, j*63 + n"}), kTwice);
  EXPECT_EQ(with({"", "", "", "i*64 + m, j*64 + n - 1"}), kGap);
  EXPECT_EQ(with({"", "", "", "i*64 + m, 8191 - j*64 - n"}), "");
  EXPECT_EQ(with({"", "i in 128, j in 128, l in 2", "", ""}), kTwice);
  EXPECT_EQ(with({"", "i in 128, j in 128, l in 1", "", ""}), "");
  EXPECT_EQ(with({"", "i in 128, j in 0", "", ""}), kGap);
}

TEST(CoverCheck, BlocksOfADimensionWithTooManyPoints) {
  const std::string size = "100000007";
  EXPECT_EQ(checked({size, "i in 1562501", "m: 64", "i*64 + m"}), "");
  EXPECT_EQ(checked({size, "i in 1562500", "m: 64", "i*64 + m"}), kGap);
  EXPECT_EQ(checked({size, "i in 1562501", "m: 64", "i*64 + m + 1"}), kGap);
  EXPECT_EQ(checked({size, "i in 1562501", "m: 64", "100000006 - i*64 - m"}), "");
  EXPECT_EQ(checked({size, "i in 1562501", "m: 64", "100000005 - i*64 - m"}), kGap);
  // Blocks in the order of another dimension; their starting points are enumerated.
  EXPECT_EQ(checked({"16777216", "i in 64, j in 64", "m: 4096", "j*262144 + i*4096 + m"}), "");
  EXPECT_EQ(checked({"16777216", "i in 64, j in 64", "m: 4096", "(i / 8)*2097152 + (i % 8)*262144 + j*4096 + m"}), "");
  EXPECT_EQ(checked({"16777216", "i in 64, j in 64", "m: 4096", "(i / 8)*2097152 + (i % 8)*262144 + j*4095 + m"}),
            kTwice);
  EXPECT_EQ(checked({"16777216", "i in 64, j in 64", "m: 4096", "(i / 8)*2097152 + (i % 4)*262144 + j*4096 + m"}),
            kTwice);
  EXPECT_EQ(checked({"16777217", "i in 64, j in 64", "m: 4096", "(i / 8)*2097152 + (i % 8)*262144 + j*4096 + m"}),
            kGap);
}

TEST(CoverCheck, WhatIsTooLargeIsSampled) {
  // One part of two dimensions of the object: its points are too many, and two samples that collide are hard to find.
  const AccessCheckLimits small{64, 1 << 10, 400};
  EXPECT_EQ(checked({"64, 64", "i in 4096", "m: 2", "i / 64, i % 64 + m - m"}, small), "two points store one element");
  EXPECT_EQ(checked({"64, 64", "i in 4096", "m: 1", "i / 64, i % 64 + m"}, small), "");
  EXPECT_EQ(checked({"64, 64", "i in 4096", "m: 1", "i / 64, i % 64 + m"}), "");
}

TEST(CoverCheck, OpenSizes) {
  EXPECT_EQ(checked({"M, 8192", "i in ceildiv(M, 64), j in 128", "m: 64, n: 64", "i*64 + m, j*64 + n"}, {}, true), "");
  EXPECT_EQ(checked({"M, 8192", "i in ceildiv(M, 64), j in 128", "m: 64, n: 64", "i*64 + m, j*64 + n + 1"}, {}, true),
            kGap);
  EXPECT_EQ(checked({"M, 8192", "i in M / 64 + 1, j in 128", "m: 64, n: 64", "i*64 + m, j*64 + n"}, {}, true), "");
  EXPECT_EQ(checked({"M, 8192", "i in M / 64, j in 128", "m: 64, n: 64", "i*64 + m, j*64 + n"}, {}, true), kGap);
}

/// Small stores, at limits that leave only parts and blocks, against counting.
TEST(CoverCheckProperty, PartsAndBlocksAgreeWithCounting) {
  int accepted = 0, refused = 0;
  const int cases = case_count(400);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases); ++seed) {
    CaseRandom random(seed);
    const std::int64_t tile = random.number(1, 4), count = random.number(1, 6), inner = random.number(1, 3);
    const auto near = [&](std::int64_t number) { return number + (random.chance(1, 4) ? random.number(-1, 1) : 0); };
    const std::int64_t step = near(tile * inner), length = near(tile),
                       extent = std::max<std::int64_t>(1, near(tile * inner * count));
    const std::string text = std::to_string(step) + "*i + " + std::to_string(length) + "*j + m";
    const bool turned = random.chance(1, 3);
    const Store store{std::to_string(extent) + ", 2",
                      "i in " + std::to_string(count) + ", j in " + std::to_string(inner),
                      "m: " + std::to_string(tile) + ", n: 2",
                      (turned ? std::to_string(extent - 1) + " - (" + text + ")" : text) + ", n"};
    std::vector<int> stores(static_cast<std::size_t>(extent), 0);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < inner; ++j)
        for (std::int64_t m = 0; m < tile; ++m) {
          const std::int64_t at = step * i + length * j + m;
          if (at < extent) ++stores[static_cast<std::size_t>(at)];
        }
    const bool covers = std::all_of(stores.begin(), stores.end(), [](int times) { return times == 1; });
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + store.coords + " of " + store.extents);
    ASSERT_EQ(checked(store).empty(), covers);
    // 40 points: mostly no whole domain; parts where they are small, else blocks.
    ASSERT_EQ(checked(store, {40, 1 << 10, 0}).empty(), covers);
    ++(covers ? accepted : refused);
  }
  if (cases >= 100) {
    EXPECT_GE(accepted, cases / 4);
    EXPECT_GE(refused, cases / 4);
  }
}

}  // namespace
}  // namespace tilewright::proof::cover_check_test
