// How the coordinates of a load or store move with its axes: for checkers, which share no code with the provers.
//
// A sum of products with numbers tells it by its tree. For every other expression (a minimum that never bites, a
// modulus that changes nothing) the axis is moved from 0 at the points of the operation, or at corners and samples;
// with open sizes, at a list of small sizes. Where a region has no iteration its coordinates stand at 0.
//
// An axis of extent 1 or 0 cannot be moved. It counts as moving, by 1, the first coordinate that holds it and that no
// other axis moves.
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
  AxisMoves(const tile::Program& program, tile::OpId op, const std::vector<tile::IndexId>& coords,
            const Assumptions& assumptions, std::int64_t points, int samples);

  /// The axis with which coordinate d moves by exactly 1, when it moves with no other.
  std::optional<tile::AxisId> unit_axis(std::size_t d) const;
  /// Coordinate d moves with no axis.
  bool stays(std::size_t d) const { return moved_by_[d].empty(); }
  /// The one coordinate that moves with the axis, by exactly 1 and with no other axis, while no other coordinate moves
  /// with it.
  std::optional<std::size_t> own_dimension(tile::AxisId axis) const;

 private:
  enum class Kind : std::uint8_t { Not, ByOne, Otherwise };
  struct Move {
    tile::AxisId axis;
    bool by_one = true;
  };
  Kind kind_of(tile::IndexId expr, tile::AxisId axis) const;
  Kind tried(tile::IndexId expr, tile::AxisId axis) const;
  bool has_one_value(tile::AxisId axis) const;

  const tile::Program& program_;
  tile::OpId op_;
  std::int64_t points_;
  int samples_;
  std::vector<std::vector<std::int64_t>> trials_;
  std::vector<std::vector<Move>> moved_by_;  ///< of each coordinate
};

}  // namespace tilewright::proof::check
