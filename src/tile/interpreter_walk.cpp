#include "tile/interpreter_walk.h"

#include "support/check.h"

namespace tilewright::tile {

namespace {

struct Dimension {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

// True when stepping `outer` once is stepping `inner` extent times, for every operand.
bool continues(const Dimension& outer, const Dimension& inner) {
  for (std::size_t n = 0; n < outer.strides.size(); ++n)
    if (outer.strides[n] != inner.strides[n] * inner.extent) return false;
  return true;
}

}  // namespace

Walk::Walk(const std::vector<std::int64_t>& extents, const std::vector<std::vector<std::int64_t>>& strides)
    : inner_(strides.size(), 0) {
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    TW_CHECK(extents[d] >= 0);
    size_ *= extents[d];
    if (extents[d] == 1) continue;
    Dimension next{extents[d], {}};
    for (const auto& operand : strides) next.strides.push_back(operand[d]);
    if (!dimensions.empty() && continues(dimensions.back(), next)) {
      next.extent *= dimensions.back().extent;
      dimensions.pop_back();
    }
    dimensions.push_back(std::move(next));
  }
  if (dimensions.empty()) return;
  count_ = dimensions.back().extent;
  inner_ = dimensions.back().strides;
  dimensions.pop_back();
  for (Dimension& dimension : dimensions) {
    outer_extents_.push_back(dimension.extent);
    outer_strides_.push_back(std::move(dimension.strides));
  }
}

bool Walk::advance(std::vector<std::int64_t>& position, std::vector<std::int64_t>& offsets) const {
  for (std::size_t d = position.size(); d > 0; --d) {
    const std::vector<std::int64_t>& strides = outer_strides_[d - 1];
    const bool more = ++position[d - 1] < outer_extents_[d - 1];
    const std::int64_t steps = more ? 1 : 1 - outer_extents_[d - 1];
    for (std::size_t n = 0; n < offsets.size(); ++n) offsets[n] += strides[n] * steps;
    if (more) return true;
    position[d - 1] = 0;
  }
  return false;
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t d = extents.size(); d > 0; --d) {
    strides[d - 1] = step;
    step *= extents[d - 1];
  }
  return strides;
}

}  // namespace tilewright::tile
