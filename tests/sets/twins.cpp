#include "sets/twins.h"

#include <algorithm>

#include "support/checked_math.h"

namespace tilewright::sets {

Coordinates coordinates_of(const Point& point) {
  Coordinates all = point.parameters;
  all.insert(all.end(), point.dimensions.begin(), point.dimensions.end());
  return all;
}

std::int64_t TwinSource::between(std::int64_t low, std::int64_t high) {
  // Not std::uniform_int_distribution: its numbers differ from library to library.
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

FunctionTwin TwinSource::leaf() {
  const std::size_t parameters = space_.parameters().size();
  const auto pick = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(parameters + space_.rank())));
  if (pick == parameters + space_.rank()) {
    const std::int64_t value = between(-6, 6);
    return {Function::constant(space_, value), [=](const Coordinates&) { return value; }};
  }
  const auto value = [=](const Coordinates& x) { return x[pick]; };
  if (pick < parameters) return {Function::parameter(space_, space_.parameters()[pick]), value};
  return {Function::dimension(space_, pick - parameters), value};
}

FunctionTwin TwinSource::two_functions(int depth) {
  const FunctionTwin a = function(depth - 1), b = function(depth - 1);
  const auto f = a.value, g = b.value;
  switch (between(0, 4)) {
    case 0:
      return {a.function + b.function, [=](const Coordinates& x) { return f(x) + g(x); }};
    case 1:
      return {a.function - b.function, [=](const Coordinates& x) { return f(x) - g(x); }};
    case 2:
      return {minimum(a.function, b.function), [=](const Coordinates& x) { return std::min(f(x), g(x)); }};
    case 3:
      return {maximum(a.function, b.function), [=](const Coordinates& x) { return std::max(f(x), g(x)); }};
    default:
      break;
  }
  const SetTwin where = set(0);
  return {choose(where.set, a.function, b.function),
          [=, holds = where.holds](const Coordinates& x) { return holds(x) ? f(x) : g(x); }};
}

FunctionTwin TwinSource::function(int depth) {
  if (depth == 0) return leaf();
  if (between(0, 1) == 0) return two_functions(depth);
  const FunctionTwin a = function(depth - 1);
  const auto f = a.value;
  const std::int64_t n = between(1, 5);
  switch (between(0, 4)) {
    case 0:
      return {-a.function, [=](const Coordinates& x) { return -f(x); }};
    case 1:
      return {(n - 3) * a.function, [=](const Coordinates& x) { return (n - 3) * f(x); }};
    case 2:
      return {a.function.floordiv(n), [=](const Coordinates& x) { return *checked_floordiv(f(x), n); }};
    case 3:
      return {a.function.mod(n), [=](const Coordinates& x) { return *checked_mod(f(x), n); }};
    default:
      return {a.function.ceildiv(n), [=](const Coordinates& x) { return -*checked_floordiv(-f(x), n); }};
  }
}

SetTwin TwinSource::set(int depth) {
  if (depth == 0) {
    const FunctionTwin a = function(1), b = function(0);
    const auto f = a.value, g = b.value;
    switch (between(0, 5)) {
      case 0:
        return {less(a.function, b.function), [=](const Coordinates& x) { return f(x) < g(x); }};
      case 1:
        return {less_equal(a.function, b.function), [=](const Coordinates& x) { return f(x) <= g(x); }};
      case 2:
        return {greater(a.function, b.function), [=](const Coordinates& x) { return f(x) > g(x); }};
      case 3:
        return {greater_equal(a.function, b.function), [=](const Coordinates& x) { return f(x) >= g(x); }};
      case 4:
        return {equal(a.function, b.function), [=](const Coordinates& x) { return f(x) == g(x); }};
      default:
        return {not_equal(a.function, b.function), [=](const Coordinates& x) { return f(x) != g(x); }};
    }
  }
  const SetTwin a = set(depth - 1), b = set(depth - 1);
  const auto in_a = a.holds, in_b = b.holds;
  switch (between(0, 3)) {
    case 0:
      return {a.set.unite(b.set), [=](const Coordinates& x) { return in_a(x) || in_b(x); }};
    case 1:
      return {a.set.intersect(b.set), [=](const Coordinates& x) { return in_a(x) && in_b(x); }};
    case 2:
      return {a.set.subtract(b.set), [=](const Coordinates& x) { return in_a(x) && !in_b(x); }};
    default:
      return {a.set.complement(), [=](const Coordinates& x) { return !in_a(x); }};
  }
}

SetTwin TwinSource::bounded_set(int depth, std::int64_t reach) {
  const SetTwin free = set(depth);
  return {free.set.intersect(cube(space_, reach)), [=, holds = free.holds](const Coordinates& x) {
            return std::ranges::all_of(x, [=](std::int64_t v) { return -reach <= v && v <= reach; }) && holds(x);
          }};
}

std::vector<Point> TwinSource::grid(std::int64_t reach) const {
  const std::size_t parameters = space_.parameters().size();
  std::vector<Point> all;
  Coordinates x(parameters + space_.rank(), -reach);
  for (;;) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(parameters);
    all.push_back({{x.begin(), middle}, {middle, x.end()}});
    std::size_t i = x.size();
    while (i > 0 && x[i - 1] == reach) x[--i] = -reach;
    if (i == 0) return all;
    ++x[i - 1];
  }
}

Set cube(const Space& space, std::int64_t reach) {
  Set result = Set::universe(space);
  const auto cut = [&](const Function& x) {
    result = result.intersect(less_equal(Function::constant(space, -reach), x));
    result = result.intersect(less_equal(x, Function::constant(space, reach)));
  };
  for (const std::string& name : space.parameters()) cut(Function::parameter(space, name));
  for (std::size_t i = 0; i < space.rank(); ++i) cut(Function::dimension(space, i));
  return result;
}

std::vector<Point> points_of(const SetTwin& twin, const std::vector<Point>& grid) {
  std::vector<Point> inside;
  for (const Point& point : grid)
    if (twin.holds(coordinates_of(point))) inside.push_back(point);
  return inside;
}

}  // namespace tilewright::sets
