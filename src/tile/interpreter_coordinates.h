// Index expressions as the interpreter evaluates them: compiled once, then run over the points of their axes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tile/program.h"

namespace tilewright::tile {

/// Values of the leaves that a bound program still has, by id.
struct CoordinateValues {
  std::vector<std::int64_t> coords;
  std::vector<std::int64_t> axes;
};

/// One expression as a list of nodes, operands before users, each shared node once.
class IndexCode {
 public:
  IndexCode(const IndexArena& arena, IndexId expr);
  /// Nothing when some step overflows or divides by zero.
  std::optional<std::int64_t> run(const CoordinateValues& at);

 private:
  std::vector<IndexNode> nodes_;  ///< lhs and rhs are positions in this list
  std::vector<std::int64_t> results_;
};

/// One coordinate expression and its values at every point of the axes that occur in it, row-major.
class CoordinateTable {
 public:
  CoordinateTable(const Program& program, IndexId expr, const std::vector<std::int64_t>& axis_extents);

  const std::vector<AxisId>& axes() const { return axes_; }
  const std::vector<std::int64_t>& values() const { return values_; }
  /// Steps of the table along the axes of an iteration space.
  std::vector<std::int64_t> strides_over(const std::vector<AxisId>& space) const;
  /// Evaluates every entry; false when one has no value. `at.axes` is scratch.
  bool fill(CoordinateValues& at);

 private:
  IndexCode code_;
  std::vector<AxisId> axes_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> values_;
};

}  // namespace tilewright::tile
