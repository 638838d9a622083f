// Which elements of its buffer a view addresses, and whether it addresses one of them twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tilewright/array.h>

namespace tilewright::driver {

/// Elements [begin, end) of a buffer; empty when begin == end.
struct ElementRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool empty() const { return begin == end; }
  bool operator==(const ElementRange&) const = default;
};

/// The smallest range that holds every element of the view; [0, 0) for a view without elements. Nothing when a position
/// does not fit 64 bits. Premise: one stride an extent, no negative extent.
std::optional<ElementRange> element_range(const ArrayView& view);

/// Number of points, or nothing beyond 64 bits.
std::optional<std::int64_t> point_count(const std::vector<std::int64_t>& extents);

enum class SelfOverlap : std::uint8_t { None, Certain, Unknown };

struct SelfOverlapVerdict {
  SelfOverlap kind = SelfOverlap::None;
  std::vector<std::int64_t> first, second;  ///< Certain: two points of one element
};

/// Exact for every view whose strides nest (each larger than what the smaller ones span) and for every view of at most
/// kEnumeratedPoints points. Larger views with interleaved strides are Unknown.
inline constexpr std::int64_t kEnumeratedPoints = std::int64_t{1} << 20;
SelfOverlapVerdict find_self_overlap(const std::vector<std::int64_t>& extents,
                                     const std::vector<std::int64_t>& strides);

/// Calls f(ordinal, position) for every point in row-major order; position counts elements from the buffer's start.
/// Premise: element_range(view) has a value.
template <class F>
void for_each_element(const ArrayView& view, F&& f) {
  for (std::int64_t extent : view.extents)
    if (extent == 0) return;
  const std::size_t rank = view.extents.size();
  const std::int64_t inner = rank == 0 ? 1 : view.extents[rank - 1];
  const std::int64_t inner_stride = inner == 1 ? 0 : view.strides[rank - 1];
  std::vector<std::int64_t> point(rank, 0);
  std::int64_t ordinal = 0, row = view.offset;
  while (true) {
    for (std::int64_t i = 0, position = row; i < inner; ++i, position += inner_stride) f(ordinal++, position);
    std::size_t d = rank == 0 ? 0 : rank - 1;
    while (true) {
      if (d == 0) return;
      --d;
      if (point[d] + 1 < view.extents[d]) {
        ++point[d];
        row += view.strides[d];
        break;
      }
      row -= view.strides[d] * point[d];
      point[d] = 0;
    }
  }
}

/// The same view with one point along every axis of stride 0: each of its elements is visited less often.
ArrayView without_repeats(const ArrayView& view);

/// Indices of a row-major ordinal.
std::vector<std::int64_t> point_of(std::int64_t ordinal, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::driver
