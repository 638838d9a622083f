#include "lower/traversal.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/checked_math.h"
#include "support/result.h"

namespace tilewright::lower {

namespace {

using kernel::BinaryKind;

/// What the formula is written in: numbers of the host, or values of a kernel.
struct HostNumbers {
  using Number = std::int64_t;
  static Number constant(std::int64_t value) { return value; }
  static Number add(Number a, Number b) { return a + b; }
  static Number sub(Number a, Number b) { return a - b; }
  static Number mul(Number a, Number b) { return a * b; }
  static Number div(Number a, Number b) { return a / b; }
  static Number mod(Number a, Number b) { return a % b; }
  static Number min(Number a, Number b) { return std::min(a, b); }
};

struct KernelNumbers {
  using Number = kernel::ValueId;
  kernel::Builder& builder;
  Number constant(std::int64_t value) { return builder.const_i64(value); }
  Number add(Number a, Number b) { return builder.add(a, b); }
  Number sub(Number a, Number b) { return builder.sub(a, b); }
  Number mul(Number a, Number b) { return builder.mul(a, b); }
  Number div(Number a, Number b) { return builder.binary(BinaryKind::FloorDiv, a, b); }
  Number mod(Number a, Number b) { return builder.binary(BinaryKind::FloorMod, a, b); }
  Number min(Number a, Number b) { return builder.binary(BinaryKind::Min, a, b); }
};

/// Row-major coordinates of the domains; the ordinal is one of theirs.
template <class Numbers>
auto row_major(Numbers& n, typename Numbers::Number ordinal, std::span<const std::int64_t> extents) {
  std::vector<typename Numbers::Number> coordinates(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (d == 0) {
      coordinates[0] = ordinal;
      break;
    }
    const auto extent = n.constant(extents[d]);
    coordinates[d] = n.mod(ordinal, extent);
    ordinal = n.div(ordinal, extent);
  }
  return coordinates;
}

/// The smaller of `part` and what is left behind `start`; a constant where `part` divides the whole.
template <class Numbers>
auto size_of_part(Numbers& n, std::int64_t whole, std::int64_t part, typename Numbers::Number start) {
  const auto size = n.constant(std::min(part, whole));
  if (part >= whole || whole % part == 0) return size;
  const auto end = n.constant(whole);
  return n.min(size, n.sub(end, start));
}

/// Row and column of an ordinal of one grid: the formula of proof/traversal.h. Columns of the walk are clamped.
template <class Numbers>
auto place_in_grid(Numbers& n, typename Numbers::Number ordinal, const proof::Traversal& walk) {
  using Number = typename Numbers::Number;
  Number band_start = n.constant(0), local = ordinal;
  if (walk.rectangle_rows < walk.rows) {
    const Number band = n.constant(walk.rectangle_rows * walk.columns);
    const Number rows = n.constant(walk.rectangle_rows);
    band_start = n.mul(n.div(ordinal, band), rows);
    local = n.mod(ordinal, band);
  }
  const Number height = size_of_part(n, walk.rows, walk.rectangle_rows, band_start);
  const Number columns = n.constant(walk.rectangle_columns);
  const Number rectangle = n.mul(height, columns);
  const Number column_start = n.mul(n.div(local, rectangle), columns);
  const Number width = size_of_part(n, walk.columns, walk.rectangle_columns, column_start);
  const Number inside = n.mod(local, rectangle);
  const Number row = n.add(band_start, n.div(inside, width));
  return std::array{row, n.add(column_start, n.mod(inside, width))};
}

template <class Numbers>
auto coordinates_in_walk(Numbers& n, typename Numbers::Number ordinal, std::span<const std::int64_t> extents,
                         const proof::Traversal* walk) {
  if (walk == nullptr) return row_major(n, ordinal, extents);
  const std::span<const std::int64_t> batches = extents.first(extents.size() - 2);
  std::vector<typename Numbers::Number> coordinates;
  if (!batches.empty()) {
    const auto grid = n.constant(walk->rows * walk->columns);
    coordinates = row_major(n, n.div(ordinal, grid), batches);
    ordinal = n.mod(ordinal, grid);
  }
  for (const auto& coordinate : place_in_grid(n, ordinal, *walk)) coordinates.push_back(coordinate);
  return coordinates;
}

}  // namespace

std::vector<std::int64_t> launch_extents(const tile::Program& bound, const tile::RegionOp& launch) {
  std::vector<std::int64_t> extents;
  for (tile::CoordId coord : bound.list(launch.coords)) {
    const auto extent = bound.index().as_constant(bound.coords()[coord].extent);
    TW_CHECK(extent.has_value());
    extents.push_back(std::max<std::int64_t>(*extent, 0));
  }
  return extents;
}

Result<std::int64_t> checked_tasks(const std::vector<std::int64_t>& counts, const std::string& what) {
  std::optional<std::int64_t> product = 1;
  for (std::int64_t count : counts) {
    if (count == 0) return 0;
    product = product ? checked_mul(*product, count) : std::nullopt;
  }
  if (product && *product <= kMostTasks) return *product;
  return failure(
      DiagCode::LaunchTooLarge,
      fmt::format("a launch has {} {}, a device numbers at most {}", fmt::join(counts, " x "), what, kMostTasks),
      "choose larger tiles, or split the sizes over several launches");
}

Result<ProgramWalk> ProgramWalk::make(std::vector<std::int64_t> extents, std::int64_t rectangle_rows,
                                      std::int64_t rectangle_columns) {
  ProgramWalk walk;
  walk.extents_ = std::move(extents);
  TW_TRY(walk.programs_, checked_tasks(walk.extents_, "programs"));
  walk.task_extents_ = walk.extents_;
  if (rectangle_rows == 1 && rectangle_columns == 1) return walk;
  const std::size_t rank = walk.extents_.size();
  if (rank < 2)
    return failure(DiagCode::BadOption,
                   fmt::format("traversal: rectangles of {} x {} need a launch of two domains or more, it has {}",
                               rectangle_rows, rectangle_columns, rank),
                   "leave program_order_rows and program_order_columns at 1");
  if (walk.programs_ == 0) return walk;
  TW_TRY(walk.grid_, proof::checked_traversal(
                         {walk.extents_[rank - 2], walk.extents_[rank - 1], rectangle_rows, rectangle_columns}));
  walk.is_permuted_ = !walk.grid_.is_identity();
  if (walk.is_permuted_) walk.task_extents_ = {walk.programs_};
  return walk;
}

std::vector<kernel::ValueId> unflattened(kernel::Builder& builder, kernel::ValueId ordinal,
                                         const std::vector<std::int64_t>& extents) {
  KernelNumbers numbers{builder};
  return row_major(numbers, ordinal, extents);
}

std::vector<kernel::ValueId> ProgramWalk::coordinates(kernel::Builder& builder,
                                                      const std::vector<kernel::ValueId>& task) const {
  TW_CHECK(task.size() == task_extents_.size());
  return is_permuted_ ? coordinates_of_ordinal(builder, task.front()) : task;
}

std::vector<kernel::ValueId> ProgramWalk::coordinates_of_ordinal(kernel::Builder& builder,
                                                                 kernel::ValueId ordinal) const {
  KernelNumbers numbers{builder};
  return coordinates_in_walk(numbers, ordinal, extents_, is_permuted_ ? &grid_ : nullptr);
}

std::vector<std::int64_t> ProgramWalk::coordinates_of_ordinal(std::int64_t ordinal) const {
  HostNumbers numbers;
  return coordinates_in_walk(numbers, ordinal, std::span<const std::int64_t>(extents_),
                             is_permuted_ ? &grid_ : nullptr);
}

Result<ProgramWalk> program_walk(const tile::Program& bound, const tile::RegionOp& launch,
                                 const plan::LaunchPlan& plan) {
  return ProgramWalk::make(launch_extents(bound, launch), plan.program_order_rows, plan.program_order_columns);
}

}  // namespace tilewright::lower
