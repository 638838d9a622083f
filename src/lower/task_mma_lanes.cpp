// mma in lanes: rectangles of results in registers, rows x vectors, over the whole contraction. Every result is the
// chain of the reference, so that its bits do not depend on the rectangle.
#include <algorithm>
#include <bit>
#include <map>

#include "lower/task_lowering.h"
#include "tile/bind.h"
#include "tile/typing.h"

namespace tilewright::lower {

using namespace tile;

namespace {

/// More rows would make the code long and spare no load.
constexpr std::int64_t kMostRows = 16;

}  // namespace

/// The axes of the rectangle; none: the results cannot lie side by side in vectors.
std::optional<TaskLowering::MmaLanes> TaskLowering::mma_lanes(ValueId value, const MmaOp& op) {
  const std::vector<AxisId> results = elements_.axes(value);
  const auto column = elements_.innermost(results);
  if (lane_options_.lanes < kLeastLanes || !column || bound_extent(program_, *column) < kLeastLanes)
    return std::nullopt;
  MmaLanes lanes;
  lanes.column = *column;
  const auto of = [&](ValueId operand, AxisId axis) { return contains(elements_.axes(operand), axis); };
  // Rows share the vectors of the operand that has the columns.
  for (AxisId axis : results) {
    const bool shares = of(op.a, axis) != of(op.b, axis) && of(op.a, axis) != of(op.a, *column);
    if (axis == *column || !shares || bound_extent(program_, axis) <= 1) continue;
    if (!lanes.row || bound_extent(program_, axis) > bound_extent(program_, *lanes.row)) lanes.row = axis;
  }
  for (AxisId axis : results)
    if (axis != *column && axis != lanes.row) lanes.outer.push_back(axis);
  for (AxisId axis : elements_.axes(op.a))
    if (!contains(results, axis)) lanes.depth.push_back(axis);
  return lanes;
}

/// The columns as vectors, and what is no whole vector as one with a mask, or as shorter ones and numbers; in panels of
/// as many as a rectangle has.
std::vector<std::vector<TaskLowering::MmaPiece>> TaskLowering::mma_panels(AxisId column) {
  const std::int64_t extent = bound_extent(program_, column);
  std::vector<MmaPiece> pieces;
  std::uint16_t lanes = elements_.lanes_for(column);
  for (std::int64_t at = 0; at < extent;) {
    const std::int64_t rest = extent - at;
    if (rest < lanes && !lane_options_.masks) lanes = rest < kLeastLanes ? std::uint16_t{1} : std::uint16_t(lanes / 2);
    if (rest < lanes && !lane_options_.masks) continue;
    pieces.push_back({at, lanes, std::min<std::int64_t>(rest, lanes)});
    at += lanes;
  }
  const std::size_t most = lane_options_.registers >= 32 ? 4 : 2;
  const std::size_t count = (pieces.size() + most - 1) / most;
  std::vector<std::vector<MmaPiece>> panels(count);
  for (std::size_t i = 0; i < pieces.size(); ++i) panels[i * count / pieces.size()].push_back(pieces[i]);
  return panels;
}

void TaskLowering::lower_mma_lanes(ValueId value, const MmaOp& op, const MmaLanes& lanes) {
  const kernel::ScalarType type = elements_.type(value);
  const bool fused = !elements_.loads_inline(op.c) && elements_.is_inline(op.c) &&
                     elements_.lane_refusal(op.c, false, lanes.column) == LaneRefusal::None;
  const auto root = fused ? mma_root(value, lanes) : std::nullopt;
  if (root) elements_.set_layout(*root, elements_.axes(value));
  const SlotId slot = root ? fresh_slot(*root) : mma_destination(value, op, fused);
  const bool in_slot = !fused || (plan_.form(op.c) == ValueForm::Stored);
  MmaSource a = mma_source(op.a, type, lanes);
  MmaSource b = mma_source(op.b, type, lanes);
  const MmaRectangle shape{lanes, {a, b}, value, in_slot ? ValueId{} : op.c, slot, root.value_or(value)};
  elements_.nest(lanes.outer, {}, [&](const Point& at) {
    for (const std::vector<MmaPiece>& panel : mma_panels(lanes.column)) emit_panel(shape, panel, at);
  });
  define(root.value_or(value), slot);
  if (root) {
    made_.insert(*root);
    dropped_.insert(value);
    elements_.expect(std::nullopt);
  }
  for (const MmaSource* source : {&a, &b})
    if (source->packed && source->packed->packed.valid()) slots_.release(source->packed->packed);
}

/// In place where its elements lie in memory, surely inside it, and side by side along the columns.
TaskLowering::MmaSource TaskLowering::mma_source(ValueId value, kernel::ScalarType type, const MmaLanes& lanes) {
  const std::vector<AxisId> axes = elements_.axes(value);
  MmaSource source{value, {}, lanes.row && contains(axes, *lanes.row), contains(axes, lanes.column)};
  const bool loads = elements_.is_inline(value) && elements_.is_inside_load(value);
  // Rows that lie apart are read once, into a dense copy: every rectangle comes back to them.
  const bool near = loads && (!source.has_column || elements_.is_dense_load(value));
  const bool lies = plan_.form(value) == ValueForm::Stored || near;
  const bool side_by_side =
      !source.has_column || elements_.lane_refusal(value, false, lanes.column) == LaneRefusal::None;
  if (lies && side_by_side && elements_.type(value) == type) return source;
  source.packed = mma_operand(value, type, lanes.column, false);
  TW_CHECK(source.packed->packed.valid() || !loads);
  return source;
}

kernel::ValueId TaskLowering::source_element(const MmaSource& source, const Point& at) {
  return source.packed ? elements_.load_from(source.packed->view, at) : elements_.element(source.value, at);
}

/// All rows of a panel, in rectangles that differ by at most one row.
void TaskLowering::emit_panel(const MmaRectangle& shape, const std::vector<MmaPiece>& panel, const Point& at) {
  const std::int64_t rows = shape.lanes.row ? bound_extent(program_, *shape.lanes.row) : 1;
  const auto vectors = static_cast<std::int64_t>(panel.size());
  const std::int64_t most = std::clamp<std::int64_t>((lane_options_.registers - vectors - 2) / vectors, 1, kMostRows);
  const std::int64_t count = (rows + most - 1) / most;
  const std::int64_t less = rows / count, longer = rows % count;
  const auto rectangles = [&](std::int64_t begin, std::int64_t end, std::int64_t height) {
    if (begin == end) return;
    const kernel::ValueId first = b_.begin_loop(b_.const_i64(begin), b_.const_i64(end), height).index;
    std::vector<Point> points;
    for (std::int64_t i = 0; i < height; ++i) {
      points.push_back(at);
      if (shape.lanes.row) points.back().set(*shape.lanes.row, b_.add(first, i));
    }
    emit_rectangle(shape, panel, points);
    b_.end_loop();
  };
  rectangles(0, longer * (less + 1), less + 1);
  rectangles(longer * (less + 1), rows, less);
}

void TaskLowering::in_piece(const MmaLanes& lanes, const MmaPiece& piece, const Point& at,
                            const std::function<void(const Point&)>& body) {
  const kernel::ValueId from = b_.const_i64(piece.begin);
  const LanePlan plan{lanes.column, piece.lanes};
  if (piece.lanes == 1) {
    Point here = at;
    here.set(lanes.column, from);
    elements_.nest(std::vector<AxisId>{}, here, body);
  } else if (piece.used < piece.lanes) {
    elements_.in_first_lanes(plan, b_.const_i64(piece.used), at, from, body);
  } else {
    elements_.in_lanes(plan, at, from, body);
  }
}

void TaskLowering::emit_rectangle(const MmaRectangle& shape, const std::vector<MmaPiece>& panel,
                                  const std::vector<Point>& rows) {
  const auto strides = elements_.dense_strides(elements_.axes(shape.value));
  const bool plain = shape.root == shape.value;
  std::vector<kernel::ValueId> sums;
  for (const Point& row : rows)
    for (const MmaPiece& piece : panel)
      in_piece(shape.lanes, piece, row, [&](const Point& at) {
        sums.push_back(shape.init.valid() ? elements_.spread(elements_.element(shape.init, at))
                                          : elements_.load_from(shape.slot, strides, at));
      });
  const std::vector<AxisId>& depth = shape.lanes.depth;
  const bool empty = std::ranges::any_of(depth, [&](AxisId axis) { return bound_extent(program_, axis) == 0; });
  if (!empty) sums = emit_contraction(shape, panel, rows, std::move(sums));
  std::size_t next = 0;
  for (const Point& row : rows)
    for (const MmaPiece& piece : panel)
      in_piece(shape.lanes, piece, row, [&](const Point& at) {
        const kernel::ValueId sum = sums[next++];
        if (plain) return elements_.store_to(shape.slot, strides, at, sum);
        elements_.remember(shape.value, at, sum);
        elements_.store_to(shape.slot, strides, at, elements_.result_element(shape.root, at));
      });
}

/// The element-wise value that alone reads the products, each at its own place, and comes next; it is then made from
/// them in registers.
std::optional<ValueId> TaskLowering::mma_root(ValueId value, const MmaLanes& lanes) {
  const std::vector<Place>& reads = plan_.reads(value);
  const Place home = plan_.home(value);
  if (reads.size() != 1 || reads.front().block != home.block || !nothing_between(home, reads.front())) return {};
  if (reads.front().position >= program_.block(home.block).ops.size()) return {};
  const Op& reader = program_.op(program_.block(home.block).ops[reads.front().position]);
  const std::vector<ValueId> results = program_.list(reader.results);
  if (results.size() != 1 || plan_.form(results[0]) != ValueForm::Stored) return {};
  const ValueId root = results[0];
  if (wanted_.contains(root)) return {};
  if (!elements_.computes_in_place(root, value) || elements_.type(root) != elements_.type(value) ||
      program_.value(root).placement != MemorySpace::Auto)
    return {};
  elements_.expect(value);
  const bool loads = elements_.loads_in(root);
  if (loads || elements_.lane_refusal(root, true, lanes.column) != LaneRefusal::None) {
    elements_.expect(std::nullopt);
    return {};
  }
  for (std::size_t position = home.position + 1; position < reads.front().position; ++position) {
    const Op& between = program_.op(program_.block(home.block).ops[position]);
    const ValueId number = program_.list(between.results).front();
    if (plan_.form(number) != ValueForm::Scalar) continue;
    lower_value(number);
    made_.insert(number);
  }
  return root;
}

/// Whether no operation between the two is lowered in its own place, but for numbers that may as well come before.
bool TaskLowering::nothing_between(Place from, Place to) const {
  const std::vector<OpId>& ops = program_.block(from.block).ops;
  for (std::size_t position = from.position + 1; position < to.position; ++position) {
    const Op& op = program_.op(ops[position]);
    const std::vector<ValueId> results = program_.list(op.results);
    if (results.size() != 1) return false;
    const bool pure = std::holds_alternative<LoadOp>(op.payload) || std::holds_alternative<UnaryOp>(op.payload) ||
                      std::holds_alternative<BinaryOp>(op.payload) || std::holds_alternative<CastOp>(op.payload) ||
                      std::holds_alternative<ConstantOp>(op.payload) ||
                      std::holds_alternative<IndexValueOp>(op.payload);
    const bool inlined = elements_.is_inline(results[0]) || plan_.form(results[0]) == ValueForm::Dead;
    if (!inlined && !(pure && plan_.form(results[0]) == ValueForm::Scalar)) return false;
  }
  return true;
}

std::vector<kernel::ValueId> TaskLowering::emit_contraction(const MmaRectangle& shape,
                                                            const std::vector<MmaPiece>& panel,
                                                            const std::vector<Point>& rows,
                                                            std::vector<kernel::ValueId> sums) {
  Point deep;
  for (AxisId axis : shape.lanes.depth) {
    const auto loop = b_.begin_loop(b_.const_i64(0), b_.const_i64(bound_extent(program_, axis)), 1, std::move(sums));
    deep.set(axis, loop.index);
    sums = loop.carries;
  }
  // What both operands have here: by operand, row and piece, where the operand has them.
  std::map<std::tuple<int, std::size_t, std::size_t>, kernel::ValueId> known;
  const auto element = [&](int which, std::size_t row, std::size_t piece) {
    const MmaSource& source = shape.operands[static_cast<std::size_t>(which)];
    const std::tuple key{which, source.has_row ? row : 0, source.has_column ? piece : 0};
    auto found = known.find(key);
    if (found == known.end()) {
      Point at = rows[row];
      for (const auto& [axis, counter] : deep.entries()) at.set(axis, counter);
      kernel::ValueId made;
      const auto read = [&](const Point& here) { made = source_element(source, here); };
      if (source.has_column)
        in_piece(shape.lanes, panel[piece], at, read);
      else
        elements_.nest(std::vector<AxisId>{}, at, read);
      found = known.emplace(key, made).first;
    }
    return b_.type(found->second).lanes == panel[piece].lanes ? found->second
                                                              : b_.splat(found->second, panel[piece].lanes);
  };
  std::vector<kernel::ValueId> next;
  for (std::size_t piece = 0; piece < panel.size(); ++piece)
    for (int which : {0, 1})
      if (shape.operands[static_cast<std::size_t>(which)].has_column) element(which, 0, piece);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t piece = 0; piece < panel.size(); ++piece) {
      const kernel::ValueId left = element(0, row, piece);
      const kernel::ValueId right = element(1, row, piece);
      next.push_back(b_.fma(left, right, sums[row * panel.size() + piece]));
    }
  for (std::size_t n = 0; n < shape.lanes.depth.size(); ++n) next = b_.end_loop(std::move(next));
  return next;
}

// ---- Operands ------------------------------------------------------------------------------------------------------

/// Squares of vectors, transposed; false: not this way.
bool TaskLowering::pack_transposed(ValueId value, kernel::ScalarType type, AxisId column, SlotId packed) {
  const std::uint16_t lanes = lane_options_.lanes;
  std::vector<AxisId> axes = elements_.axes(value), outer;
  const auto found = std::ranges::find(axes, column);
  if (lanes < kLeastLanes || found == axes.end() || bound_extent(program_, column) < lanes) return false;
  const auto along = std::ranges::find_if(axes, [&](AxisId axis) {
    return axis != column && bound_extent(program_, axis) >= lanes && elements_.lane_plan(value, false, axis);
  });
  if (along == axes.end()) return false;
  const AxisId source = *along;
  std::rotate(found, found + 1, axes.end());
  const StridedView target{packed, elements_.dense_strides(axes), {}};
  for (AxisId axis : axes)
    if (axis != column && axis != source) outer.push_back(axis);
  const std::int64_t columns = bound_extent(program_, column), sources = bound_extent(program_, source);
  const std::int64_t whole_columns = columns / lanes * lanes, whole_sources = sources / lanes * lanes;
  elements_.nest(outer, {}, [&](const Point& at) {
    const kernel::ValueId first_column = b_.begin_loop(b_.const_i64(0), b_.const_i64(whole_columns), lanes).index;
    const kernel::ValueId first_source = b_.begin_loop(b_.const_i64(0), b_.const_i64(whole_sources), lanes).index;
    pack_square(value, target, {column, lanes}, {source, lanes}, at, first_column, first_source);
    b_.end_loop();
    b_.end_loop();
  });
  const auto rest = [&](std::int64_t column_low, std::int64_t column_high, std::int64_t source_low) {
    if (column_low == column_high || source_low == sources) return;
    std::vector<AxisLoop> loops;
    for (AxisId axis : outer) loops.push_back({axis, {}, {}});
    const kernel::ValueId low = b_.const_i64(column_low), high = b_.const_i64(column_high);
    loops.push_back({column, low, high});
    const kernel::ValueId begin = b_.const_i64(source_low), end = b_.const_i64(sources);
    loops.push_back({source, begin, end});
    elements_.nest(loops, Point{}, [&](const Point& at) {
      elements_.store_to(target, at, b_.cast(type, elements_.element(value, at)));
    });
  };
  rest(0, whole_columns, whole_sources);
  rest(whole_columns, columns, 0);
  return true;
}

void TaskLowering::pack_square(ValueId value, const StridedView& target, const LanePlan& column, const LanePlan& source,
                               const Point& at, kernel::ValueId first_column, kernel::ValueId first_source) {
  std::vector<kernel::ValueId> square;
  for (std::uint16_t i = 0; i < column.lanes; ++i) {
    Point row = at;
    row.set(column.axis, b_.add(first_column, i));
    elements_.in_lanes(source, row, first_source, [&](const Point& here) {
      square.push_back(elements_.spread(b_.cast(slots_.scalar(target.slot), elements_.element(value, here))));
    });
  }
  // Each step turns the bits of an element's number by one: row and lane have changed places after log2(lanes).
  const std::size_t half = square.size() / 2;
  for (std::size_t turned = 1; turned < square.size(); turned *= 2) {
    std::vector<kernel::ValueId> next;
    for (std::size_t i = 0; i < half; ++i) {
      next.push_back(b_.zip(square[i], square[i + half], false));
      next.push_back(b_.zip(square[i], square[i + half], true));
    }
    square = std::move(next);
  }
  for (std::uint16_t i = 0; i < source.lanes; ++i) {
    Point row = at;
    row.set(source.axis, b_.add(first_source, i));
    elements_.in_lanes(column, row, first_column,
                       [&](const Point& here) { elements_.store_to(target, here, square[i]); });
  }
}

}  // namespace tilewright::lower
