#include "tile/interpreter_sampling.h"

#include <algorithm>
#include <set>

#include "tile/bind.h"

namespace tilewright::tile {

namespace {

/// What a launch does to objects, wherever inside it.
struct Effects {
  std::set<ObjectId> loaded, stored;
  std::vector<StoreOp> stores;
};

void collect(const Program& program, BlockId block, Effects& effects) {
  for (OpId id : program.block(block).ops) {
    const OpPayload& payload = program.op(id).payload;
    if (const auto* load = std::get_if<LoadOp>(&payload)) effects.loaded.insert(load->object);
    if (const auto* store = std::get_if<StoreOp>(&payload)) {
      effects.stored.insert(store->object);
      effects.stores.push_back(*store);
    }
    if (const auto* region = std::get_if<RegionOp>(&payload)) collect(program, region->body, effects);
    if (const auto* branch = std::get_if<IfOp>(&payload)) {
      collect(program, branch->then_block, effects);
      collect(program, branch->else_block, effects);
    }
  }
}

std::vector<std::int64_t> point_of_row(const Program& program, ObjectId object, std::int64_t row) {
  const std::size_t rank = leading_rank(program.object(object));
  const std::vector<std::int64_t> extents = bound_extents(program, object);
  std::vector<std::int64_t> point(rank);
  for (std::size_t d = rank; d > 0; --d) {
    const std::int64_t extent = std::max<std::int64_t>(extents[d - 1], 1);
    point[d - 1] = row % extent;
    row /= extent;
  }
  return point;
}

/// Ranges of the leaves of an index expression: the launch's own coordinates are known, all others take every value.
class LeafRanges {
 public:
  LeafRanges(const Program& program, const std::vector<CoordId>& coords, const std::vector<std::int64_t>& position)
      : program_(program), coords_(coords), position_(position) {}

  std::optional<IndexRange> of(IndexId expr) const {
    return program_.index().range_over(expr, [this](const IndexNode& leaf) { return of_leaf(leaf); });
  }

 private:
  std::optional<IndexRange> of_leaf(const IndexNode& leaf) const {
    if (leaf.kind == IndexKind::Axis) return up_to(of(program_.axes()[leaf.axis()].extent));
    if (leaf.kind != IndexKind::Coord) return std::nullopt;
    const auto found = std::find(coords_.begin(), coords_.end(), leaf.coord());
    if (found == coords_.end()) return up_to(of(program_.coords()[leaf.coord()].extent));
    const std::int64_t value = position_[static_cast<std::size_t>(found - coords_.begin())];
    return IndexRange{value, value};
  }
  static std::optional<IndexRange> up_to(std::optional<IndexRange> extent) {
    if (!extent) return std::nullopt;
    return IndexRange{0, std::max<std::int64_t>(extent->high - 1, 0)};
  }

  const Program& program_;
  const std::vector<CoordId>& coords_;
  const std::vector<std::int64_t>& position_;
};

}  // namespace

std::size_t leading_rank(const Object& object) { return object.rank() <= 1 ? object.rank() : object.rank() - 1; }

std::int64_t row_count(const Program& bound, ObjectId output) {
  const std::vector<std::int64_t> extents = bound_extents(bound, output);
  std::int64_t rows = 1;
  for (std::size_t d = 0; d < leading_rank(bound.object(output)); ++d) rows *= extents[d];
  return rows;
}

RowSampling::RowSampling(const Program& program, const InterpreterOptions& options) : program_(program) {
  if (!options.rows) return;
  std::set<ObjectId> read_later;
  const std::vector<OpId>& ops = program.block(program.root()).ops;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const auto* region = std::get_if<RegionOp>(&program.op(*op).payload);
    if (region == nullptr) continue;
    Effects effects;
    collect(program, region->body, effects);
    Launch launch{*op, true, program.list(region->coords), {}};
    for (ObjectId object : effects.stored) launch.sampled = launch.sampled && !read_later.contains(object);
    read_later.insert(effects.loaded.begin(), effects.loaded.end());
    for (const StoreOp& store : effects.stores) {
      const ObjectKind kind = program.object(store.object).kind;
      if (kind != ObjectKind::Out && kind != ObjectKind::InOut) continue;
      const auto wanted = options.rows->find(store.object);
      if (wanted == options.rows->end()) {
        launch.sampled = false;
        break;
      }
      WantedStore entry;
      entry.leading = program.list(store.coords);
      entry.leading.resize(leading_rank(program.object(store.object)));
      for (std::int64_t row : wanted->second) entry.rows.push_back(point_of_row(program, store.object, row));
      launch.stores.push_back(std::move(entry));
    }
    launches_.push_back(std::move(launch));
  }
}

bool RowSampling::may_store_wanted(const WantedStore& store, const std::vector<CoordId>& coords,
                                   const std::vector<std::int64_t>& position) const {
  const LeafRanges leaves(program_, coords, position);
  std::vector<std::vector<std::int64_t>> candidates = store.rows;
  for (std::size_t d = 0; d < store.leading.size() && !candidates.empty(); ++d) {
    const std::optional<IndexRange> range = leaves.of(store.leading[d]);
    if (!range) continue;
    std::erase_if(candidates, [&](const auto& row) { return row[d] < range->low || row[d] > range->high; });
  }
  return !candidates.empty();
}

bool RowSampling::may_matter(OpId launch, const std::vector<std::int64_t>& position) const {
  for (const Launch& candidate : launches_) {
    if (candidate.op != launch || !candidate.sampled) continue;
    return std::any_of(candidate.stores.begin(), candidate.stores.end(),
                       [&](const WantedStore& store) { return may_store_wanted(store, candidate.coords, position); });
  }
  return true;
}

}  // namespace tilewright::tile
