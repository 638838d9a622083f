#include "analysis/domain.h"

#include <algorithm>

#include "tile/typing.h"

namespace tilewright::analysis {

bool OverDomain::is_constant_box() const {
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& d) { return d.constant_extent.has_value(); });
}

bool OverDomain::surely_empty() const {
  return std::any_of(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.constant_extent == 0; });
}

const Dimension* OverDomain::find(tile::CoordId coord) const {
  for (const Dimension& d : dimensions)
    if (d.is_coord() && d.coord == coord) return &d;
  return nullptr;
}

const Dimension* OverDomain::find(tile::AxisId axis) const {
  for (const Dimension& d : dimensions)
    if (!d.is_coord() && d.axis == axis) return &d;
  return nullptr;
}

std::vector<tile::AxisId> own_axes(const tile::Program& program, tile::OpId op) {
  const tile::Op& operation = program.op(op);
  if (const auto* store = std::get_if<tile::StoreOp>(&operation.payload)) {
    std::vector<tile::AxisId> axes;
    for (tile::IndexId expr : program.list(store->coords)) axes = tile::join_axes(axes, program.index().axes(expr));
    return axes;
  }
  const bool holds_blocks = std::holds_alternative<tile::RegionOp>(operation.payload) ||
                            std::holds_alternative<tile::IfOp>(operation.payload);
  if (holds_blocks || operation.results.empty()) return {};
  return program.list(program.value(program.list(operation.results)[0]).axes);
}

OverDomain over_domain(const tile::Program& program, const Walk& walk, tile::OpId op) {
  auto constant = [&](tile::IndexId extent) {
    auto number = program.index().as_constant(extent);
    if (number) number = std::max<std::int64_t>(*number, 0);
    return number;
  };
  OverDomain domain;
  const Nest& nest = walk.nest(op);
  for (const NestRegion& region : nest.regions)
    for (tile::CoordId coord : region.coords) {
      const tile::IndexId extent = program.coords()[coord].extent;
      domain.dimensions.push_back({coord, {}, region.region, region.kind, extent, constant(extent)});
    }
  for (tile::AxisId axis : own_axes(program, op)) {
    const tile::IndexId extent = program.axes()[axis].extent;
    domain.dimensions.push_back({{}, axis, {}, tile::RegionKind::Parallel, extent, constant(extent)});
  }
  for (const NestBranch& branch : nest.branches) domain.conditions.push_back({branch.condition, branch.in_then});
  return domain;
}

}  // namespace tilewright::analysis
