#include "lower/vector/vector_tile.h"

#include <algorithm>
#include <utility>

namespace tilewright::lower {

using kernel::ScalarType;

// ---- The panel of b
// --------------------------------------------------------------------------------------------------

void VectorTile::pack(const std::function<void(const std::function<void(const Panel&)>&)>& each, kernel::ValueId from,
                      std::int64_t count) {
  if (!has_rows_of_b()) return each([&](const Panel& panel) { pack_columns(panel, from, count); });
  // A row of b runs through all panels: it is read once, from one end to the other.
  b_.loop(from, b_.add(from, count), 1,
          [&](kernel::ValueId depth) { each([&](const Panel& panel) { pack_rows(panel, depth); }); });
}

/// One step of the depth: vectors side by side.
void VectorTile::pack_rows(const Panel& panel, kernel::ValueId depth) {
  const kernel::ValueId from = b_.add(b_.add(panel.b.base, panel.column), b_.mul(depth, panel.b.depth_step));
  const kernel::ValueId to = b_.add(panel.packed_at, b_.mul(depth, panel.vectors * mapping_.lanes));
  for (std::int64_t v = 0; v < panel.vectors; ++v) {
    const kernel::ValueId read = b_.load(panel.b.memory, b_.add(from, v * mapping_.lanes), lanes(), mask_of(panel, v));
    b_.store(*panel.packed, b_.add(to, v * mapping_.lanes), b_.cast(ScalarType::F32, read));
  }
}

/// Columns that do not lie side by side: one after the other, each down its depth.
void VectorTile::pack_columns(const Panel& panel, kernel::ValueId first, std::int64_t count) {
  const std::int64_t width = panel.vectors * mapping_.lanes;
  const kernel::ValueId columns = b_.const_i64(contraction_.column.extent);
  b_.loop(b_.const_i64(0), b_.const_i64(width), 1, [&](kernel::ValueId column) {
    const kernel::ValueId at = b_.add(panel.column, column);
    const kernel::ValueId exists = b_.compare(kernel::CompareKind::Lt, at, columns);
    const kernel::ValueId from = b_.add(panel.b.base, b_.mul(at, panel.b.outer_step));
    b_.loop(first, b_.add(first, count), 1, [&](kernel::ValueId depth) {
      const kernel::ValueId read = b_.load(panel.b.memory, b_.add(from, b_.mul(depth, panel.b.depth_step)), 1, exists);
      b_.store(*panel.packed, b_.add(b_.add(panel.packed_at, column), b_.mul(depth, width)),
               b_.cast(ScalarType::F32, read));
    });
  });
}

kernel::ValueId VectorTile::load_b(const Panel& panel, kernel::ValueId depth, std::int64_t vector) {
  const std::int64_t shift = vector * mapping_.lanes;
  if (panel.packed) {
    const kernel::ValueId at = b_.add(panel.packed_at, b_.mul(depth, panel.vectors * mapping_.lanes));
    return b_.load(*panel.packed, b_.add(at, shift), lanes());
  }
  const kernel::ValueId row = b_.add(b_.add(panel.b.base, panel.column), b_.mul(depth, panel.b.depth_step));
  const kernel::ValueId read = b_.load(panel.b.memory, b_.add(row, shift), lanes(), mask_of(panel, vector));
  return b_.cast(ScalarType::F32, read);
}

// ---- The rectangle
// ---------------------------------------------------------------------------------------------------

VectorPlace VectorTile::place(const Panel& panel, kernel::ValueId row, std::int64_t r, std::int64_t v) {
  const std::int64_t shift = mapping_.depth_lanes ? 0 : v * mapping_.lanes;
  return {b_.add(row, r), b_.add(panel.column, shift), mask_of(panel, v), r, v};
}

VectorTile::Values VectorTile::initial(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  return elements_.under_branches({contraction_.initial}, [&] {
    Values sums;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t v = 0; v < panel.vectors; ++v)
        sums.push_back(elements_.vector(contraction_.initial, place(panel, row, r, v)));
    return sums;
  });
}

/// One step of the depth: the outer product of a column of a and a row of b.
VectorTile::Values VectorTile::step(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId depth,
                                    Values sums) {
  Values columns;
  for (std::int64_t v = 0; v < panel.vectors; ++v) columns.push_back(load_b(panel, depth, v));
  const kernel::ValueId first =
      b_.add(b_.add(panel.a.base, b_.mul(row, panel.a.outer_step)), b_.mul(depth, panel.a.depth_step));
  for (std::int64_t r = 0; r < rows; ++r) {
    const kernel::ValueId element = b_.load(panel.a.memory, b_.add(first, r * panel.a.outer_step));
    const kernel::ValueId factor = b_.splat(b_.cast(ScalarType::F32, element), lanes());
    for (std::int64_t v = 0; v < panel.vectors; ++v) {
      kernel::ValueId& sum = sums[static_cast<std::size_t>(r * panel.vectors + v)];
      sum = b_.fma(factor, columns[static_cast<std::size_t>(v)], sum);
    }
  }
  return sums;
}

/// Lines of the rows further down: hints, which may point anywhere.
void VectorTile::fetch(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId depth) {
  if (mapping_.fetch_ahead == 0) return;
  const kernel::ValueId first = b_.add(b_.add(panel.a.base, b_.mul(row, panel.a.outer_step)),
                                       b_.mul(b_.add(depth, mapping_.fetch_ahead), panel.a.depth_step));
  for (std::int64_t r = 0; r < rows; ++r)
    b_.prefetch(panel.a.memory, b_.add(first, r * panel.a.outer_step), /*near=*/true);
}

/// Steps [from, from + count) of the depth, from `shift` on.
VectorTile::Values VectorTile::steps(const Panel& panel, kernel::ValueId row, std::int64_t rows, std::int64_t from,
                                     std::int64_t count, kernel::ValueId shift, Values sums) {
  const std::int64_t unroll = std::max<std::int64_t>(mapping_.unroll, 1);
  const std::int64_t whole = from + count - count % unroll;
  const auto shifted = [&](kernel::ValueId at) { return shift.valid() ? b_.add(at, shift) : at; };
  if (whole > from) {
    sums = b_.loop(shifted(b_.const_i64(from)), shifted(b_.const_i64(whole)), unroll, std::move(sums),
                   [&](kernel::ValueId at, const Values& carried) {
                     fetch(panel, row, rows, at);
                     Values next = carried;
                     for (std::int64_t u = 0; u < unroll; ++u)
                       next = step(panel, row, rows, b_.add(at, u), std::move(next));
                     return next;
                   });
  }
  for (std::int64_t at = whole; at < from + count; ++at)
    sums = step(panel, row, rows, shifted(b_.const_i64(at)), std::move(sums));
  return sums;
}

void VectorTile::emit(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  elements_.forget();
  if (mapping_.depth_lanes) return finish(panel, row, rows, dots(panel, row, rows));
  Values sums = initial(panel, row, rows);
  sums = steps(panel, row, rows, 0, contraction_.depth.extent, {}, std::move(sums));
  finish(panel, row, rows, sums);
}

// ---- Passes
// ----------------------------------------------------------------------------------------------------------

kernel::ValueId VectorTile::partial_index(const Panel& panel, kernel::ValueId row, std::int64_t r, std::int64_t v) {
  const kernel::ValueId first = b_.add(panel.partial_at, b_.mul(row, panel.partial_width));
  return b_.add(first, r * panel.partial_width + v * mapping_.lanes);
}

VectorTile::Values VectorTile::partial_sums(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  Values sums;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t v = 0; v < panel.vectors; ++v)
      sums.push_back(b_.load(*panel.partial, partial_index(panel, row, r, v), lanes()));
  return sums;
}

void VectorTile::keep_partial(const Panel& panel, kernel::ValueId row, std::int64_t rows, const Values& sums) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t v = 0; v < panel.vectors; ++v)
      b_.store(*panel.partial, partial_index(panel, row, r, v), sums[static_cast<std::size_t>(r * panel.vectors + v)]);
}

void VectorTile::begin(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  elements_.forget();
  keep_partial(panel, row, rows, initial(panel, row, rows));
}

void VectorTile::pass(const Panel& panel, kernel::ValueId row, std::int64_t rows, kernel::ValueId from,
                      std::int64_t count) {
  Values sums = partial_sums(panel, row, rows);
  keep_partial(panel, row, rows, steps(panel, row, rows, 0, count, from, std::move(sums)));
}

void VectorTile::end(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  elements_.forget();
  finish(panel, row, rows, partial_sums(panel, row, rows));
}

/// Steps of the depth side by side: both operands are read along it.
VectorTile::Values VectorTile::dot_step(const Panel& panel, kernel::ValueId row, std::int64_t rows,
                                        kernel::ValueId depth, kernel::ValueId mask, Values sums) {
  const auto read = [&](const OperandView& view, kernel::ValueId outer, std::int64_t at) {
    const kernel::ValueId first = b_.add(b_.add(view.base, b_.mul(outer, view.outer_step)), depth);
    const kernel::ValueId lane = b_.load(view.memory, b_.add(first, at * view.outer_step), lanes(), mask);
    return b_.cast(ScalarType::F32, lane);
  };
  Values columns;
  for (std::int64_t c = 0; c < panel.vectors; ++c) columns.push_back(read(panel.b, panel.column, c));
  for (std::int64_t r = 0; r < rows; ++r) {
    const kernel::ValueId factor = read(panel.a, row, r);
    for (std::int64_t c = 0; c < panel.vectors; ++c) {
      kernel::ValueId& sum = sums[static_cast<std::size_t>(r * panel.vectors + c)];
      sum = b_.fma(factor, columns[static_cast<std::size_t>(c)], sum);
    }
  }
  return sums;
}

/// The halves onto each other until one number is left.
kernel::ValueId VectorTile::folded(kernel::ValueId sum) {
  for (auto half = static_cast<std::uint16_t>(lanes() / 2); half >= 1; half /= 2) {
    const kernel::ValueId low = b_.extract(sum, 0, half);
    sum = b_.add(low, b_.extract(sum, half, half));
  }
  return sum;
}

/// The columns of each row, as the first lanes of a vector, the accumulator's start added last.
VectorTile::Values VectorTile::dots(const Panel& panel, kernel::ValueId row, std::int64_t rows) {
  const std::int64_t depth = contraction_.depth.extent, whole = depth - depth % mapping_.lanes;
  Values sums(static_cast<std::size_t>(rows * panel.vectors), b_.const_float(ScalarType::F32, 0.0, lanes()));
  if (whole > 0)
    sums =
        b_.loop(b_.const_i64(0), b_.const_i64(whole), mapping_.lanes, std::move(sums),
                [&](kernel::ValueId at, const Values& carried) { return dot_step(panel, row, rows, at, {}, carried); });
  if (whole < depth) {
    const kernel::ValueId left = b_.const_i32(static_cast<std::int32_t>(depth - whole), lanes());
    const kernel::ValueId mask = b_.compare(kernel::CompareKind::Lt, b_.iota(ScalarType::I32, lanes()), left);
    sums = dot_step(panel, row, rows, b_.const_i64(whole), mask, std::move(sums));
  }
  const kernel::AllocationId line =
      b_.allocation("dots", kernel::AllocationSpace::Private, ScalarType::F32, rows * mapping_.lanes);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < panel.vectors; ++c)
      b_.store(line, b_.const_i64(r * mapping_.lanes + c),
               folded(sums[static_cast<std::size_t>(r * panel.vectors + c)]));
  return elements_.under_branches({contraction_.initial}, [&] {
    Values made;
    for (std::int64_t r = 0; r < rows; ++r) {
      const kernel::ValueId found = b_.load(line, b_.const_i64(r * mapping_.lanes), lanes(), panel.last_mask);
      made.push_back(b_.add(elements_.vector(contraction_.initial, place(panel, row, r, panel.vectors - 1)), found));
    }
    return made;
  });
}

void VectorTile::finish(const Panel& panel, kernel::ValueId row, std::int64_t rows, const Values& sums) {
  std::vector<tile::ValueId> stored;
  for (tile::OpId store : contraction_.stores) stored.push_back(elements_.stored_value(store));
  // Dots have their columns in the lanes of one vector.
  const std::int64_t first = mapping_.depth_lanes ? panel.vectors - 1 : 0;
  elements_.under_branches(stored, [&] {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t v = first; v < panel.vectors; ++v) {
        const VectorPlace at = place(panel, row, r, v);
        elements_.know(contraction_.result, at,
                       sums[static_cast<std::size_t>(r * (panel.vectors - first) + v - first)]);
        for (tile::OpId store : contraction_.stores) elements_.store(store, at);
      }
    }
    return Values{};
  });
}

}  // namespace tilewright::lower
