#include "tile/index.h"

#include <algorithm>

#include "support/checked_math.h"

namespace tilewright::tile {

namespace {

std::optional<std::int64_t> apply_bits(IndexKind kind, std::int64_t a, std::int64_t b) {
  if (kind == IndexKind::BitAnd) return a & b;
  if (kind == IndexKind::BitXor) return a ^ b;
  if (b < 0 || b > 63) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(a);
  if (kind == IndexKind::ShiftRight) return static_cast<std::int64_t>(bits >> b);
  const auto shifted = static_cast<std::int64_t>(bits << b);
  if ((shifted >> b) != a) return std::nullopt;
  return shifted;
}

std::optional<std::int64_t> checked_ceildiv(std::int64_t a, std::int64_t b) {
  auto quotient = checked_floordiv(a, b);
  if (!quotient) return std::nullopt;
  return *checked_mod(a, b) == 0 ? *quotient : *quotient + 1;
}

/// Extremes of a monotone operation over the corners of two ranges.
std::optional<IndexRange> corners(IndexKind kind, IndexRange a, IndexRange b) {
  std::optional<IndexRange> result;
  for (std::int64_t x : {a.low, a.high})
    for (std::int64_t y : {b.low, b.high}) {
      auto v = apply_index_op(kind, x, y);
      if (!v) return std::nullopt;
      if (!result) result = IndexRange{*v, *v};
      result->low = std::min(result->low, *v);
      result->high = std::max(result->high, *v);
    }
  return result;
}

std::optional<IndexRange> divide_range(IndexKind kind, IndexRange a, IndexRange b) {
  if (b.low <= 0 && b.high >= 0) return std::nullopt;
  return corners(kind, a, b);
}

std::optional<IndexRange> mod_range(IndexRange a, IndexRange b) {
  if (b.low <= 0 && b.high >= 0) return std::nullopt;
  if (a == IndexRange{a.low, a.low} && b == IndexRange{b.low, b.low}) {
    auto v = checked_mod(a.low, b.low);
    return IndexRange{*v, *v};
  }
  if (b.low == b.high && b.low > 0 && checked_floordiv(a.low, b.low) == checked_floordiv(a.high, b.low))
    return IndexRange{*checked_mod(a.low, b.low), *checked_mod(a.high, b.low)};
  if (b.low > 0) return IndexRange{0, b.high - 1};
  return IndexRange{b.low + 1, 0};
}

std::optional<IndexRange> bits_range(IndexKind kind, IndexRange a, IndexRange b) {
  const bool single = a.low == a.high && b.low == b.high;
  if (single) {
    auto v = apply_index_op(kind, a.low, b.low);
    if (!v) return std::nullopt;
    return IndexRange{*v, *v};
  }
  if (kind == IndexKind::ShiftLeft || kind == IndexKind::ShiftRight) {
    if (b.low < 0 || b.high > 63 || a.low < 0) return std::nullopt;
    return corners(kind, a, b);
  }
  if (a.low < 0 || b.low < 0) return std::nullopt;
  if (kind == IndexKind::BitAnd) return IndexRange{0, std::min(a.high, b.high)};
  std::uint64_t ones = 1;
  while (ones - 1 < static_cast<std::uint64_t>(a.high | b.high)) ones <<= 1;
  return IndexRange{0, static_cast<std::int64_t>(ones - 1)};
}

std::optional<IndexRange> range_of_op(IndexKind kind, IndexRange a, IndexRange b) {
  switch (kind) {
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::Min:
    case IndexKind::Max:
      return corners(kind, a, b);
    case IndexKind::FloorDiv:
    case IndexKind::CeilDiv:
      return divide_range(kind, a, b);
    case IndexKind::Mod:
      return mod_range(a, b);
    case IndexKind::BitAnd:
    case IndexKind::BitXor:
    case IndexKind::ShiftLeft:
    case IndexKind::ShiftRight:
      return bits_range(kind, a, b);
    case IndexKind::Constant:
    case IndexKind::Symbol:
    case IndexKind::Param:
    case IndexKind::Coord:
    case IndexKind::Axis:
      break;
  }
  TW_CHECK(!"leaf kinds are not operations");
  return std::nullopt;
}

std::size_t hash_node(const IndexNode& node) {
  std::size_t h = static_cast<std::size_t>(node.kind);
  for (std::uint64_t part :
       {static_cast<std::uint64_t>(node.value), std::uint64_t{node.lhs.index}, std::uint64_t{node.rhs.index}})
    h = (h ^ part) * 0x9e3779b97f4a7c15ull + (h >> 29);
  return h;
}

}  // namespace

std::optional<std::int64_t> apply_index_op(IndexKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case IndexKind::Add:
      return checked_add(a, b);
    case IndexKind::Sub:
      return checked_sub(a, b);
    case IndexKind::Mul:
      return checked_mul(a, b);
    case IndexKind::FloorDiv:
      return checked_floordiv(a, b);
    case IndexKind::CeilDiv:
      return checked_ceildiv(a, b);
    case IndexKind::Mod:
      return checked_mod(a, b);
    case IndexKind::Min:
      return std::min(a, b);
    case IndexKind::Max:
      return std::max(a, b);
    case IndexKind::BitAnd:
    case IndexKind::BitXor:
    case IndexKind::ShiftLeft:
    case IndexKind::ShiftRight:
      return apply_bits(kind, a, b);
    case IndexKind::Constant:
    case IndexKind::Symbol:
    case IndexKind::Param:
    case IndexKind::Coord:
    case IndexKind::Axis:
      break;
  }
  TW_CHECK(!"leaf kinds are not operations");
  return std::nullopt;
}

IndexId IndexArena::constant(std::int64_t value) { return intern(IndexNode{IndexKind::Constant, value, {}, {}}); }

IndexId IndexArena::leaf(IndexKind kind, std::uint32_t index) { return intern(IndexNode{kind, index, {}, {}}); }

IndexId IndexArena::make(IndexKind kind, IndexId lhs, IndexId rhs) {
  TW_CHECK(!is_index_leaf(kind));
  if (auto a = as_constant(lhs), b = as_constant(rhs); a && b)
    if (auto folded = apply_index_op(kind, *a, *b)) return constant(*folded);
  return intern(IndexNode{kind, 0, lhs, rhs});
}

IndexId IndexArena::intern(const IndexNode& node) {
  const std::size_t hash = hash_node(node);
  auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (nodes_[it->second] == node) return it->second;
  IndexId id = nodes_.push_back(node);
  by_hash_.emplace(hash, id);
  return id;
}

std::optional<std::int64_t> IndexArena::as_constant(IndexId id) const {
  const IndexNode& node = nodes_[id];
  if (node.kind != IndexKind::Constant) return std::nullopt;
  return node.value;
}

std::optional<std::int64_t> IndexArena::evaluate(IndexId id, const IndexEnvironment& environment) const {
  const IndexNode& node = nodes_[id];
  switch (node.kind) {
    case IndexKind::Constant:
      return node.value;
    case IndexKind::Symbol:
      return environment.symbol ? environment.symbol(node.symbol()) : std::nullopt;
    case IndexKind::Param:
      return environment.param ? environment.param(node.param()) : std::nullopt;
    case IndexKind::Coord:
      return environment.coord ? environment.coord(node.coord()) : std::nullopt;
    case IndexKind::Axis:
      return environment.axis ? environment.axis(node.axis()) : std::nullopt;
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::FloorDiv:
    case IndexKind::CeilDiv:
    case IndexKind::Mod:
    case IndexKind::Min:
    case IndexKind::Max:
    case IndexKind::BitAnd:
    case IndexKind::BitXor:
    case IndexKind::ShiftLeft:
    case IndexKind::ShiftRight:
      break;
  }
  auto a = evaluate(node.lhs, environment);
  auto b = evaluate(node.rhs, environment);
  if (!a || !b) return std::nullopt;
  return apply_index_op(node.kind, *a, *b);
}

std::optional<IndexRange> IndexArena::range_over(
    IndexId id, const std::function<std::optional<IndexRange>(const IndexNode&)>& leaf) const {
  const IndexNode& node = nodes_[id];
  if (node.kind == IndexKind::Constant) return IndexRange{node.value, node.value};
  if (is_index_leaf(node.kind)) return leaf(node);
  auto a = range_over(node.lhs, leaf);
  auto b = range_over(node.rhs, leaf);
  if (!a || !b) return std::nullopt;
  return range_of_op(node.kind, *a, *b);
}

std::vector<std::uint32_t> IndexArena::leaves(IndexId id, IndexKind kind) const {
  std::vector<std::uint32_t> found;
  std::vector<IndexId> stack{id};
  while (!stack.empty()) {
    const IndexNode& node = nodes_[stack.back()];
    stack.pop_back();
    if (!is_index_leaf(node.kind)) {
      stack.push_back(node.rhs);
      stack.push_back(node.lhs);
    } else if (node.kind == kind) {
      const auto index = static_cast<std::uint32_t>(node.value);
      if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
    }
  }
  return found;
}

std::vector<AxisId> IndexArena::axes(IndexId id) const {
  std::vector<AxisId> ids;
  for (std::uint32_t index : leaves(id, IndexKind::Axis)) ids.push_back(AxisId{index});
  return ids;
}

std::vector<CoordId> IndexArena::coords(IndexId id) const {
  std::vector<CoordId> ids;
  for (std::uint32_t index : leaves(id, IndexKind::Coord)) ids.push_back(CoordId{index});
  return ids;
}

IndexId IndexArena::copy_to(IndexArena& target, IndexId id,
                            const std::function<IndexId(const IndexNode&)>& map_leaf) const {
  const IndexNode node = nodes_[id];
  if (node.kind == IndexKind::Constant) return target.constant(node.value);
  if (is_index_leaf(node.kind)) return map_leaf(node);
  IndexId lhs = copy_to(target, node.lhs, map_leaf);
  IndexId rhs = copy_to(target, node.rhs, map_leaf);
  return target.make(node.kind, lhs, rhs);
}

}  // namespace tilewright::tile
