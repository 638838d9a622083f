#include "kernel/matrix_views.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilewright::kernel {

namespace {

/// What there is of `most` elements from `origin` on, of `extent` in all.
std::int64_t remainder_of(std::int64_t extent, std::int64_t origin, std::int64_t most) {
  const std::int64_t left = origin < 0 ? 0 : extent - origin;
  return std::clamp<std::int64_t>(left, 0, most);
}

}  // namespace

std::string broken_promise(const AtomOp& atom, bool left, const BufferMatrix& matrix, const ViewNumbers& view) {
  const AtomView& operand = left ? atom.a.view : atom.b.view;
  const auto wrapped = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  const std::uint64_t place = wrapped(view.outer) * wrapped(matrix.stride) + wrapped(view.inner);
  if (place != wrapped(view.index))
    return fmt::format("element {} of row {} is element {} of the buffer, not {}", view.inner, view.outer,
                       static_cast<std::int64_t>(place), view.index);
  if (view.row_stride != matrix.stride)
    return fmt::format("the rows of the matrix are {} apart, not {}", matrix.stride, view.row_stride);
  const bool depth_is_inner = left != operand.transposed;
  const std::int64_t width = left ? atom.m : atom.n, step = operand.origin.step;
  const std::int64_t inner_most = depth_is_inner ? step : width, outer_most = depth_is_inner ? width : step;
  const std::int64_t inner = remainder_of(matrix.inner, view.inner, inner_most);
  const std::int64_t outer = remainder_of(matrix.outer, view.outer, outer_most);
  const std::int64_t inner_given = operand.transposed ? view.rows : view.columns;
  const std::int64_t outer_given = operand.transposed ? view.columns : view.rows;
  if (const std::int64_t depth = depth_is_inner ? inner_given : outer_given; depth > step)
    return fmt::format("k has at most {}, not {}", step, depth);
  if (std::clamp<std::int64_t>(inner_given, 0, inner_most) != inner)
    return fmt::format("the matrix has {} of {} elements from {} on, not {}", inner, inner_most, view.inner,
                       inner_given);
  if (std::clamp<std::int64_t>(outer_given, 0, outer_most) != outer)
    return fmt::format("the matrix has {} of {} rows from {} on, not {}", outer, outer_most, view.outer, outer_given);
  return {};
}

}  // namespace tilewright::kernel
