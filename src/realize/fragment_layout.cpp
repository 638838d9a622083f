#include "realize/fragment_layout.h"

#include <utility>
#include <variant>
#include <vector>

#include "proof/index_map_layouts.h"
#include "proof/map_total_in_bounds.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::realize {

namespace {

template <class Family>
std::expected<proof::Proved<Family>, LayoutFault> token_of(proof::Verdict<Family> verdict, std::string_view map) {
  if (auto* proved = std::get_if<proof::Proved<Family>>(&verdict)) return std::move(*proved);
  LayoutFault fault{std::string(map), std::string(Family::kId), {}, {}};
  if (const auto* refuted = std::get_if<proof::Refuted>(&verdict)) {
    fault.code = refuted->code;
    fault.reason = refuted->witness.violates;
  } else {
    fault.code = std::get<proof::Unknown>(verdict).code;
    fault.reason = std::get<proof::Unknown>(verdict).reason;
  }
  return std::unexpected(std::move(fault));
}

std::expected<ProvedMap, LayoutFault> prove_all(proof::IndexMap map, std::string_view name) {
  auto total = token_of(proof::prove_map_total_in_bounds(map), name);
  if (!total) return std::unexpected(std::move(total).error());
  auto bijective = token_of(proof::prove_map_bijective(map, *total), name);
  if (!bijective) return std::unexpected(std::move(bijective).error());
  auto cover = token_of(proof::prove_map_exact_cover({map, {}}), name);
  if (!cover) return std::unexpected(std::move(cover).error());
  return ProvedMap{std::move(map), std::move(*bijective), std::move(*cover)};
}

using LayoutPoint = std::vector<std::int64_t>;

/// All results of the map; nothing where one has no value.
std::optional<LayoutPoint> value_at(const proof::IndexMap& map, const LayoutPoint& point) {
  tile::IndexEnvironment environment;
  environment.axis = [&](tile::AxisId axis) -> std::optional<std::int64_t> { return point.at(axis.index); };
  LayoutPoint value;
  for (const tile::IndexId result : map.results) {
    const auto coordinate = map.arena.evaluate(result, environment);
    if (!coordinate) return std::nullopt;
    value.push_back(*coordinate);
  }
  return value;
}

/// (subgroup, fragment) by adding up the shards, without an index map.
LayoutPoint by_shards(const std::array<FragmentShard, 4>& shards, const LayoutPoint& digits) {
  LayoutPoint place{0, 0};
  for (std::size_t i = 0; i < shards.size(); ++i)
    place[shards[i].adds_to == OwnerCoordinate::Subgroup ? 0 : 1] += shards[i].stride * digits[i];
  return place;
}

bool agrees_at(const FragmentLayout& layout, const AtomPlace& atom) {
  const std::int64_t rm = layout.shards[1].extent;
  const std::int64_t rn = layout.shards[3].extent;
  const LayoutPoint at{atom.atom_m, atom.atom_n};
  const LayoutPoint digits{atom.atom_m / rm, atom.atom_m % rm, atom.atom_n / rn, atom.atom_n % rn};
  const LayoutPoint place = by_shards(layout.shards, digits);
  return value_at(layout.forward.map, digits) == place && value_at(layout.owner.map, at) == place &&
         value_at(layout.inverse.map, place) == at;
}

}  // namespace

std::expected<FragmentLayout, LayoutFault> fragment_layout(const MatrixDistribution& d) {
  TW_CHECK(d.is_rectangle() && d.subgroups_m > 0 && d.subgroups_n > 0 && d.atom_rows > 0 && d.atom_columns > 0);
  const proof::FragmentFactors factors{d.subgroups_m, d.atom_rows, d.subgroups_n, d.atom_columns};
  auto forward = prove_all(proof::fragment_shard_map(factors), "forward");
  if (!forward) return std::unexpected(std::move(forward).error());
  auto owner = prove_all(proof::fragment_owner_map(factors), "owner");
  if (!owner) return std::unexpected(std::move(owner).error());
  auto inverse = prove_all(proof::fragment_atom_map(factors), "inverse");
  if (!inverse) return std::unexpected(std::move(inverse).error());
  return FragmentLayout{{{{"gm", d.subgroups_m, d.subgroups_n, OwnerCoordinate::Subgroup},
                          {"rm", d.atom_rows, d.atom_columns, OwnerCoordinate::Fragment},
                          {"gn", d.subgroups_n, 1, OwnerCoordinate::Subgroup},
                          {"rn", d.atom_columns, 1, OwnerCoordinate::Fragment}}},
                        std::move(*forward),
                        std::move(*owner),
                        std::move(*inverse)};
}

std::expected<AtomJobs, LayoutFault> atom_jobs(const MatrixWorkload& workload, std::int64_t subgroups) {
  TW_CHECK(subgroups >= 1);
  const auto atoms = checked_mul(workload.atom_rows(), workload.atom_columns());
  TW_CHECK(atoms.has_value());
  proof::GuardedMap map = proof::tiled_cover({*atoms}, {subgroups});
  auto cover = token_of(proof::prove_map_exact_cover(map), "jobs");
  if (!cover) return std::unexpected(std::move(cover).error());
  return AtomJobs{std::move(map), std::move(*cover)};
}

std::optional<AtomPlace> layout_disagreement(const FragmentLayout& layout) {
  const std::int64_t rows = layout.shards[0].extent * layout.shards[1].extent;
  const std::int64_t columns = layout.shards[2].extent * layout.shards[3].extent;
  for (std::int64_t m = 0; m < rows; ++m)
    for (std::int64_t n = 0; n < columns; ++n)
      if (!agrees_at(layout, {m, n})) return AtomPlace{m, n};
  return std::nullopt;
}

}  // namespace tilewright::realize
