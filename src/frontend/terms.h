// What stands behind Index and Expr: immutable trees that become index expressions and operations where a statement
// uses them. C++ leaves the order of operands open, so nothing is built while an expression is formed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tilewright/dsl.h>

#include "tile/builder.h"

namespace tilewright::dsl {

/// An open block: 0 is the program's own, every region and branch has a new one.
using BlockToken = std::uint64_t;
inline constexpr BlockToken kRootBlock = 0;

struct IndexTerm {
  enum class Fault : std::uint8_t { None, TooLarge, OutOfRange };

  tile::IndexKind kind = tile::IndexKind::Constant;
  std::int64_t value = 0;            ///< Constant: the number; other leaves: the index of their id
  std::shared_ptr<Session> session;  ///< the draft of the first leaf that has one
  BlockToken block = kRootBlock;     ///< Coord: where it lives
  std::shared_ptr<const IndexTerm> lhs = nullptr, rhs = nullptr;
  std::uint32_t terms = 1;
  Fault fault = Fault::None;
};

using ValueTermPtr = std::shared_ptr<ValueTerm>;

// Kinds of ValueTerm.
struct FailedTerm {
  Diag diag;
};
struct IndexLeaf {
  Index index;
};
struct RealLeaf {
  double value;
};
struct TruthLeaf {
  bool value;
};
/// Made already: what a tile held when it was read, or a term whose parts were released.
struct MadeLeaf {};
struct UnaryTerm {
  tile::UnaryKind kind;
  ValueTermPtr x;
};
struct BinaryTerm {
  tile::BinaryKind kind;
  ValueTermPtr a, b;
};
struct SelectTerm {
  ValueTermPtr condition, a, b;
};
struct CastTerm {
  ValueTermPtr x;
  Element to;
};
/// The brackets of `x[m, n] = ..`.
struct ShapedTerm {
  ValueTermPtr x;
  Axes axes;
};
struct BroadcastTerm {
  ValueTermPtr x;
  Axes axes;
};
struct ElementTerm {
  ValueTermPtr x;
  std::vector<Index> coords;
};
struct RelabelTerm {
  ValueTermPtr x;
  std::vector<std::pair<Axis, Axis>> axes;
};
struct GatherTerm {
  ValueTermPtr x;
  Axis axis;
  ValueTermPtr indices, fallback;
};
struct FoldTerm {
  tile::FoldKind kind;
  ValueTermPtr x;
  Axis axis;
  tile::FoldOrder order;
};
struct MmaTerm {
  ValueTermPtr a, b, c;
  bool reassociate;
  bool relaxed;
};
struct MatmulTerm {
  ValueTermPtr a, b;
  Axes axes;
};
struct LoadTerm {
  std::shared_ptr<Session> session;
  tile::ObjectId object;
  std::vector<Index> coords;
  bool assume = false;
  ValueTermPtr fallback;
};
struct NamedTerm {
  ValueTermPtr x;
  std::string label;
};
struct PlacedTerm {
  ValueTermPtr x;
  tile::MemorySpace space;
};

using Formula = std::variant<FailedTerm, IndexLeaf, RealLeaf, TruthLeaf, MadeLeaf, UnaryTerm, BinaryTerm, SelectTerm,
                             CastTerm, ShapedTerm, BroadcastTerm, ElementTerm, RelabelTerm, GatherTerm, FoldTerm,
                             MmaTerm, MatmulTerm, LoadTerm, NamedTerm, PlacedTerm>;

struct ValueTerm {
  Formula formula;
  std::shared_ptr<Session> session;  ///< the draft of the first part that has one
  Place place;
  bool closed = true;  ///< made of numbers and indices alone: may be made again anywhere
  std::uint32_t depth = 1;

  /// The operation it became, and where.
  std::shared_ptr<Session> owner = nullptr;
  tile::ValueId value = {};
  BlockToken block = kRootBlock;
};

/// A formula of its parts. The draft makes it before the next statement at the latest.
Expr make_expr(Formula formula, const Place& place, std::shared_ptr<Session> session = nullptr);
ValueTermPtr failed_term(DiagCode code, std::string message, std::string hint, const Place& place);

/// Parts of a formula, in the order in which they are made.
std::vector<ValueTermPtr> parts_of(const Formula& formula);

/// The label of a term on its way into a variable.
std::string label_of(const ValueTerm& term);

}  // namespace tilewright::dsl
