// How the coordinates of a load or store move with its axes: for checkers, which share no code with the provers.
//
// A sum of products with numbers tells it by its tree. For every other expression (a minimum that never bites, a
// modulus that changes nothing) the axis is moved from 0 at the points of the operation, or at corners and samples;
// with open sizes, at a list of small sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::proof::check {

class AxisMoves {
 public:
  /// At most `points` points for each choice of sizes.
  AxisMoves(const tile::Program& program, tile::OpId op, const Assumptions& assumptions, std::int64_t points,
            int samples)
      : program_(program), op_(op), assumptions_(assumptions), points_(points), samples_(samples) {}

  enum class Kind : std::uint8_t { Not, ByOne, Otherwise };
  Kind of(tile::IndexId expr, tile::AxisId axis) const;
  /// The axis with which the coordinate moves by exactly 1, when it moves with no other.
  std::optional<tile::AxisId> unit_axis(tile::IndexId expr) const;
  /// The coordinate moves with no axis.
  bool stays(tile::IndexId expr) const;
  /// The one of these coordinates that moves with the axis, by exactly 1 and with no other axis, while no other
  /// coordinate moves with it.
  std::optional<std::size_t> own_dimension(const std::vector<tile::IndexId>& coords, tile::AxisId axis) const;

 private:
  Kind tried(tile::IndexId expr, tile::AxisId axis) const;

  const tile::Program& program_;
  tile::OpId op_;
  const Assumptions& assumptions_;
  std::int64_t points_;
  int samples_;
};

}  // namespace tilewright::proof::check
