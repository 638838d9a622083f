#include "driver/view_range.h"

#include <algorithm>
#include <utility>

#include "support/check.h"
#include "support/checked_math.h"

namespace tilewright::driver {

namespace {

bool has_points(const std::vector<std::int64_t>& extents) {
  return std::none_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent == 0; });
}

/// Sufficient: sorted by size, every stride is larger than what the smaller ones can reach together.
bool strides_nest(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> axes;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] <= 1) continue;
    const auto stride = static_cast<std::uint64_t>(strides[d]);
    axes.emplace_back(strides[d] < 0 ? 0 - stride : stride, extents[d]);
  }
  std::sort(axes.begin(), axes.end());
  std::uint64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    std::uint64_t span;
    if (__builtin_mul_overflow(stride, static_cast<std::uint64_t>(extent - 1), &span)) return false;
    if (__builtin_add_overflow(reach, span, &reach)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> point_count(const std::vector<std::int64_t>& extents) {
  if (!has_points(extents)) return 0;
  std::int64_t count = 1;
  for (std::int64_t extent : extents) {
    const auto product = checked_mul(count, extent);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<ElementRange> element_range(const ArrayView& view) {
  TW_CHECK(view.extents.size() == view.strides.size());
  if (!has_points(view.extents)) return ElementRange{};
  std::int64_t low = view.offset, high = view.offset;
  for (std::size_t d = 0; d < view.extents.size(); ++d) {
    const auto reach = checked_mul(view.extents[d] - 1, view.strides[d]);
    if (!reach) return std::nullopt;
    std::int64_t& bound = *reach < 0 ? low : high;
    const auto moved = checked_add(bound, *reach);
    if (!moved) return std::nullopt;
    bound = *moved;
  }
  const auto end = checked_add(high, 1);
  if (!end) return std::nullopt;
  return ElementRange{low, *end};
}

std::vector<std::int64_t> point_of(std::int64_t ordinal, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> point(extents.size(), 0);
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 0) continue;
    point[d] = ordinal % extents[d];
    ordinal /= extents[d];
  }
  return point;
}

ArrayView without_repeats(const ArrayView& view) {
  ArrayView reduced = view;
  for (std::size_t d = 0; d < view.extents.size(); ++d)
    if (view.strides[d] == 0) reduced.extents[d] = std::min<std::int64_t>(view.extents[d], 1);
  return reduced;
}

SelfOverlapVerdict find_self_overlap(const std::vector<std::int64_t>& extents,
                                     const std::vector<std::int64_t>& strides) {
  if (!has_points(extents) || strides_nest(extents, strides)) return {};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] <= 1 || strides[d] != 0) continue;
    SelfOverlapVerdict verdict{SelfOverlap::Certain, std::vector<std::int64_t>(extents.size(), 0), {}};
    verdict.second = verdict.first;
    verdict.second[d] = 1;
    return verdict;
  }
  const auto count = point_count(extents);
  if (!count || *count > kEnumeratedPoints) return {SelfOverlap::Unknown, {}, {}};
  const ArrayView view{DataType::F32, nullptr, 0, 0, extents, strides};
  if (!element_range(view)) return {SelfOverlap::Unknown, {}, {}};

  std::vector<std::pair<std::int64_t, std::int64_t>> positions;
  positions.reserve(static_cast<std::size_t>(*count));
  for_each_element(view,
                   [&](std::int64_t ordinal, std::int64_t position) { positions.emplace_back(position, ordinal); });
  std::sort(positions.begin(), positions.end());
  const auto twice = std::adjacent_find(positions.begin(), positions.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == positions.end()) return {};
  return {SelfOverlap::Certain, point_of(twice->second, extents), point_of((twice + 1)->second, extents)};
}

}  // namespace tilewright::driver
