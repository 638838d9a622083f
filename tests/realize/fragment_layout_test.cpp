// Fragment layouts: forward and inverse agree on every atom, are proved, and their certificates re-check.
#include "realize/fragment_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "proof/check/check_map.h"
#include "proof/index_map_layouts.h"

namespace tilewright::realize::fragment_layout_test {
namespace {

MatrixDistribution rectangle(std::int64_t gm, std::int64_t gn, std::int64_t rm, std::int64_t rn) {
  return {.subgroups_m = gm, .subgroups_n = gn, .atom_rows = rm, .atom_columns = rn};
}

std::int64_t value(const proof::IndexMap& map, std::size_t result, const std::vector<std::int64_t>& point) {
  tile::IndexEnvironment environment;
  environment.axis = [&](tile::AxisId axis) -> std::optional<std::int64_t> { return point.at(axis.index); };
  return map.arena.evaluate(map.results.at(result), environment).value();
}

/// The formulas of the mapping family, and that the three maps follow them.
void expect_formulas(const MatrixDistribution& d, const FragmentLayout& layout) {
  std::set<std::pair<std::int64_t, std::int64_t>> owners;
  for (std::int64_t m = 0; m < d.subgroups_m * d.atom_rows; ++m)
    for (std::int64_t n = 0; n < d.subgroups_n * d.atom_columns; ++n) {
      const std::int64_t subgroup = m / d.atom_rows * d.subgroups_n + n / d.atom_columns;
      const std::int64_t fragment = m % d.atom_rows * d.atom_columns + n % d.atom_columns;
      ASSERT_EQ(value(layout.owner.map, 0, {m, n}), subgroup);
      ASSERT_EQ(value(layout.owner.map, 1, {m, n}), fragment);
      ASSERT_EQ(value(layout.inverse.map, 0, {subgroup, fragment}), m);
      ASSERT_EQ(value(layout.inverse.map, 1, {subgroup, fragment}), n);
      const std::vector<std::int64_t> digits{m / d.atom_rows, m % d.atom_rows, n / d.atom_columns, n % d.atom_columns};
      ASSERT_EQ(value(layout.forward.map, 0, digits), subgroup);
      ASSERT_EQ(value(layout.forward.map, 1, digits), fragment);
      ASSERT_TRUE(owners.insert({subgroup, fragment}).second);
    }
  EXPECT_EQ(owners.size(), static_cast<std::size_t>(d.subgroups_m * d.subgroups_n * d.atom_rows * d.atom_columns));
}

void expect_certificates(const ProvedMap& map) {
  EXPECT_TRUE(proof::check_map_bijective(map.bijective.certificate(), map.map));
  EXPECT_TRUE(proof::check_map_exact_cover(map.exact_cover.certificate(), {map.map, {}}));
  EXPECT_TRUE(map.bijective.holds_for(proof::index_map_subject(map.map), proof::kNoOperation));
  EXPECT_TRUE(map.exact_cover.holds_for(proof::index_map_subject(proof::GuardedMap{map.map, {}}), proof::kNoOperation));
}

TEST(FragmentLayout, ForwardAndInverseAgreeOnEveryAtom) {
  for (std::int64_t gm = 1; gm <= 4; ++gm)
    for (std::int64_t gn = 1; gn <= 4; ++gn)
      for (std::int64_t rm = 1; rm <= 4; ++rm)
        for (std::int64_t rn = 1; rn <= 4; ++rn) {
          const MatrixDistribution d = rectangle(gm, gn, rm, rn);
          const auto layout = fragment_layout(d);
          ASSERT_TRUE(layout) << layout.error().family << " " << layout.error().code;
          expect_formulas(d, *layout);
          EXPECT_EQ(layout_disagreement(*layout), std::nullopt);
        }
}

TEST(FragmentLayout, CertificatesReCheck) {
  for (const MatrixDistribution& d : {rectangle(1, 4, 4, 2), rectangle(3, 2, 2, 5), rectangle(1, 1, 1, 1)}) {
    const auto layout = fragment_layout(d);
    ASSERT_TRUE(layout);
    expect_certificates(layout->forward);
    expect_certificates(layout->owner);
    expect_certificates(layout->inverse);
  }
}

TEST(FragmentLayout, ShardsOfExtentOneKeepBothCoordinates) {
  const auto layout = fragment_layout(rectangle(1, 4, 4, 2));
  ASSERT_TRUE(layout);
  const std::array<FragmentShard, 4> expected{{{"gm", 1, 4, OwnerCoordinate::Subgroup},
                                               {"rm", 4, 2, OwnerCoordinate::Fragment},
                                               {"gn", 4, 1, OwnerCoordinate::Subgroup},
                                               {"rn", 2, 1, OwnerCoordinate::Fragment}}};
  EXPECT_EQ(layout->shards, expected);
  const auto one = fragment_layout(rectangle(1, 1, 1, 1));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->forward.map.outputs.size(), 2u);
  EXPECT_EQ(one->inverse.map.outputs.size(), 2u);
}

TEST(FragmentLayout, ExtentsFarBeyondEnumerationAreProved) {
  const auto layout = fragment_layout(rectangle(1 << 12, 1 << 12, 1 << 10, 1 << 10));
  ASSERT_TRUE(layout) << layout.error().map << " " << layout.error().family << " " << layout.error().code;
}

TEST(FragmentLayout, ADifferentInverseIsNoticed) {
  // Bijective, with the same boxes, but rows and columns of the grid of subgroups are swapped.
  auto layout = fragment_layout(rectangle(2, 2, 2, 2));
  ASSERT_TRUE(layout);
  proof::IndexMap& map = layout->inverse.map;
  std::swap(map.results[0], map.results[1]);
  EXPECT_EQ(layout_disagreement(*layout), (AtomPlace{0, 1}));
  auto shards = fragment_layout(rectangle(2, 2, 2, 2));
  ASSERT_TRUE(shards);
  shards->shards[1].stride = 1;
  shards->shards[3].stride = 2;
  EXPECT_EQ(layout_disagreement(*shards), (AtomPlace{0, 1}));
}

TEST(FragmentLayout, AtomJobsCoverTheAtomsWithAPartialLastWave) {
  for (std::int64_t rows = 1; rows <= 4; ++rows)
    for (std::int64_t columns = 1; columns <= 4; ++columns)
      for (std::int64_t subgroups = 1; subgroups <= 8; ++subgroups) {
        const MatrixWorkload workload{.rows = 8 * rows, .columns = 8 * columns, .contraction = 8};
        const auto jobs = atom_jobs(workload, subgroups);
        ASSERT_TRUE(jobs);
        EXPECT_TRUE(proof::check_map_exact_cover(jobs->exact_cover.certificate(), jobs->map));
        const std::int64_t atoms = rows * columns;
        const std::int64_t waves = (atoms + subgroups - 1) / subgroups;
        EXPECT_EQ(jobs->map.map.inputs, (std::vector<std::int64_t>{waves, subgroups}));
        EXPECT_EQ(jobs->map.guards.size(), atoms % subgroups == 0 ? 0u : 1u);
        EXPECT_EQ(value(jobs->map.map, 0, {waves - 1, 0}), (waves - 1) * subgroups);
      }
}

}  // namespace
}  // namespace tilewright::realize::fragment_layout_test
