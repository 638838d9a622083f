// Distribution: the elements of a tile domain dealt out to the workers of a group (background 4.12).
//
//   linear = chunk * workers + worker, cut into axes row-major
//
// Every element has one worker, and equal domains give each element to the same one. Whole chunks have no guard; the
// last, partial one is under `worker < rest`. Nothing that workers do together may stand inside.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/builder.h"
#include "lower/elements.h"
#include "tile/program.h"

namespace tilewright::lower {

class Distribution {
 public:
  /// worker: ordinal in the group. Both are those of the kernel that is open.
  Distribution(const tile::Program& program, kernel::Builder& builder, Elements& elements, std::int64_t workers,
               kernel::ValueId worker)
      : program_(program), b_(builder), elements_(elements), workers_(workers), worker_(worker) {}

  using Body = std::function<void(const Point&)>;
  /// The body once for each point of the axes.
  void over(const std::vector<tile::AxisId>& axes, const Body& body);

  /// The same with the number of the chunk, for what a worker keeps of each of its elements.
  void over_own(const std::vector<tile::AxisId>& axes,
                const std::function<void(kernel::ValueId chunk, const Point&)>& body);

  /// What an element becomes, and where it goes.
  struct Copy {
    std::function<kernel::ValueId(const Point&)> value;
    std::function<void(const Point&, kernel::ValueId)> store;
  };
  /// Each point's value is stored. `batch` values of a worker are made before the first of them is stored, in whole
  /// chunks; what is left goes one by one.
  void copy(const std::vector<tile::AxisId>& axes, const Copy& copy, std::int64_t batch);

  /// The same elements as `over`, in registers: one value a chunk. `make` is given the values of the chunk's point;
  /// workers without an element in the last chunk have `otherwise`.
  std::vector<kernel::ValueId> gather(const std::vector<tile::AxisId>& axes,
                                      const std::function<kernel::ValueId(const Point&)>& make,
                                      kernel::ValueId otherwise);
  /// Stores what `gather` made.
  void scatter(const std::vector<tile::AxisId>& axes, const std::vector<kernel::ValueId>& values,
               const std::function<void(const Point&, kernel::ValueId)>& store);
  std::int64_t chunks(const std::vector<tile::AxisId>& axes) const;

  /// The body in one worker of the group.
  void in_first_worker(const std::function<void()>& body);

  kernel::ValueId worker() const { return worker_; }
  std::int64_t workers() const { return workers_; }

 private:
  std::int64_t volume(const std::vector<tile::AxisId>& axes) const;
  Point point(const std::vector<tile::AxisId>& axes, kernel::ValueId linear);
  kernel::ValueId linear_in(kernel::ValueId chunk);
  /// The body at the point of a whole chunk.
  using ChunkBody = std::function<void(kernel::ValueId chunk)>;
  void at_chunk(const std::vector<tile::AxisId>& axes, kernel::ValueId chunk, const Body& body);
  void each_chunk(std::int64_t low, std::int64_t high, const ChunkBody& body);
  void rest_chunk(const std::vector<tile::AxisId>& axes, const ChunkBody& body);
  void over_chunks(const std::vector<tile::AxisId>& axes, std::int64_t low, std::int64_t high, const Body& body);
  void over_rest(const std::vector<tile::AxisId>& axes, const Body& body);

  const tile::Program& program_;
  kernel::Builder& b_;
  Elements& elements_;
  std::int64_t workers_;
  kernel::ValueId worker_;
};

}  // namespace tilewright::lower
