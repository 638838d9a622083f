// Twins: a function or set of src/sets together with the same thing as plain code, for comparison point by point.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "sets/set.h"

namespace tilewright::sets {

using Coordinates = std::vector<std::int64_t>;

/// Of the points with parameters, then dimensions.
Coordinates coordinates_of(const Point& point);

struct FunctionTwin {
  Function function;
  std::function<std::int64_t(const Coordinates&)> value;
};
struct SetTwin {
  Set set;
  std::function<bool(const Coordinates&)> holds;
};

/// Random functions and sets of one space, the same for the same seed.
class TwinSource {
 public:
  TwinSource(const Space& space, std::uint64_t seed) : space_(space), random_(seed) {}

  const Space& space() const { return space_; }
  std::int64_t between(std::int64_t low, std::int64_t high);
  FunctionTwin function(int depth);
  SetTwin set(int depth);
  /// set(depth) cut to [-reach, reach] in every parameter and dimension.
  SetTwin bounded_set(int depth, std::int64_t reach);
  /// All points of [-reach, reach]^n, in lexicographic order of parameters, then dimensions.
  std::vector<Point> grid(std::int64_t reach) const;

 private:
  FunctionTwin leaf();
  FunctionTwin two_functions(int depth);

  Space space_;
  std::mt19937_64 random_;
};

/// [-reach, reach] in every parameter and dimension.
Set cube(const Space& space, std::int64_t reach);

/// The points of the grid where the twin holds.
std::vector<Point> points_of(const SetTwin& twin, const std::vector<Point>& grid);

}  // namespace tilewright::sets
