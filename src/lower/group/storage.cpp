#include "lower/group/storage.h"

#include <algorithm>

#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

ValueForm GroupStorage::form(ValueId value) const {
  switch (materialization_.residence[value]) {
    case realize::Residence::Elsewhere:
      return ValueForm::Dead;
    case realize::Residence::Folded:
      return program_.value(value).axes.empty() ? ValueForm::Scalar : ValueForm::Fused;
    case realize::Residence::Uniform:
      return ValueForm::Scalar;
    case realize::Residence::Stored:
      return ValueForm::Stored;
  }
  return ValueForm::Dead;
}

const plan::TilePlan* GroupStorage::tile_of(ValueId value) const {
  const auto found = std::find_if(launch_.tiles.begin(), launch_.tiles.end(),
                                  [&](const plan::TilePlan& tile) { return tile.value == value; });
  return found == launch_.tiles.end() ? nullptr : &*found;
}

/// Row-major, with the padding after each row of the last axis.
std::map<AxisId, std::int64_t> GroupStorage::strides(ValueId value, std::int64_t padding) const {
  const std::vector<AxisId> axes = program_.list(program_.value(value).axes);
  std::map<AxisId, std::int64_t> strides;
  std::int64_t step = 1;
  for (std::size_t d = axes.size(); d-- > 0;) {
    strides[axes[d]] = step;
    step *= bound_extent(program_, axes[d]);
    if (d + 1 == axes.size()) step += padding;
  }
  return strides;
}

std::int64_t GroupStorage::version_elements(ValueId value) const {
  const plan::TilePlan* tile = tile_of(value);
  TW_CHECK(tile != nullptr);
  return tile->bytes / static_cast<std::int64_t>(data_type_bytes(program_.value(value).element.data));
}

StridedView GroupStorage::allocate(ValueId value, std::int64_t versions, SlotPool& slots) const {
  const plan::TilePlan* tile = tile_of(value);
  const std::string& name = program_.value(value).name;
  const SlotId slot = slots.take(scalar_type(program_.value(value).element.data), versions * version_elements(value),
                                 kernel::AllocationSpace::Shared, name.empty() ? "tile" : name);
  return {slot, strides(value, tile->row_padding_elements), {}};
}

}  // namespace tilewright::lower
