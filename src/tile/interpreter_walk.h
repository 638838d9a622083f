// A row-major walk over a shape that keeps one linear offset per operand: the loop under every tile operation.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::tile {

class Walk {
 public:
  Walk() = default;
  /// strides[n][d]: step of operand n along dimension d, 0 where it broadcasts.
  Walk(const std::vector<std::int64_t>& extents, const std::vector<std::vector<std::int64_t>>& strides);

  /// Points of the whole shape.
  std::int64_t size() const { return size_; }
  /// Step of an operand inside a row.
  std::int64_t inner(std::size_t operand) const { return inner_[operand]; }

  /// body(offsets, count) for each row: offsets[n] is where operand n begins, inner(n) its step.
  template <class Body>
  void for_each_row(Body&& body) const {
    if (size_ == 0) return;
    std::vector<std::int64_t> offsets(inner_.size(), 0);
    std::vector<std::int64_t> position(outer_extents_.size(), 0);
    while (true) {
      body(offsets.data(), count_);
      if (!advance(position, offsets)) return;
    }
  }

 private:
  bool advance(std::vector<std::int64_t>& position, std::vector<std::int64_t>& offsets) const;

  std::vector<std::int64_t> outer_extents_;
  std::vector<std::vector<std::int64_t>> outer_strides_;  ///< [dimension][operand]
  std::vector<std::int64_t> inner_;
  std::int64_t count_ = 1;
  std::int64_t size_ = 1;
};

/// Row-major strides of a tile; dimensions of extent 0 or 1 do not matter.
std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents);

/// f(position) for each point of a product of extents, last fastest; reversed: from the last point to the first.
template <class F>
void for_each_point(const std::vector<std::int64_t>& extents, bool reversed, F&& f) {
  for (std::int64_t extent : extents)
    if (extent <= 0) return;
  std::vector<std::int64_t> position(extents.size(), 0);
  if (reversed)
    for (std::size_t d = 0; d < extents.size(); ++d) position[d] = extents[d] - 1;
  while (true) {
    f(position);
    std::size_t d = extents.size();
    for (; d > 0; --d) {
      std::int64_t& p = position[d - 1];
      if (reversed ? p-- > 0 : ++p < extents[d - 1]) break;
      p = reversed ? extents[d - 1] - 1 : 0;
    }
    if (d == 0) return;
  }
}

}  // namespace tilewright::tile
