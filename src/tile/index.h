// Index expressions: sizes, coordinates and address parts, as a hash-consed arena.
//
// Meaning: 64-bit signed integers. Division and modulus are floored (7 / -2 = -4, 7 % -2 = -1); ceildiv rounds up. An
// evaluation that overflows or divides by zero has no value (evaluate() says so); nothing wraps.
// Two equal expressions have the same IndexId. make() folds an operation on two constants when the result exists, and
// nothing else, so that the text and the arena stay inverse.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/ids.h"

namespace tilewright::tile {

using IndexId = Id<struct IndexTag>;
using SymbolId = Id<struct SymbolTag>;  ///< a named size bound at compile time: M
using ParamId = Id<struct ParamTag>;    ///< a family parameter: BM
using CoordId = Id<struct CoordTag>;    ///< the coordinate of one domain of a region: i
using AxisId = Id<struct AxisTag>;      ///< a named axis of tiles: m

enum class IndexKind : std::uint8_t {
  Constant,
  Symbol,
  Param,
  Coord,
  Axis,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  BitAnd,
  BitXor,
  ShiftLeft,
  ShiftRight,  ///< logical, on the unsigned bit pattern; a shift count outside 0..63 has no value
};

constexpr bool is_index_leaf(IndexKind kind) { return kind <= IndexKind::Axis; }

struct IndexNode {
  IndexKind kind = IndexKind::Constant;
  std::int64_t value = 0;  ///< Constant: the number. Other leaves: the index of the Symbol/Param/Coord/Axis id.
  IndexId lhs, rhs;        ///< operands of an operation

  SymbolId symbol() const { return SymbolId{static_cast<std::uint32_t>(value)}; }
  ParamId param() const { return ParamId{static_cast<std::uint32_t>(value)}; }
  CoordId coord() const { return CoordId{static_cast<std::uint32_t>(value)}; }
  AxisId axis() const { return AxisId{static_cast<std::uint32_t>(value)}; }
  bool operator==(const IndexNode&) const = default;
};

/// What the leaves stand for during an evaluation. A missing value makes the whole evaluation valueless.
struct IndexEnvironment {
  std::function<std::optional<std::int64_t>(SymbolId)> symbol;
  std::function<std::optional<std::int64_t>(ParamId)> param;
  std::function<std::optional<std::int64_t>(CoordId)> coord;
  std::function<std::optional<std::int64_t>(AxisId)> axis;
};

/// kind applied to two numbers; nothing on overflow, zero divisor or bad shift.
std::optional<std::int64_t> apply_index_op(IndexKind kind, std::int64_t a, std::int64_t b);

/// Inclusive integer range.
struct IndexRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const IndexRange&) const = default;
};

class IndexArena {
 public:
  IndexId constant(std::int64_t value);
  IndexId symbol(SymbolId id) { return leaf(IndexKind::Symbol, id.index); }
  IndexId param(ParamId id) { return leaf(IndexKind::Param, id.index); }
  IndexId coord(CoordId id) { return leaf(IndexKind::Coord, id.index); }
  IndexId axis(AxisId id) { return leaf(IndexKind::Axis, id.index); }
  IndexId make(IndexKind kind, IndexId lhs, IndexId rhs);

  const IndexNode& operator[](IndexId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  std::optional<std::int64_t> as_constant(IndexId id) const;

  /// Value of the expression, or nothing.
  std::optional<std::int64_t> evaluate(IndexId id, const IndexEnvironment& environment) const;

  /// A range that surely contains every value when leaves range over the given ranges (over-approximation). Nothing
  /// when some evaluation might overflow, divide by zero, or a leaf has no range.
  std::optional<IndexRange> range_over(IndexId id,
                                       const std::function<std::optional<IndexRange>(const IndexNode&)>& leaf) const;

  /// Every leaf of the given kind, each once, in order of first appearance (left to right).
  std::vector<std::uint32_t> leaves(IndexId id, IndexKind kind) const;
  std::vector<AxisId> axes(IndexId id) const;
  std::vector<CoordId> coords(IndexId id) const;

  /// The same expression in another arena, its leaves mapped.
  IndexId copy_to(IndexArena& target, IndexId id, const std::function<IndexId(const IndexNode&)>& map_leaf) const;

  bool operator==(const IndexArena& other) const { return nodes_ == other.nodes_; }

 private:
  IndexId leaf(IndexKind kind, std::uint32_t index);
  IndexId intern(const IndexNode& node);

  IdVector<IndexId, IndexNode> nodes_;
  std::unordered_multimap<std::size_t, IndexId> by_hash_;
};

}  // namespace tilewright::tile
