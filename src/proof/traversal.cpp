#include "proof/traversal.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::proof {

namespace {

/// The one place that says which products a launch can count.
bool fits_launch(std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && product <= std::int64_t{UINT32_MAX};
}

}  // namespace

std::int64_t Traversal::clamped_columns() const { return std::min(rectangle_columns, columns); }

bool Traversal::is_identity() const { return rectangle_rows == 1 || rectangle_columns >= columns || rows == 1; }

std::optional<GridPlace> Traversal::place_of(std::int64_t ordinal) const {
  if (traversal_fault(*this) != TraversalFault::None) return std::nullopt;
  if (ordinal < 0 || ordinal >= rows * columns) return std::nullopt;
  const std::int64_t C = clamped_columns();
  const std::int64_t band_start = ordinal / (rectangle_rows * columns) * rectangle_rows;
  const std::int64_t h = std::min(rectangle_rows, rows - band_start);
  const std::int64_t local = ordinal % (rectangle_rows * columns);
  const std::int64_t column_start = local / (h * C) * C;
  const std::int64_t w = std::min(C, columns - column_start);
  const std::int64_t inside = local % (h * C);
  return GridPlace{band_start + inside / w, column_start + inside % w};
}

std::optional<std::int64_t> Traversal::ordinal_of(GridPlace place) const {
  if (traversal_fault(*this) != TraversalFault::None) return std::nullopt;
  if (place.row < 0 || place.row >= rows || place.column < 0 || place.column >= columns) return std::nullopt;
  const std::int64_t C = clamped_columns();
  const std::int64_t band_start = place.row - place.row % rectangle_rows;
  const std::int64_t column_start = place.column - place.column % C;
  const std::int64_t h = std::min(rectangle_rows, rows - band_start);
  const std::int64_t w = std::min(C, columns - column_start);
  // Programs of the bands above, of the rectangles to the left, of the rows above, of the row itself.
  return band_start * columns + h * column_start + (place.row - band_start) * w + (place.column - column_start);
}

TraversalFault traversal_fault(const Traversal& traversal) {
  if (traversal.rows < 1 || traversal.columns < 1) return TraversalFault::EmptyGrid;
  if (traversal.rectangle_rows < 1 || traversal.rectangle_columns < 1) return TraversalFault::EmptyRectangle;
  if (!fits_launch(traversal.rows, traversal.columns)) return TraversalFault::GridOverflow;
  if (!fits_launch(traversal.rectangle_rows, traversal.columns)) return TraversalFault::RectangleOverflow;
  return TraversalFault::None;
}

std::string traversal_fault_text(const Traversal& traversal) {
  switch (traversal_fault(traversal)) {
    case TraversalFault::None:
      return {};
    case TraversalFault::EmptyGrid:
      return fmt::format("a grid of {} rows and {} columns has no programs to walk over", traversal.rows,
                         traversal.columns);
    case TraversalFault::EmptyRectangle:
      return fmt::format("a rectangle of {} rows and {} columns holds no program; both must be at least 1",
                         traversal.rectangle_rows, traversal.rectangle_columns);
    case TraversalFault::GridOverflow:
      return fmt::format("{} rows x {} columns are more programs than {}, the most that a launch can number",
                         traversal.rows, traversal.columns, UINT32_MAX);
    case TraversalFault::RectangleOverflow:
      return fmt::format("a band of {} rows x {} columns has more programs than {}, the most that a launch can number",
                         traversal.rectangle_rows, traversal.columns, UINT32_MAX);
  }
  return {};
}

Result<Traversal> checked_traversal(const Traversal& request) {
  if (traversal_fault(request) != TraversalFault::None)
    return failure(DiagCode::BadOption, "traversal: " + traversal_fault_text(request),
                   "choose a smaller rectangle, or the row-major order");
  Traversal traversal = request;
  traversal.rectangle_columns = request.clamped_columns();
  return traversal;
}

Hash128 traversal_subject(const Traversal& traversal) {
  return HashBuilder()
      .add_bytes("traversal")
      .add_int(traversal.rows)
      .add_int(traversal.columns)
      .add_int(traversal.rectangle_rows)
      .add_int(traversal.clamped_columns())
      .finish();
}

}  // namespace tilewright::proof
