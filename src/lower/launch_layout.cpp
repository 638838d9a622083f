#include "lower/launch_layout.h"

#include <algorithm>

#include "support/check.h"
#include "support/checked_math.h"
#include "support/result.h"
#include "tile/bind.h"

namespace tilewright::lower {

namespace {

std::unexpected<Diags> address_overflow() {
  return failure(DiagCode::SizeOverflow, "the addresses of a view do not fit 64 bits",
                 "use smaller strides or extents");
}

}  // namespace

Result<BufferLayout> make_buffer_layout(const std::vector<std::int64_t>& extents,
                                        const std::vector<std::int64_t>& strides) {
  if (extents.size() != strides.size())
    return failure(DiagCode::ArgumentStrides,
                   "expected " + std::to_string(extents.size()) + " strides, found " + std::to_string(strides.size()));
  BufferLayout layout{strides, 0, 0};
  bool empty = false;
  for (std::int64_t extent : extents) {
    if (extent < 0) return failure(DiagCode::NegativeSize, "an extent is " + std::to_string(extent));
    empty = empty || extent == 0;
  }
  if (empty) return layout;
  std::int64_t high = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto reach = checked_mul(extents[d] - 1, strides[d]);
    if (!reach) return address_overflow();
    std::int64_t& end = *reach < 0 ? layout.low : high;
    const auto moved = checked_add(end, *reach);
    if (!moved) return address_overflow();
    end = *moved;
  }
  const auto span = checked_sub(high, layout.low);
  const auto count = span ? checked_add(*span, 1) : span;
  if (!count) return address_overflow();
  layout.count = *count;
  return layout;
}

Result<BufferLayout> default_buffer_layout(const tile::Program& bound, tile::ObjectId object) {
  const std::vector<std::int64_t> extents = tile::bound_extents(bound, object);
  const tile::Object& declared = bound.object(object);
  if (declared.strides.empty()) return make_buffer_layout(extents, tile::dense_strides(extents));
  std::vector<std::int64_t> strides;
  for (tile::IndexId stride : declared.strides) {
    const auto number = bound.index().as_constant(stride);
    TW_CHECK(number.has_value());
    strides.push_back(*number);
  }
  return make_buffer_layout(extents, strides);
}

}  // namespace tilewright::lower
