#include "proof/map_system.h"

#include <algorithm>
#include <bit>

#include "support/checked_math.h"

namespace tilewright::proof {

namespace {

using tile::IndexId;
using tile::IndexKind;

constexpr int kMaxDigitSplits = 64;

struct DigitSplit {
  std::size_t variable = 0;
  std::int64_t width = 0;
};

bool is_constant_row(const AffineRow& row) {
  return std::all_of(row.coefficients.begin(), row.coefficients.end(), [](std::int64_t c) { return c == 0; });
}

/// One attempt to write an expression as an affine row over given variables.
class AffineReader {
 public:
  AffineReader(const tile::IndexArena& arena, const std::vector<MapVariable>& variables)
      : arena_(arena), variables_(variables) {}

  std::optional<AffineRow> read(IndexId id) {
    const tile::IndexNode& node = arena_[id];
    if (node.kind == IndexKind::Constant) return constant(node.value);
    if (node.kind == IndexKind::Axis) return input(static_cast<std::size_t>(node.value));
    auto lhs = read(node.lhs);
    auto rhs = read(node.rhs);
    if (!lhs || !rhs) return std::nullopt;
    return apply(node.kind, std::move(*lhs), std::move(*rhs));
  }

  /// A split of a variable with which the attempt would have gone further.
  const std::optional<DigitSplit>& wanted() const { return wanted_; }

 private:
  AffineRow constant(std::int64_t value) const { return {std::vector<std::int64_t>(variables_.size()), value}; }

  AffineRow input(std::size_t position) const {
    AffineRow row = constant(0);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (variables_[i].input == position) row.coefficients[i] = variables_[i].weight;
    return row;
  }

  std::optional<AffineRow> apply(IndexKind kind, AffineRow lhs, AffineRow rhs) {
    if (kind == IndexKind::Add) return combine(std::move(lhs), rhs, 1);
    if (kind == IndexKind::Sub) return combine(std::move(lhs), rhs, -1);
    if (kind == IndexKind::Min || kind == IndexKind::Max) return pick(kind, std::move(lhs), std::move(rhs));
    if ((kind == IndexKind::Mul || kind == IndexKind::BitAnd) && is_constant_row(lhs)) std::swap(lhs, rhs);
    if (!is_constant_row(rhs)) return std::nullopt;
    return apply_number(kind, std::move(lhs), rhs.constant);
  }

  std::optional<AffineRow> apply_number(IndexKind kind, AffineRow row, std::int64_t number) {
    const bool shift = kind == IndexKind::ShiftLeft || kind == IndexKind::ShiftRight;
    if (shift && (number < 0 || number > 62)) return std::nullopt;
    if (kind == IndexKind::Mul) return combine(constant(0), row, number);
    if (kind == IndexKind::ShiftLeft) return combine(constant(0), row, std::int64_t{1} << number);
    if (kind == IndexKind::ShiftRight && affine_range(row, variables_).low < 0) return std::nullopt;
    if (kind == IndexKind::ShiftRight) return divide(std::move(row), std::int64_t{1} << number, true);
    if (kind == IndexKind::FloorDiv) return divide(std::move(row), number, true);
    if (kind == IndexKind::Mod) return divide(std::move(row), number, false);
    if (kind == IndexKind::CeilDiv && number > 0) {
      const auto raised = checked_add(row.constant, number - 1);
      if (!raised) return std::nullopt;
      row.constant = *raised;
      return divide(std::move(row), number, true);
    }
    const bool low_mask =
        number >= 0 && number < INT64_MAX && std::has_single_bit(static_cast<std::uint64_t>(number) + 1);
    if (kind == IndexKind::BitAnd && low_mask) return divide(std::move(row), number + 1, false);
    return std::nullopt;
  }

  std::optional<AffineRow> combine(AffineRow row, const AffineRow& other, std::int64_t factor) const {
    const auto add = [&](std::int64_t& place, std::int64_t term) {
      const auto scaled = checked_mul(term, factor);
      const auto sum = scaled ? checked_add(place, *scaled) : std::nullopt;
      if (sum) place = *sum;
      return sum.has_value();
    };
    for (std::size_t i = 0; i < row.coefficients.size(); ++i)
      if (!add(row.coefficients[i], other.coefficients[i])) return std::nullopt;
    if (!add(row.constant, other.constant)) return std::nullopt;
    return row;
  }

  std::optional<AffineRow> pick(IndexKind kind, AffineRow lhs, AffineRow rhs) const {
    const WideRange left = affine_range(lhs, variables_);
    const WideRange right = affine_range(rhs, variables_);
    if (left.high <= right.low) return kind == IndexKind::Min ? lhs : rhs;
    if (right.high <= left.low) return kind == IndexKind::Min ? rhs : lhs;
    return std::nullopt;
  }

  /// row = divisor * quotient + rest; when the rest always lies in 0 .. divisor-1 these are quotient and modulus.
  std::optional<AffineRow> divide(AffineRow row, std::int64_t divisor, bool quotient) {
    if (divisor <= 0) return std::nullopt;
    AffineRow rest = row;
    const auto part = [divisor](std::int64_t& whole, std::int64_t& remainder) {
      remainder = *checked_mod(whole, divisor);
      whole = *checked_floordiv(whole, divisor);
    };
    for (std::size_t i = 0; i < row.coefficients.size(); ++i) part(row.coefficients[i], rest.coefficients[i]);
    part(row.constant, rest.constant);
    if (affine_range(rest, variables_).high < divisor) return quotient ? row : rest;
    want_split(rest, divisor);
    return std::nullopt;
  }

  void want_split(const AffineRow& rest, std::int64_t divisor) {
    for (std::size_t i = 0; i < variables_.size() && !wanted_; ++i) {
      const std::int64_t coefficient = rest.coefficients[i];
      if (coefficient <= 0 || divisor % coefficient != 0) continue;
      const std::int64_t width = divisor / coefficient;
      if (width > 1 && width < variables_[i].extent) wanted_ = DigitSplit{i, width};
    }
  }

  const tile::IndexArena& arena_;
  const std::vector<MapVariable>& variables_;
  std::optional<DigitSplit> wanted_;
};

/// Splits one variable if the mode allows it.
bool split_digit(MapSystem& system, const DigitSplit& split, Digits digits) {
  MapVariable& low = system.variables[split.variable];
  const bool even = low.extent % split.width == 0;
  const auto weight = checked_mul(low.weight, split.width);
  if ((!even && digits == Digits::Exact) || !weight) return false;
  const MapVariable high{low.input, *weight, low.extent / split.width + (even ? 0 : 1)};
  low.extent = split.width;
  system.variables.insert(system.variables.begin() + static_cast<std::ptrdiff_t>(split.variable), high);
  if (!even) system.exact = false;
  return true;
}

MapRow read_row(const MapSystem& system, const IndexMap& map, IndexId root) {
  MapRow row{AffineReader(map.arena, system.variables).read(root), std::vector<bool>(system.variables.size())};
  if (row.affine) {
    for (std::size_t i = 0; i < system.variables.size(); ++i)
      row.uses[i] = row.affine->coefficients[i] != 0 && system.variables[i].extent > 1;
    return row;
  }
  for (const tile::AxisId axis : map.arena.axes(root))
    for (std::size_t i = 0; i < system.variables.size(); ++i)
      if (system.variables[i].input == axis.index) row.uses[i] = true;
  return row;
}

}  // namespace

MapPoint MapSystem::point(const std::vector<std::int64_t>& values, std::size_t inputs) const {
  MapPoint result(inputs);
  for (std::size_t i = 0; i < variables.size(); ++i) result[variables[i].input] += variables[i].weight * values[i];
  return result;
}

std::vector<std::int64_t> MapSystem::extents() const {
  std::vector<std::int64_t> list;
  for (const MapVariable& variable : variables) list.push_back(variable.extent);
  return list;
}

WideRange affine_range(const AffineRow& row, const std::vector<MapVariable>& variables) {
  WideRange range{row.constant, row.constant};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const __int128_t reach = static_cast<__int128_t>(row.coefficients[i]) * (variables[i].extent - 1);
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

MapSystem make_map_system(const IndexMap& map, const std::vector<IndexId>& roots, Digits digits) {
  MapSystem system;
  for (std::size_t i = 0; i < map.inputs.size(); ++i) system.variables.push_back({i, 1, map.inputs[i]});
  int splits = 0;
  for (std::size_t root = 0; root < roots.size(); ++root) {
    AffineReader reader(map.arena, system.variables);
    if (reader.read(roots[root]) || !reader.wanted() || splits == kMaxDigitSplits) continue;
    if (!split_digit(system, *reader.wanted(), digits)) continue;
    ++splits;
    --root;  // once more, over the finer digits
  }
  for (const IndexId root : roots) system.rows.push_back(read_row(system, map, root));
  return system;
}

std::vector<MapComponent> split_components(const MapSystem& system) {
  // A component is named by the smallest node in it; nodes are the variables, then the rows.
  const std::size_t variables = system.variables.size();
  std::vector<std::size_t> owner(variables + system.rows.size());
  for (std::size_t i = 0; i < owner.size(); ++i) owner[i] = i;
  const auto find = [&](std::size_t node) {
    while (owner[node] != node) node = owner[node];
    return node;
  };
  for (std::size_t row = 0; row < system.rows.size(); ++row)
    for (std::size_t i = 0; i < variables; ++i) {
      if (!system.rows[row].uses[i]) continue;
      const std::size_t a = find(i);
      const std::size_t b = find(variables + row);
      owner[std::max(a, b)] = std::min(a, b);
    }
  std::vector<MapComponent> components;
  std::vector<std::size_t> position(owner.size());
  for (std::size_t node = 0; node < owner.size(); ++node) {
    const std::size_t root = find(node);
    if (root == node) {
      position[node] = components.size();
      components.emplace_back();
    }
    MapComponent& component = components[position[root]];
    if (node < variables)
      component.variables.push_back(node);
    else
      component.rows.push_back(node - variables);
  }
  return components;
}

}  // namespace tilewright::proof
