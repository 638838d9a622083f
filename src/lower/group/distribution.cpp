#include "lower/group/distribution.h"

#include <algorithm>

#include "support/check.h"
#include "tile/bind.h"

namespace tilewright::lower {

using namespace tile;
using kernel::BinaryKind;
using kernel::CompareKind;

std::int64_t Distribution::volume(const std::vector<AxisId>& axes) const {
  std::int64_t count = 1;
  for (AxisId axis : axes) count *= bound_extent(program_, axis);
  return count;
}

std::int64_t Distribution::chunks(const std::vector<AxisId>& axes) const {
  return (volume(axes) + workers_ - 1) / workers_;
}

/// Every axis of extent above one takes the next digit, the last axis the lowest.
Point Distribution::point(const std::vector<AxisId>& axes, kernel::ValueId linear) {
  std::vector<kernel::ValueId> at(axes.size());
  const auto first =
      std::find_if(axes.begin(), axes.end(), [&](AxisId axis) { return bound_extent(program_, axis) > 1; });
  const auto highest = static_cast<std::size_t>(first - axes.begin());
  for (std::size_t d = axes.size(); d-- > 0;) {
    const std::int64_t extent = bound_extent(program_, axes[d]);
    if (extent == 1) {
      at[d] = b_.const_i64(0);
    } else if (d == highest) {
      at[d] = linear;
    } else {
      const kernel::ValueId digits = b_.const_i64(extent);
      at[d] = b_.binary(BinaryKind::FloorMod, linear, digits);
      linear = b_.binary(BinaryKind::FloorDiv, linear, digits);
    }
  }
  Point made;
  for (std::size_t d = 0; d < axes.size(); ++d) made.set(axes[d], at[d]);
  return made;
}

kernel::ValueId Distribution::linear_in(kernel::ValueId chunk) {
  const kernel::ValueId begin = b_.mul(chunk, workers_);
  return b_.add(begin, worker_);
}

void Distribution::at_chunk(const std::vector<AxisId>& axes, kernel::ValueId chunk, const Body& body) {
  elements_.nest(std::vector<AxisId>{}, point(axes, linear_in(chunk)), body);
}

void Distribution::each_chunk(std::int64_t low, std::int64_t high, const ChunkBody& body) {
  if (low == high) return;
  const kernel::ValueId begin = b_.const_i64(low);
  if (high - low == 1) return body(begin);
  const kernel::ValueId end = b_.const_i64(high);
  b_.loop(begin, end, 1, body);
}

void Distribution::rest_chunk(const std::vector<AxisId>& axes, const ChunkBody& body) {
  const std::int64_t count = volume(axes), whole = count / workers_, rest = count % workers_;
  if (rest == 0) return;
  b_.begin_if(b_.compare(CompareKind::Lt, worker_, b_.const_i64(rest)));
  body(b_.const_i64(whole));
  b_.end_if();
}

void Distribution::over_chunks(const std::vector<AxisId>& axes, std::int64_t low, std::int64_t high, const Body& body) {
  each_chunk(low, high, [&](kernel::ValueId chunk) { at_chunk(axes, chunk, body); });
}

void Distribution::over_rest(const std::vector<AxisId>& axes, const Body& body) {
  rest_chunk(axes, [&](kernel::ValueId chunk) { at_chunk(axes, chunk, body); });
}

void Distribution::over_own(const std::vector<AxisId>& axes,
                            const std::function<void(kernel::ValueId, const Point&)>& body) {
  const ChunkBody own = [&](kernel::ValueId chunk) {
    at_chunk(axes, chunk, [&](const Point& at) { body(chunk, at); });
  };
  each_chunk(0, volume(axes) / workers_, own);
  rest_chunk(axes, own);
}

void Distribution::over(const std::vector<AxisId>& axes, const Body& body) {
  over_chunks(axes, 0, volume(axes) / workers_, body);
  over_rest(axes, body);
}

void Distribution::copy(const std::vector<AxisId>& axes, const Copy& copy, std::int64_t batch) {
  const std::int64_t whole = volume(axes) / workers_;
  batch = std::min(batch, whole);
  const auto one = [&](const Point& at) { copy.store(at, copy.value(at)); };
  if (batch <= 1) return over(axes, one);
  const auto together = [&](kernel::ValueId first) {
    std::vector<Point> points;
    std::vector<kernel::ValueId> values;
    for (std::int64_t i = 0; i < batch; ++i)
      at_chunk(axes, b_.add(first, i), [&](const Point& at) {
        points.push_back(at);
        values.push_back(copy.value(at));
      });
    for (std::size_t i = 0; i < points.size(); ++i) copy.store(points[i], values[i]);
  };
  const std::int64_t batches = whole / batch;
  each_chunk(0, batches, [&](kernel::ValueId number) { together(b_.mul(number, batch)); });
  over_chunks(axes, batches * batch, whole, one);
  over_rest(axes, one);
}

std::vector<kernel::ValueId> Distribution::gather(const std::vector<AxisId>& axes,
                                                  const std::function<kernel::ValueId(const Point&)>& make,
                                                  kernel::ValueId otherwise) {
  const std::int64_t count = volume(axes), whole = count / workers_, rest = count % workers_;
  std::vector<kernel::ValueId> values;
  for (std::int64_t chunk = 0; chunk < whole; ++chunk)
    at_chunk(axes, b_.const_i64(chunk), [&](const Point& at) { values.push_back(make(at)); });
  if (rest == 0) return values;
  b_.begin_if(b_.compare(CompareKind::Lt, worker_, b_.const_i64(rest)));
  kernel::ValueId made;
  at_chunk(axes, b_.const_i64(whole), [&](const Point& at) { made = make(at); });
  b_.begin_else({made});
  values.push_back(b_.end_if({otherwise}).front());
  return values;
}

void Distribution::scatter(const std::vector<AxisId>& axes, const std::vector<kernel::ValueId>& values,
                           const std::function<void(const Point&, kernel::ValueId)>& store) {
  TW_CHECK(static_cast<std::int64_t>(values.size()) == chunks(axes));
  const std::int64_t whole = volume(axes) / workers_;
  for (std::int64_t chunk = 0; chunk < whole; ++chunk)
    at_chunk(axes, b_.const_i64(chunk), [&](const Point& at) { store(at, values[static_cast<std::size_t>(chunk)]); });
  over_rest(axes, [&](const Point& at) { store(at, values.back()); });
}

void Distribution::in_first_worker(const std::function<void()>& body) {
  if (workers_ == 1) return body();
  b_.begin_if(b_.compare(CompareKind::Eq, worker_, b_.const_i64(0)));
  elements_.nest(std::vector<AxisId>{}, {}, [&](const Point&) { body(); });
  b_.end_if();
}

}  // namespace tilewright::lower
