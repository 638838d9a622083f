// Visits: the walk of a worker over its own elements of a row.
#include <algorithm>

#include "lower/fold_rules.h"
#include "lower/rows/row_lowering.h"
#include "realize/row_reduction_maps.h"

namespace tilewright::lower {

using namespace tile;
using kernel::CompareKind;

namespace {

/// Row points of these axes, as constants, the last one fastest.
std::vector<Point> constant_points(kernel::Builder& builder, const std::vector<AxisId>& axes,
                                   const std::vector<std::int64_t>& extents) {
  std::vector<Point> points{{}};
  for (std::size_t d = 0; d < axes.size(); ++d) {
    std::vector<Point> next;
    for (const Point& point : points)
      for (std::int64_t i = 0; i < extents[d]; ++i) {
        next.push_back(point);
        next.back().set(axes[d], builder.const_i64(i));
      }
    points = std::move(next);
  }
  return points;
}

}  // namespace

/// Chunks [begin, end) of a visit, in which every work does all of its elements, some of them, or none.
struct RowLowering::Chunks {
  const Visit* visit = nullptr;
  const std::vector<WorkRow>* rows = nullptr;
  std::set<ValueId> stripes;  ///< that its works read or write
  std::int64_t begin = 0, end = 0;
  std::int64_t stride = 0;  ///< elements of a chunk

  enum class Share : std::uint8_t { All, Some, None };
  Share share(std::size_t row) const {
    const std::int64_t live = (*rows)[row].work->live;
    if (begin * stride >= live) return Share::None;
    return end * stride <= live ? Share::All : Share::Some;
  }
  const Work& work(std::size_t row) const { return *(*rows)[row].work; }
};

// ---- Rows ----------------------------------------------------------------------------------------------------------

RowLowering::Totals RowLowering::run_visit(const Visit& given) {
  Visit visit = given;
  if (const auto cached = cached_in_.find(visit.number); cached != cached_in_.end())
    for (std::uint32_t input : cached->second)
      for (const realize::RowRead& read : workload_.reads)
        if (read.visit == visit.number && read.reused_input == input) {
          visit.works.insert(visit.works.begin(), cache_work(input, result_of(read.load)));
          break;
        }
  for (const Work& work : visit.works) {
    if (work.kind == WorkKind::Retain) make_stripe({work.value}, work);
    if (work.kind == WorkKind::Cache) make_stripe(work.held, work);
    if (work.kind == WorkKind::Retain) forms_.hold(work.value);
  }
  hold_cached_inputs(visit, true);
  Totals totals;
  for (const Work& work : visit.works)
    if (work.kind == WorkKind::Fold) totals.emplace(std::pair(work.op, work.carry), make_total(work));
  const bool together = std::all_of(visit.works.begin(), visit.works.end(),
                                    [](const Work& work) { return work.rows <= kMostRowsTogether; });
  if (together)
    run_rows_together(visit, totals);
  else
    for (const Work& work : visit.works) run_row_by_row(visit, work, totals);
  hold_cached_inputs(visit, false);
  return totals;
}

void RowLowering::run_rows_together(const Visit& visit, Totals& totals) {
  std::vector<WorkRow> rows;
  for (const Work& work : visit.works) {
    std::vector<std::int64_t> extents;
    for (AxisId axis : work.row_axes) extents.push_back(forms_.points({axis}));
    for (Point& point : constant_points(b_, work.row_axes, extents)) rows.push_back({&work, std::move(point)});
  }
  const std::vector<kernel::ValueId> sums = walk_elements(visit, rows);
  std::vector<Partial> partials;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (sums[i].valid()) partials.push_back({rows[i].work, rows[i].at, subgroup_total(*rows[i].work, sums[i])});
  if (partials.empty()) return;
  if (shares_programs()) {
    leave_partials(partials);
    fence();
    for (Partial& partial : partials) partial.number = read_partials(*partial.work, partial.at);
    if (partials.front().work->repeats) fence();
  }
  for (const Partial& partial : partials)
    set_total(totals.at({partial.work->op, partial.work->carry}), partial.at, partial.number);
}

void RowLowering::run_row_by_row(const Visit& visit, const Work& work, Totals& totals) {
  Total* const total = work.kind == WorkKind::Fold ? &totals.at({work.op, work.carry}) : nullptr;
  elements_.nest(work.row_axes, {}, [&](const Point& row) {
    const kernel::ValueId sum = walk_elements(visit, {{&work, row}}).front();
    if (total == nullptr) return;
    const kernel::ValueId number = subgroup_total(work, sum);
    if (shares_programs())
      leave_partials({{&work, row, number}});
    else
      set_total(*total, row, number);
  });
  if (total == nullptr || !shares_programs()) return;
  fence();
  elements_.nest(work.row_axes, {}, [&](const Point& row) { set_total(*total, row, read_partials(work, row)); });
  if (work.repeats) fence();
}

// ---- Chunks --------------------------------------------------------------------------------------------------------

std::vector<kernel::ValueId> RowLowering::walk_elements(const Visit& visit, const std::vector<WorkRow>& rows) {
  Chunks chunks;
  chunks.visit = &visit;
  chunks.rows = &rows;
  chunks.stripes = stripes_of(visit);
  chunks.stride = mapping_.workers() * mapping_.lane_elements;
  std::vector<kernel::ValueId> sums;
  std::set<std::int64_t> cuts{0};
  for (const WorkRow& row : rows) {
    const Work& work = *row.work;
    const bool folds = work.kind == WorkKind::Fold;
    sums.push_back(folds ? b_.const_float(kernel::ScalarType::F32, work.identity) : kernel::ValueId{});
    cuts.insert(work.live / chunks.stride);
    cuts.insert(realize::row_chunks(work.live, mapping_.workers(), mapping_.lane_elements));
  }
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) walk_segment(chunks, *cut, *std::next(cut), sums);
  return sums;
}

/// A loop over several chunks at a time, then what is left of them.
void RowLowering::walk_segment(Chunks& chunks, std::int64_t begin, std::int64_t end,
                               std::vector<kernel::ValueId>& sums) {
  chunks.begin = begin;
  chunks.end = end;
  const std::int64_t together = mapping_.unroll_factor, rounds = (end - begin) / together;
  const auto numbers = [&](kernel::ValueId first, std::int64_t count) {
    std::vector<kernel::ValueId> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(b_.add(first, i));
    return all;
  };
  std::int64_t rest = begin;
  if (rounds > 1) {
    rest = begin + rounds * together;
    std::vector<kernel::ValueId> inits;
    for (kernel::ValueId sum : sums)
      if (sum.valid()) inits.push_back(sum);
    const auto spread = [&](const std::vector<kernel::ValueId>& carries) {
      std::size_t next = 0;
      for (kernel::ValueId& sum : sums)
        if (sum.valid()) sum = carries[next++];
    };
    const kernel::ValueId low = b_.const_i64(begin), high = b_.const_i64(rest);
    const auto opened = b_.begin_loop(low, high, together, inits);
    spread(opened.carries);
    emit_chunks(chunks, numbers(opened.index, together), sums);
    std::vector<kernel::ValueId> yields;
    for (kernel::ValueId sum : sums)
      if (sum.valid()) yields.push_back(sum);
    spread(b_.end_loop(std::move(yields)));
  }
  if (rest < end) emit_chunks(chunks, numbers(b_.const_i64(rest), end - rest), sums);
}

/// All elements of these chunks are computed before any is added up, so that their loads are under way together.
void RowLowering::emit_chunks(const Chunks& chunks, const std::vector<kernel::ValueId>& numbers,
                              std::vector<kernel::ValueId>& sums) {
  const std::int64_t lanes = mapping_.lane_elements;
  Contributions pending;
  for (kernel::ValueId chunk : numbers) {
    const kernel::ValueId block = b_.add(b_.mul(chunk, mapping_.workers()), worker_);
    const kernel::ValueId first = b_.mul(block, lanes), place = b_.mul(chunk, lanes);
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (ValueId value : chunks.stripes) {
        const Stripe& stripe = stripes_.at(value);
        const kernel::ValueId offset = b_.mul(b_.add(place, lane), stripe.rows);
        elements_.set_view(value, {stripe.slot, stripe.row_strides, offset});
      }
      emit_element(chunks, b_.add(first, lane), sums, pending);
    }
  }
  add_up(chunks, pending, sums);
}

/// Works that are guarded alike stand together, in the order of the text.
void RowLowering::emit_element(const Chunks& chunks, kernel::ValueId element, std::vector<kernel::ValueId>& sums,
                               Contributions& pending) {
  using Share = Chunks::Share;
  const std::size_t count = chunks.rows->size();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const Share share = chunks.share(begin);
    const std::int64_t live = chunks.work(begin).live;
    while (end < count && chunks.share(end) == share && (share != Share::Some || chunks.work(end).live == live)) ++end;
    if (share == Share::None) continue;
    if (share == Share::All) {
      const Contributions made = emit_works(chunks, begin, end, element, chunks.end * chunks.stride);
      pending.insert(pending.end(), made.begin(), made.end());
      continue;
    }
    b_.begin_if(b_.compare(CompareKind::Lt, element, b_.const_i64(live)));
    const Contributions made = emit_works(chunks, begin, end, element, live);
    if (made.empty()) {
      b_.end_if();
      continue;
    }
    std::vector<kernel::ValueId> next = sums, before, after;
    add_up(chunks, made, next);
    for (const auto& [row, number] : made) {
      after.push_back(next[row]);
      before.push_back(sums[row]);
    }
    b_.begin_else(after);
    const std::vector<kernel::ValueId> results = b_.end_if(before);
    for (std::size_t i = 0; i < made.size(); ++i) sums[made[i].first] = results[i];
  }
}

void RowLowering::add_up(const Chunks& chunks, const Contributions& contributions, std::vector<kernel::ValueId>& sums) {
  for (const auto& [row, number] : contributions) sums[row] = folded(b_, chunks.work(row).fold, sums[row], number);
}

// ---- Elements ------------------------------------------------------------------------------------------------------

/// Rows [begin, end) at an element that is known to be below `bound`. What folds take in is returned.
RowLowering::Contributions RowLowering::emit_works(const Chunks& chunks, std::size_t begin, std::size_t end,
                                                   kernel::ValueId element, std::int64_t bound) {
  const Visit& visit = *chunks.visit;
  Contributions made;
  const auto emit = [&](const Point&) {
    for (std::size_t i = begin; i < end; ++i) {
      const Work& work = chunks.work(i);
      const ElementSpan span{visit.coords, visit.extents, work.element_axis, visit.extent, element, bound};
      index_.set_span(&span);
      Point at = (*chunks.rows)[i].at;
      if (work.element_axis.valid()) at.set(work.element_axis, element);
      const kernel::ValueId number = emit_work((*chunks.rows)[i], at);
      if (number.valid()) made.emplace_back(i, number);
      index_.set_span(nullptr);
    }
  };
  elements_.nest(std::vector<AxisId>{}, {}, emit);
  return made;
}

kernel::ValueId RowLowering::emit_work(const WorkRow& row, const Point& at) {
  const Work& work = *row.work;
  switch (work.kind) {
    case WorkKind::Fold:
      return elements_.element(work.value, at);
    case WorkKind::Store:
      store_element(work.op, std::get<StoreOp>(program_.op(work.op).payload), at);
      return {};
    case WorkKind::Retain:
    case WorkKind::Cache: {
      const kernel::ValueId kept = elements_.result_element(work.value, at);
      elements_.store_to(elements_.view(work.value), at, kept);
      return {};
    }
  }
  return {};
}

std::set<ValueId> RowLowering::stripes_of(const Visit& visit) const {
  std::set<ValueId> found, seen;
  for (const Work& work : visit.works) {
    if (work.kind != WorkKind::Retain && work.kind != WorkKind::Cache) {
      find_stripes(work.value, found, seen);
      continue;
    }
    found.insert(work.value);
    for_each_operand(program_, program_.op(work.op).payload,
                     [&](ValueId operand) { find_stripes(operand, found, seen); });
  }
  return found;
}

void RowLowering::find_stripes(ValueId value, std::set<ValueId>& found, std::set<ValueId>& seen) const {
  if (!seen.insert(value).second) return;
  if (forms_.is_held(value)) {
    found.insert(value);
  } else if (elements_.is_inline(value)) {
    for_each_operand(program_, program_.op(program_.value(value).def).payload,
                     [&](ValueId operand) { find_stripes(operand, found, seen); });
  }
}

}  // namespace tilewright::lower
