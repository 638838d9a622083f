// The points at which an operation of a program executes, found by walking the program itself: for checkers, which
// share no code with the provers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "proof/subject.h"
#include "tile/program.h"

namespace tilewright::proof::check {

class ProgramPoints {
 public:
  /// Premise: op is a load or store of the program.
  ProgramPoints(const tile::Program& program, tile::OpId op);

  struct Dimension {
    tile::CoordId coord;  ///< or none
    tile::AxisId axis;    ///< or none
    tile::IndexId extent;
  };
  /// Coordinates of the regions around the operation, outermost first, then its own axes.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// The operation stands in a branch of an if.
  bool in_branch() const { return in_branch_; }

  /// One value a symbol of the program.
  void set_sizes(std::vector<std::int64_t> sizes) { sizes_ = std::move(sizes); }
  /// From here on an extent below 1 counts as 1. Asks for the form of an expression, which it has in an empty domain
  /// too.
  void fill_empty_extents() { least_extent_ = 1; }
  /// Values of the current point and the sizes.
  std::optional<std::int64_t> value(tile::IndexId expr) const;
  std::optional<std::int64_t> axis(tile::AxisId axis) const { return environment_.axis(axis); }
  /// The value with one axis at this number.
  std::optional<std::int64_t> value(tile::IndexId expr, tile::AxisId axis, std::int64_t number) const;
  /// Puts one dimension of the current point somewhere.
  void stand(std::size_t dimension, std::int64_t number) { at(dimensions_[dimension]) = number; }

  enum class Coverage : std::uint8_t {
    Complete,   ///< every point was visited
    Sampled,    ///< corners and random points
    Stopped,    ///< f said no
    Valueless,  ///< an extent has no value
  };
  /// Its dimensions, in order.
  std::vector<std::int64_t> point() const;
  /// f() at every point, or at corners and `samples` random points when there are more than `limit`; no more of them
  /// for 0 samples (f has seen some points then).
  Coverage visit(std::int64_t limit, int samples, const std::function<bool()>& f);
  /// Steps of the last visit, without the samples.
  std::int64_t steps() const { return steps_; }

 private:
  bool find(tile::BlockId block, tile::OpId op);
  void add_axes(tile::OpId op);
  enum class Step : std::uint8_t { On, Stop, Full, Valueless };
  std::optional<std::int64_t> extent(std::size_t dimension) const;
  Step walk(std::size_t depth, const std::function<bool()>& f);
  Coverage sample(int samples, const std::function<bool()>& f);
  std::int64_t& at(const Dimension& dimension);

  const tile::Program& program_;
  std::vector<Dimension> dimensions_;
  bool in_branch_ = false;
  std::vector<std::int64_t> sizes_;
  std::map<tile::CoordId, std::int64_t> coords_;
  std::map<tile::AxisId, std::int64_t> axes_;
  tile::IndexEnvironment environment_;
  std::int64_t left_ = 0, steps_ = 0, least_extent_ = 0;
};

bool holds(tile::Comparison comparison, std::int64_t a, std::int64_t b);

/// Sizes at which a statement about open symbols is tried: all combinations of a few small and odd values while there
/// are not too many, else random ones of them; only those that meet the requirements, small ones first. One empty list
/// for a bound program.
std::vector<std::vector<std::int64_t>> trial_sizes(const tile::Program& program, const Assumptions& assumptions);
/// The first fault that f() finds at a point of the operation, at any of these sizes; empty: none. Limits as of visit.
std::string fault_at_trial_sizes(const tile::Program& program, const Assumptions& assumptions, ProgramPoints& points,
                                 std::int64_t limit, int samples, const std::function<std::string()>& f);

}  // namespace tilewright::proof::check
