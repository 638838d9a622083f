#include "proof/map_cases.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "proof/index_map_layouts.h"
#include "support/checked_math.h"

namespace tilewright::proof {

namespace {

using tile::IndexId;
using tile::IndexKind;

IndexId input_of(IndexMap& map, std::size_t position) {
  return map.arena.axis(tile::AxisId{static_cast<std::uint32_t>(position)});
}

std::optional<std::int64_t> expression_at(const IndexMap& map, IndexId id, const Point& point) {
  tile::IndexEnvironment environment;
  environment.axis = [&](tile::AxisId axis) { return std::optional(point.at(axis.index)); };
  return map.arena.evaluate(id, environment);
}

IndexMap random_affine(CaseRandom& random) {
  std::vector<std::int64_t> inputs(static_cast<std::size_t>(random.number(0, 3)));
  for (auto& extent : inputs) extent = random.number(random.chance(1, 20) ? 0 : 1, 5);
  std::vector<AffineResult> results(static_cast<std::size_t>(random.number(1, 2)));
  for (auto& result : results) {
    std::int64_t stride = random.number(1, 2);
    for (const std::int64_t extent : inputs) {
      result.coefficients.push_back(random.chance(1, 8) ? random.number(-4, 9) : stride);
      if (random.chance(1, 6)) result.coefficients.back() *= -1;
      stride *= std::max<std::int64_t>(extent, 1);
    }
    std::rotate(result.coefficients.begin(),
                result.coefficients.begin() + static_cast<std::ptrdiff_t>(inputs.empty() ? 0 : random.chance(1, 5)),
                result.coefficients.end());
    result.constant = random.chance(1, 6) ? random.number(-3, 3) : 0;
  }
  std::vector<std::int64_t> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) outputs.push_back(random.number(0, 70));
  return affine_map(inputs, outputs, results);
}

/// Digits of some inputs, in another order, joined to the outputs: a permutation, unless one stride is wrong.
IndexMap random_radix(CaseRandom& random) {
  struct Digit {
    IndexId value;
    std::int64_t extent;
  };
  IndexMap map;
  std::vector<Digit> digits;
  const auto inputs = static_cast<std::size_t>(random.number(1, 3));
  for (std::size_t i = 0; i < inputs; ++i) {
    std::int64_t weight = 1;
    const std::int64_t count = random.number(1, inputs == 1 ? 3 : 2);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t extent = random.number(k == 0 && count == 1 ? 1 : 2, 4);
      IndexId value = input_of(map, i);
      if (weight > 1) value = with_number(map, IndexKind::FloorDiv, value, weight);
      if (k + 1 < count) value = with_number(map, IndexKind::Mod, value, extent);
      digits.push_back({value, extent});
      weight *= extent;
    }
    map.inputs.push_back(weight);
  }
  for (std::size_t i = digits.size(); i > 1; --i)
    std::swap(digits[i - 1], digits[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(i) - 1))]);
  const std::int64_t wrong = random.chance(1, 2) ? -1 : random.number(0, static_cast<std::int64_t>(digits.size()) - 1);
  const auto outputs = static_cast<std::size_t>(random.number(1, 2));
  for (std::size_t out = 0; out < outputs; ++out) {
    IndexId sum = map.arena.constant(0);
    std::int64_t stride = 1;
    for (std::size_t i = out; i < digits.size(); i += outputs) {
      const std::int64_t off = wrong == static_cast<std::int64_t>(i) ? random.number(-1, 1) : 0;
      const IndexId term = with_number(map, IndexKind::Mul, digits[i].value, stride + off);
      sum = map.arena.make(IndexKind::Add, sum, term);
      stride *= digits[i].extent;
    }
    map.results.push_back(sum);
    map.outputs.push_back(stride);
  }
  return map;
}

IndexMap random_bits(CaseRandom& random) {
  if (random.chance(1, 2)) {
    const std::int64_t columns = std::int64_t{1} << random.number(0, 3);
    return xor_swizzle_map(random.number(1, 8), columns, random.number(0, 2));
  }
  IndexMap map;
  const auto inputs = static_cast<std::size_t>(random.number(1, 2));
  for (std::size_t i = 0; i < inputs; ++i) map.inputs.push_back(std::int64_t{1} << random.number(0, 3));
  const auto word = [&] {
    const IndexId leaf =
        input_of(map, static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(inputs) - 1)));
    const auto kind =
        std::array{IndexKind::ShiftLeft, IndexKind::ShiftRight, IndexKind::Mul,
                   IndexKind::Mod,       IndexKind::BitAnd,     IndexKind::FloorDiv}[static_cast<std::size_t>(
            random.number(0, 5))];
    const bool shift = kind == IndexKind::ShiftLeft || kind == IndexKind::ShiftRight;
    const std::int64_t places = random.number(0, 3);
    const std::int64_t power = std::int64_t{1} << places;
    return with_number(map, kind, leaf, shift ? places : kind == IndexKind::BitAnd ? random.number(0, 15) : power);
  };
  for (std::int64_t i = random.number(1, 2); i > 0; --i) {
    IndexId result = input_of(map, static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(inputs) - 1)));
    for (std::int64_t k = random.number(1, 3); k > 0; --k)
      result = map.arena.make(random.chance(3, 4) ? IndexKind::BitXor : IndexKind::Add, result, word());
    map.results.push_back(result);
    map.outputs.push_back(random.number(1, 64));
  }
  return map;
}

constexpr IndexKind kAllKinds[] = {IndexKind::Add,     IndexKind::Sub,    IndexKind::Mul,       IndexKind::FloorDiv,
                                   IndexKind::CeilDiv, IndexKind::Mod,    IndexKind::Min,       IndexKind::Max,
                                   IndexKind::BitAnd,  IndexKind::BitXor, IndexKind::ShiftLeft, IndexKind::ShiftRight};

IndexId random_tree(CaseRandom& random, IndexMap& map, int depth) {
  if (depth == 0 || random.chance(1, 5)) {
    if (map.inputs.empty() || random.chance(2, 5))
      return map.arena.constant(random.number(random.chance(1, 4) ? -3 : 1, 9));
    return input_of(map, static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(map.inputs.size()) - 1)));
  }
  const auto kind = kAllKinds[random.number(0, std::ssize(kAllKinds) - 1)];
  const IndexId lhs = random_tree(random, map, depth - 1);
  return map.arena.make(kind, lhs, random_tree(random, map, depth - 1));
}

IndexMap random_expression(CaseRandom& random) {
  IndexMap map;
  for (std::int64_t i = random.number(1, 3); i > 0; --i) map.inputs.push_back(random.number(1, 5));
  for (std::int64_t i = random.number(1, 2); i > 0; --i) {
    map.results.push_back(random_tree(random, map, 3));
    map.outputs.push_back(random.number(1, 30));
  }
  return map;
}

/// (a*d + c) % n, a permutation when a and n have no common divisor, and beyond every method but enumeration.
IndexMap random_congruence(CaseRandom& random) {
  IndexMap map;
  const std::int64_t n = random.number(5, 40);
  std::int64_t factor = random.number(2, n - 1);
  while (random.chance(9, 10) && std::gcd(factor, n) != 1) factor = random.number(2, n - 1);
  map.inputs = {n};
  const IndexId scaled = with_number(map, IndexKind::Mul, input_of(map, 0), factor);
  const IndexId moved = with_number(map, IndexKind::Add, scaled, random.number(0, n));
  map.results = {with_number(map, IndexKind::Mod, moved, n)};
  map.outputs = {n};
  if (random.chance(1, 2)) {
    map.inputs.push_back(random.number(1, 3));
    map.outputs.push_back(map.inputs.back());
    map.results.push_back(input_of(map, 1));
  }
  return map;
}

}  // namespace

std::optional<std::int64_t> result_at(const IndexMap& map, std::size_t result, const Point& point) {
  return expression_at(map, map.results[result], point);
}

std::optional<Point> value_at(const IndexMap& map, const Point& point) {
  if (!inside(map.inputs, point)) return std::nullopt;
  Point result;
  for (const IndexId id : map.results) {
    const auto value = expression_at(map, id, point);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

bool guards_hold(const GuardedMap& guarded, const Point& point) {
  return std::all_of(guarded.guards.begin(), guarded.guards.end(), [&](const GuardClause& clause) {
    const auto value = expression_at(guarded.map, clause.value, point);
    return value && *value < clause.bound;
  });
}

bool inside(const Point& extents, const Point& point) {
  if (extents.size() != point.size()) return false;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (point[i] < 0 || point[i] >= extents[i]) return false;
  return true;
}

std::vector<Point> all_points(const Point& extents) {
  std::vector<Point> points = {{}};
  for (const std::int64_t extent : extents) {
    std::vector<Point> longer;
    for (const Point& point : points)
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(point);
        longer.back().push_back(i);
      }
    points = std::move(longer);
  }
  return points;
}

MapTruth truth_of(const GuardedMap& guarded) {
  MapTruth truth;
  for (const Point& point : all_points(guarded.map.inputs)) {
    for (const GuardClause& clause : guarded.guards)
      if (!expression_at(guarded.map, clause.value, point)) truth.total = false;
    if (!guards_hold(guarded, point)) continue;
    const auto value = value_at(guarded.map, point);
    if (!value || !inside(guarded.map.outputs, *value)) truth.total = false;
    if (value) truth.values.push_back(*value);
  }
  std::sort(truth.values.begin(), truth.values.end());
  truth.injective = std::adjacent_find(truth.values.begin(), truth.values.end()) == truth.values.end();
  for (const Point& output : all_points(guarded.map.outputs))
    truth.onto = truth.onto && std::binary_search(truth.values.begin(), truth.values.end(), output);
  return truth;
}

Point witness_point(const Witness& witness, const std::string& prefix) {
  Point point;
  for (const Witness::Coordinate& coordinate : witness.point)
    if (coordinate.name == prefix + std::to_string(point.size())) point.push_back(coordinate.value);
  return point;
}

IndexMap random_map(CaseRandom& random) {
  switch (random.number(0, 5)) {
    case 0:
      return random_affine(random);
    case 1:
      return random_radix(random);
    case 2:
      return random_bits(random);
    case 3:
    case 4:
      return random_congruence(random);
    default:
      return random_expression(random);
  }
}

IndexMap random_total_map(CaseRandom& random) {
  for (;;) {
    IndexMap map = random_map(random);
    std::vector<Point> values;
    bool defined = true;
    for (const Point& point : all_points(map.inputs)) {
      const auto value = value_at(map, point);
      defined = defined && value;
      if (value) values.push_back(*value);
    }
    if (!defined) continue;
    bool fits = true;
    for (std::size_t i = 0; i < map.results.size() && !values.empty(); ++i) {
      std::int64_t low = INT64_MAX;
      std::int64_t high = INT64_MIN;
      for (const Point& value : values) {
        low = std::min(low, value[i]);
        high = std::max(high, value[i]);
      }
      if (low < 0 || random.chance(1, 2)) {
        if (low != 0) map.results[i] = with_number(map, IndexKind::Sub, map.results[i], low);
        const auto shifted = checked_sub(high, low);
        fits = fits && shifted.has_value();
        high = shifted.value_or(0);
      }
      const auto extent = checked_add(high, random.chance(1, 10) ? 2 : 1);
      fits = fits && extent.has_value();
      map.outputs[i] = extent.value_or(1);
    }
    const auto size = box_points(map.outputs);
    if (fits && size && *size <= 20'000) return map;
  }
}

GuardedMap random_cover(CaseRandom& random) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(random.number(1, 2)));
  std::vector<std::int64_t> tiles;
  for (auto& size : sizes) {
    size = random.number(random.chance(1, 30) ? 0 : 1, 9);
    tiles.push_back(random.number(1, 4));
  }
  GuardedMap guarded = tiled_cover(sizes, tiles);
  IndexMap& map = guarded.map;
  const auto pick = [&](std::size_t count) {
    return static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(count) - 1));
  };
  switch (random.number(0, 9)) {
    case 0:
      map.outputs[pick(sizes.size())] += random.chance(1, 2) ? 1 : map.outputs[0] > 0 ? -1 : 0;
      break;
    case 1:
      if (!guarded.guards.empty()) guarded.guards[pick(guarded.guards.size())].bound += random.chance(1, 2) ? 1 : -1;
      break;
    case 2:
      if (!guarded.guards.empty()) guarded.guards.pop_back();
      break;
    case 3:
      map.results[0] = with_number(map, IndexKind::Add, map.results[0], random.number(-1, 1));
      break;
    case 4:
      map.inputs[pick(map.inputs.size())] += 1;
      break;
    case 5: {
      const std::size_t result = pick(map.results.size());
      map.results[result] = random_tree(random, map, 2);
      break;
    }
    case 6:
      guarded.guards.push_back({random_tree(random, map, 2), random.number(0, 9)});
      break;
    case 7: {  // one ordinal for both program coordinates
      if (sizes.size() != 2 || map.inputs[0] == 0 || map.inputs[2] == 0) break;
      const std::int64_t columns = map.inputs[2];
      map.inputs = {map.inputs[0] * columns, map.inputs[1], map.inputs[3]};
      guarded.guards.clear();
      const IndexId row = with_number(map, IndexKind::FloorDiv, input_of(map, 0), columns);
      const IndexId column = with_number(map, IndexKind::Mod, input_of(map, 0), columns);
      const IndexId rows = with_number(map, IndexKind::Mul, row, tiles[0]);
      const IndexId places = with_number(map, IndexKind::Mul, column, tiles[1]);
      map.results = {map.arena.make(IndexKind::Add, rows, input_of(map, 1)),
                     map.arena.make(IndexKind::Add, places, input_of(map, 2))};
      for (std::size_t i = 0; i < 2; ++i) guarded.guards.push_back({map.results[i], sizes[i]});
      break;
    }
    default:
      break;
  }
  // Twice the sum below twice the bound: the same points, and beyond the comparison of sums.
  if (random.chance(3, 5))
    for (GuardClause& clause : guarded.guards) {
      clause.value = with_number(map, IndexKind::Mul, clause.value, 2);
      clause.bound *= 2;
    }
  return guarded;
}

Proved<MapTotalInBounds> total_token(const IndexMap& map) {
  const auto verdict = prove_map_total_in_bounds(map);
  EXPECT_TRUE(is_proved(verdict)) << print_index_map(map);
  return std::get<Proved<MapTotalInBounds>>(verdict);
}

IndexId with_number(IndexMap& map, IndexKind kind, IndexId lhs, std::int64_t rhs) {
  return map.arena.make(kind, lhs, map.arena.constant(rhs));
}

}  // namespace tilewright::proof
