#include "analysis/leaf_ranges.h"

#include <algorithm>

namespace tilewright::analysis {

using tile::IndexKind;
using tile::IndexNode;
using tile::IndexRange;

std::optional<IndexRange> LeafRanges::of(const IndexNode& leaf) const {
  switch (leaf.kind) {
    case IndexKind::Constant:
      return IndexRange{leaf.value, leaf.value};
    case IndexKind::Symbol:
      return symbols[leaf.symbol()];
    case IndexKind::Param:
      return params[leaf.param()];
    case IndexKind::Coord:
      return coords[leaf.coord()];
    case IndexKind::Axis:
      return axes[leaf.axis()];
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::FloorDiv:
    case IndexKind::CeilDiv:
    case IndexKind::Mod:
    case IndexKind::Min:
    case IndexKind::Max:
    case IndexKind::BitAnd:
    case IndexKind::BitXor:
    case IndexKind::ShiftLeft:
    case IndexKind::ShiftRight:
      break;
  }
  TW_CHECK(!"an operation is no leaf");
  return std::nullopt;
}

std::optional<IndexRange> over_range_of(const tile::Program& program, tile::IndexId expr, const LeafRanges& ranges) {
  return program.index().range_over(expr, [&](const IndexNode& leaf) { return ranges.of(leaf); });
}

namespace {

/// 0 .. extent - 1 for the largest extent.
std::optional<IndexRange> counted(const std::optional<IndexRange>& extent) {
  if (!extent) return std::nullopt;
  return IndexRange{0, std::max<std::int64_t>(extent->high, 1) - 1};
}

class CoordRanges {
 public:
  CoordRanges(const tile::Program& program, LeafRanges& ranges)
      : program_(program), ranges_(ranges), known_(program.coords().size(), false) {}

  void run() {
    for (tile::CoordId id : program_.coords().ids()) find(id);
  }

 private:
  /// Depends on outer coordinates only, of which there are as many as regions nest.
  void find(tile::CoordId id) {
    if (known_[id.index]) return;
    known_[id.index] = true;
    const tile::IndexId extent = program_.coords()[id].extent;
    for (tile::CoordId outer : program_.index().coords(extent)) find(outer);
    ranges_.coords[id] = counted(over_range_of(program_, extent, ranges_));
  }

  const tile::Program& program_;
  LeafRanges& ranges_;
  std::vector<bool> known_;
};

}  // namespace

LeafRanges over_leaf_ranges(const tile::Program& program, const SizeRanges& sizes) {
  LeafRanges ranges;
  ranges.symbols.resize(program.symbols().size());
  ranges.params.resize(program.params().size());
  ranges.coords.resize(program.coords().size());
  ranges.axes.resize(program.axes().size());
  for (const auto& [id, range] : sizes.symbols) ranges.symbols[id] = range;
  for (const auto& [id, range] : sizes.params) ranges.params[id] = range;
  for (tile::AxisId id : program.axes().ids())
    ranges.axes[id] = counted(over_range_of(program, program.axes()[id].extent, ranges));
  CoordRanges(program, ranges).run();
  return ranges;
}

}  // namespace tilewright::analysis
