// Folds in lanes: across the axis that is folded, where the fold permits any order, and side by side along another.
#include <algorithm>
#include <bit>

#include "lower/fold_rules.h"
#include "lower/task_lowering.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;

namespace {

/// Rows whose vectors are folded together: their results take turns in the lanes, so that a step serves all of them.
constexpr std::int64_t kRows = 4;

bool any_order(const ReduceOp& op, kernel::ScalarType type) {
  return op.kind != FoldKind::Add || !kernel::is_float_scalar(type) || op.order == FoldOrder::UnorderedTree;
}

}  // namespace

bool TaskLowering::folds_in_lanes(const Fold& fold) {
  if (!any_order(fold.op, fold.type)) return false;
  if (elements_.innermost(elements_.operand_layout(fold.op.operand)) != fold.op.axis) return false;
  return elements_.lane_refusal(fold.op.operand, false, fold.op.axis) == LaneRefusal::None;
}

/// Where lanes need masks that the target does not have, the fold is a chain.
kernel::ValueId TaskLowering::fold_scalar_in_lanes(const Fold& fold) {
  return elements_.versioned_value(fold.op.operand, false, {}, [&] {
    if (!elements_.lane_plan(fold.op.operand, false, fold.op.axis))
      return fold_chain(b_, elements_, program_, fold.op, {});
    return b_.cast(elements_.type(fold.op.operand), fold_in_lanes(fold, {Point{}}));
  });
}

void TaskLowering::fold_rows_in_lanes(const Fold& fold, const std::vector<AxisId>& kept, SlotId slot) {
  const auto strides = elements_.dense_strides(kept);
  const AxisId row = kept.back();
  const std::vector<AxisId> outer(kept.begin(), kept.end() - 1);
  const std::int64_t extent = bound_extent(program_, row);
  const auto together = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::min(extent, kRows))));
  const auto fold_block = [&](const Point& at, kernel::ValueId first, std::int64_t count) {
    std::vector<Point> rows;
    for (std::int64_t i = 0; i < count; ++i) {
      rows.push_back(at);
      rows.back().set(row, b_.add(first, i));
    }
    // The rows are those of neighbouring results.
    const kernel::ValueId sums = b_.cast(slots_.scalar(slot), fold_in_lanes(fold, rows));
    elements_.store_to(slot, strides, rows.front(), sums);
  };
  elements_.versioned(fold.op.operand, false, {}, [&] {
    if (!elements_.lane_plan(fold.op.operand, false, fold.op.axis)) {
      elements_.nest(kept, {}, [&](const Point& at) {
        elements_.store_to(slot, strides, at, fold_chain(b_, elements_, program_, fold.op, at));
      });
      return;
    }
    elements_.nest(outer, {}, [&](const Point& at) {
      if (extent == 0) return;
      const std::int64_t whole = extent / together * together;
      const kernel::ValueId first = b_.begin_loop(b_.const_i64(0), b_.const_i64(whole), together).index;
      fold_block(at, first, together);
      b_.end_loop();
      if (whole == extent) return;
      const kernel::ValueId left = b_.begin_loop(b_.const_i64(whole), b_.const_i64(extent)).index;
      fold_block(at, left, 1);
      b_.end_loop();
    });
  });
}

kernel::ValueId TaskLowering::fold_in_lanes(const Fold& fold, const std::vector<Point>& rows) {
  const std::uint16_t lanes = elements_.lanes_for(fold.op.axis);
  const std::int64_t whole = fold.extent / lanes * lanes;
  const LanePlan plan{fold.op.axis, lanes};
  const kernel::ValueId identity = b_.splat(fold_identity(b_, fold.op.kind, fold.type), lanes);
  const auto loop =
      b_.begin_loop(b_.const_i64(0), b_.const_i64(whole), lanes, std::vector<kernel::ValueId>(rows.size(), identity));
  std::vector<kernel::ValueId> sums;
  elements_.in_lanes(plan, {}, loop.index, [&](const Point&) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Point at = rows[i];
      at.set(fold.op.axis, loop.index);
      sums.push_back(folded(b_, fold.op.kind, loop.carries[i], elements_.spread(fold_operand(fold, at))));
    }
  });
  sums = b_.end_loop(sums);
  const std::int64_t rest = fold.extent - whole;
  if (rest > 0) sums = fold_rest(fold, rows, plan, std::move(sums));
  return fold_across(fold, std::move(sums));
}

/// The lanes beyond the extent keep what they have.
std::vector<kernel::ValueId> TaskLowering::fold_rest(const Fold& fold, const std::vector<Point>& rows,
                                                     const LanePlan& plan, std::vector<kernel::ValueId> sums) {
  const std::int64_t rest = fold.extent % plan.lanes;
  const kernel::ValueId from = b_.const_i64(fold.extent - rest);
  const auto next = [&](std::size_t row, const Point& here) {
    Point at = rows[row];
    at.set(fold.op.axis, here.at(fold.op.axis));
    return elements_.spread(fold_operand(fold, at));
  };
  if (lane_options_.masks) {
    elements_.in_first_lanes(plan, b_.const_i64(rest), {}, from, [&](const Point& here) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const kernel::ValueId more = folded(b_, fold.op.kind, sums[i], next(i, here));
        sums[i] = b_.select(elements_.lane_mask(), more, sums[i]);
      }
    });
    return sums;
  }
  // One by one into lane 0.
  const kernel::ValueId first =
      b_.compare(kernel::CompareKind::Eq, b_.iota(kernel::ScalarType::I32, plan.lanes), b_.const_i32(0, plan.lanes));
  for (std::int64_t n = 0; n < rest; ++n) {
    Point here;
    here.set(fold.op.axis, b_.add(from, n));
    elements_.nest(std::vector<AxisId>{}, here, [&](const Point& at) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const kernel::ValueId more = b_.splat(next(i, at), plan.lanes);
        sums[i] = b_.select(first, folded(b_, fold.op.kind, sums[i], more), sums[i]);
      }
    });
  }
  return sums;
}

/// Two rows at a time: what was in lanes i and i + lanes / 2 of each is folded, and the two take turns in the result.
/// Then the halves of the one vector that is left, until it has a lane a row.
kernel::ValueId TaskLowering::fold_across(const Fold& fold, std::vector<kernel::ValueId> rows) {
  const std::size_t count = rows.size();
  for (std::size_t left = count; left > 1; left /= 2) {
    TW_CHECK(left % 2 == 0);
    for (std::size_t i = 0; i < left / 2; ++i) {
      const kernel::ValueId low = b_.zip(rows[i], rows[i + left / 2], false);
      rows[i] = folded(b_, fold.op.kind, low, b_.zip(rows[i], rows[i + left / 2], true));
    }
  }
  kernel::ValueId sums = rows.front();
  while (b_.type(sums).lanes > count) {
    const auto half = static_cast<std::uint16_t>(b_.type(sums).lanes / 2);
    const kernel::ValueId low = b_.extract(sums, 0, half);
    sums = folded(b_, fold.op.kind, low, b_.extract(sums, half, half));
  }
  return sums;
}

}  // namespace tilewright::lower
