// Tile IR: the meaning of a program, as an arena of operations with typed ids.
//
// A Program is a family: symbols (sizes) and parameters stay open until tile/bind.h closes them. It is a sequence of
// top-level parallel launches over buffers; inside, operations on immutable tiles over named axes. See docs/tile-ir.md
// for the text and the meaning of each operation. Programs are made by tile/builder.h only and never changed in place.
//
// Canonical form: Builder::finish() renumbers every id in the order of a walk through the program, so that two
// programs with the same meaning-bearing structure compare equal (operator==), whatever front door made them. Names of
// values, axes, coordinates and memory are labels: they do not take part in the comparison. Names of the program, its
// symbols, parameters and buffers are its interface and do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <tilewright/errors.h>
#include <tilewright/types.h>

#include "support/ids.h"
#include "tile/comparison.h"
#include "tile/index.h"

namespace tilewright::tile {

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using BlockId = Id<struct BlockTag>;
using ObjectId = Id<struct ObjectTag>;        ///< a buffer, a scalar input, a temporary or explicit memory
using TypeParamId = Id<struct TypeParamTag>;  ///< a family parameter that stands for an element type: T
using LocationId = Id<struct LocationTag>;

// ---- Types ---------------------------------------------------------------------------------------------------------

/// An element type: a DataType, or a type parameter that binding replaces.
struct ElementType {
  DataType data = DataType::F32;  ///< meaningless while param is valid
  TypeParamId param;

  bool symbolic() const { return param.valid(); }
  bool operator==(const ElementType&) const = default;
};
inline constexpr ElementType kF32{DataType::F32, {}};
inline constexpr ElementType kI32{DataType::I32, {}};
inline constexpr ElementType kIndex{DataType::Index, {}};
inline constexpr ElementType kBool{DataType::Bool, {}};

/// Where a tile or memory must live. Auto leaves it to the planner; the others are hard constraints.
enum class MemorySpace : std::uint8_t { Auto, Private, Shared, Cluster, Global, Tensor };
/// Who executes a parallel region. Auto leaves it to the planner; the others are hard constraints.
enum class Scope : std::uint8_t { Auto, Device, Group, Subgroup, Worker, Vector };

// ---- Declarations --------------------------------------------------------------------------------------------------

/// A size. A binding must give its value unless it has a default.
struct Symbol {
  std::string name;
  std::optional<std::int64_t> default_value = std::nullopt;
};
/// BM: {32, 64, 128} = 64. An explicit binding may be any value that the program accepts.
struct Param {
  std::string name;
  std::vector<std::int64_t> choices;
  std::int64_t default_value = 0;
};
/// T: type {f32, f16} = f32.
struct TypeParam {
  std::string name;
  std::vector<DataType> choices;
  DataType default_type = DataType::F32;
};
/// require lhs OP rhs, "message": over symbols and parameters only.
struct Requirement {
  IndexId lhs, rhs;
  Comparison comparison = Comparison::Ge;
  std::string message;
  LocationId location;
};

/// extent may use symbols and parameters only.
struct Axis {
  std::string label;
  IndexId extent;
};
/// One domain of a region: name in extent. extent may use symbols, parameters and coordinates of enclosing regions.
struct Coord {
  std::string name;
  IndexId extent;
};

enum class ObjectKind : std::uint8_t { In, Out, InOut, Temp, Memory };

/// A buffer (In, Out, InOut, Temp) or explicit memory (Memory).
///  - Rank 0 with kind In is a scalar input; it may have a default value.
///  - strides: empty = free (any strides at launch; dense row-major when nothing is said); else one expression a
///    dimension, in elements, that a launch must match.
///  - Memory: space is the placement; layout_axes (one a dimension) and layout give the element offset of a point, or
///    are empty for dense row-major.
struct Object {
  std::string name;
  ObjectKind kind = ObjectKind::In;
  ElementType element;
  std::vector<IndexId> extents;
  std::vector<IndexId> strides;
  std::optional<double> default_value;
  MemorySpace space = MemorySpace::Auto;
  std::vector<AxisId> layout_axes;
  IndexId layout;
  LocationId location;

  std::size_t rank() const { return extents.size(); }
  bool scalar_input() const { return kind == ObjectKind::In && extents.empty(); }
};

// ---- Operations ----------------------------------------------------------------------------------------------------

/// A literal number, equal by bits (so that -0.0 and NaN literals are kept apart).
struct Literal {
  std::uint64_t bits = 0;  ///< of a double; booleans are 0.0 and 1.0; integers up to 2^53 are exact
  static Literal of(double value);
  double value() const;
  bool operator==(const Literal&) const = default;
};

enum class UnaryKind : std::uint8_t { Neg, Not, Abs, Exp, Log, Sqrt, Tanh, Sin, Cos, Floor };
/// Max and Min are IEEE 754-2019 maximum and minimum: a NaN wins, -0 < +0. Div and Mod of integers are floored; by zero
/// they give 0; i32 arithmetic wraps. Mod of floats is fmod. And, Or are on bool.
enum class BinaryKind : std::uint8_t { Add, Sub, Mul, Div, Mod, Max, Min, Lt, Le, Gt, Ge, Eq, Ne, And, Or };
constexpr bool is_comparison(BinaryKind kind) { return kind >= BinaryKind::Lt && kind <= BinaryKind::Ne; }

enum class FoldKind : std::uint8_t { Add, Max, Min };
/// Which orders a fold may take. The reference order is ascending from the left.
enum class FoldOrder : std::uint8_t { UnorderedTree, OrderedTree, FoldLeft, FoldRight };

/// Out-of-range elements of a load give the fallback (+0 unless stated) and of a store write nothing (Zero), or the
/// author promises that there are none (Assume).
enum class BoundsPolicy : std::uint8_t { Zero, Assume };

/// The same number at every point of the result's axes.
struct ConstantOp {
  Literal literal;
  static constexpr const char* kName = "constant";
  bool operator==(const ConstantOp&) const = default;
};
/// The value of an index expression at each point of the result's axes (which are the axes of the expression).
struct IndexValueOp {
  IndexId expr;
  static constexpr const char* kName = "index";
  bool operator==(const IndexValueOp&) const = default;
};
struct UnaryOp {
  UnaryKind kind{};
  ValueId operand;
  static constexpr const char* kName = "unary";
  bool operator==(const UnaryOp&) const = default;
};
/// Operands have one element type; axes join by identity, missing ones broadcast; order of first appearance.
struct BinaryOp {
  BinaryKind kind{};
  ValueId lhs, rhs;
  static constexpr const char* kName = "binary";
  bool operator==(const BinaryOp&) const = default;
};
/// Picks between two computed values; not lazy.
struct SelectOp {
  ValueId condition, if_true, if_false;
  static constexpr const char* kName = "select";
  bool operator==(const SelectOp&) const = default;
};
/// To the result's element type: round to nearest even; float to integer truncates, NaN gives 0, out of range
/// saturates; bool to number gives 0 or 1; number to bool is "!= 0".
struct CastOp {
  ValueId operand;
  static constexpr const char* kName = "cast";
  bool operator==(const CastOp&) const = default;
};
/// Adds axes and permutes: the result's axes are a superset of the operand's.
struct BroadcastOp {
  ValueId operand;
  static constexpr const char* kName = "broadcast";
  bool operator==(const BroadcastOp&) const = default;
};
/// result[p] = operand[coords(p)]: one expression an axis of the operand, over the result's axes and coordinates of
/// enclosing regions. Never out of range (checked when sizes are bound). Covers relabel, reshape, at, permutations.
struct ReindexOp {
  ValueId operand;
  IdList<IndexId> coords;
  static constexpr const char* kName = "reindex";
  bool operator==(const ReindexOp&) const = default;
};
/// result[p] = operand[p with axis := indices[p]], or fallback where that is out of range. indices is index or i32.
/// The result's axes: the operand's without `axis`, then those of indices that are not among them.
struct GatherOp {
  ValueId operand;
  AxisId axis;
  ValueId indices;
  ValueId fallback;  ///< rank 0
  static constexpr const char* kName = "gather";
  bool operator==(const GatherOp&) const = default;
};
/// Folds one axis away. The empty fold gives the identity (0, -Inf, +Inf; the smallest and largest integer).
struct ReduceOp {
  FoldKind kind{};
  FoldOrder order = FoldOrder::UnorderedTree;
  AxisId axis;
  ValueId operand;
  static constexpr const char* kName = "reduce";
  bool operator==(const ReduceOp&) const = default;
};
/// Explicit bits that an operand keeps at least when a relaxed mma rounds it.
inline constexpr int kRelaxedMantissaBits = 10;

/// c + sum over the contraction axes of a * b, computed in c's element type (f32, or i32 with i32 operands). Roles come
/// from axis identity: in a, b and c = batch; in a and b only = contraction; in a and c = rows; in b and c = columns.
/// Reference order: ascending chain of fused multiply-adds; reassociate permits any order and tree. relaxed permits f32
/// operands to be rounded to numbers of kRelaxedMantissaBits and more; floats only, and without effect below f32.
struct MmaOp {
  ValueId a, b, c;
  bool reassociate = true;
  bool relaxed = false;
  static constexpr const char* kName = "mma";
  bool operator==(const MmaOp&) const = default;
};
/// A snapshot of the elements at `coords` (one expression a dimension, over the result's axes and coordinates).
/// `fallback`: rank-0 value for out-of-range elements, or none for +0.
struct LoadOp {
  ObjectId object;
  IdList<IndexId> coords;
  BoundsPolicy bounds = BoundsPolicy::Zero;
  ValueId fallback;
  static constexpr const char* kName = "load";
  bool operator==(const LoadOp&) const = default;
};
/// Stores at `coords`; the value's axes are a subset of theirs (missing ones broadcast).
struct StoreOp {
  ObjectId object;
  IdList<IndexId> coords;
  BoundsPolicy bounds = BoundsPolicy::Zero;
  ValueId value;
  static constexpr const char* kName = "store";
  bool operator==(const StoreOp&) const = default;
};
/// Where explicit memory comes to life: its object belongs to the innermost enclosing parallel instance.
struct MemoryOp {
  ObjectId object;
  static constexpr const char* kName = "memory";
  bool operator==(const MemoryOp&) const = default;
};
/// A barrier the author asked for, seen by every worker of the scope (Group or Subgroup).
struct BarrierOp {
  Scope scope = Scope::Group;
  static constexpr const char* kName = "barrier";
  bool operator==(const BarrierOp&) const = default;
};
/// A call whose effects nobody knows. Kept, or refused by a target that cannot make it.
struct OpaqueOp {
  std::uint32_t symbol = 0;  ///< index into Program::opaque_symbols()
  IdList<ValueId> values;
  IdList<ObjectId> objects;
  static constexpr const char* kName = "opaque";
  bool operator==(const OpaqueOp&) const = default;
};
/// Ends one source segment of a pipeline body and begins the next.
struct StageCutOp {
  std::uint32_t label = 0;  ///< index into Program::stage_labels(); 0 is the empty label
  static constexpr const char* kName = "stage";
  bool operator==(const StageCutOp&) const = default;
};

enum class RegionKind : std::uint8_t { Parallel, Serial, Pipeline, Reduce };

/// A counted region over the product of its domains (row-major, last fastest).
///  - Carries: inits enter, the body block's arguments are their values in one iteration, the body's yields the next
///    ones, results the last (or the inits after zero trips). All update at once. Parallel regions have none.
///  - Reduce: the accumulators are not visible inside (no block arguments); yields are the contributions, folded into
///    the inits with `folds` under `order`.
///  - Pipeline: window (0 = planner decides, 1 = ordered, n = most iterations in flight), initiation interval.
struct RegionOp {
  RegionKind kind{};
  Scope scope = Scope::Auto;
  FoldOrder order = FoldOrder::UnorderedTree;
  std::uint16_t window = 0;
  std::uint16_t interval = 1;
  IdList<CoordId> coords;
  IdList<ValueId> inits;
  std::uint32_t folds = 0;  ///< two bits a carry (FoldKind), carry 0 lowest; Reduce only, at most 16 carries
  BlockId body;
  static constexpr const char* kName = "region";
  bool operator==(const RegionOp&) const = default;
  FoldKind fold(std::size_t carry) const { return static_cast<FoldKind>((folds >> (2 * carry)) & 3u); }
};
/// Runs one of two blocks; loads inside are lazy. results[j] = the yields[j] of the block that ran; a block that does
/// not assign carry j yields inits[j]. condition is bool of rank 0. Blocks have no arguments.
struct IfOp {
  ValueId condition;
  IdList<ValueId> inits;
  BlockId then_block, else_block;
  static constexpr const char* kName = "if";
  bool operator==(const IfOp&) const = default;
};

using OpPayload =
    std::variant<ConstantOp, IndexValueOp, UnaryOp, BinaryOp, SelectOp, CastOp, BroadcastOp, ReindexOp, GatherOp,
                 ReduceOp, MmaOp, LoadOp, StoreOp, MemoryOp, BarrierOp, OpaqueOp, StageCutOp, RegionOp, IfOp>;

struct Op {
  OpPayload payload;
  IdList<ValueId> results;  ///< one for values, none for effects, one a carry for regions and if
  LocationId location;
  bool operator==(const Op& other) const { return payload == other.payload && results == other.results; }
};
static_assert(sizeof(Op) <= 80);

struct Value {
  ElementType element;
  IdList<AxisId> axes;
  MemorySpace placement = MemorySpace::Auto;
  OpId def;          ///< defining operation, or none for a block argument
  std::string name;  ///< label; may be empty
  bool operator==(const Value& o) const {
    return element == o.element && axes == o.axes && placement == o.placement && def == o.def;
  }
};

struct Block {
  IdList<ValueId> args;
  std::vector<OpId> ops;
  IdList<ValueId> yields;
  bool operator==(const Block&) const = default;
};

/// Place of an operation or declaration in the text, or the C++ file, it came from.
struct Location {
  std::uint32_t line = 0, column = 0, length = 0;
  std::uint32_t file = 0;  ///< 0: SourceText::file; n: more_files[n - 1]
};

/// The source text, for places and excerpts in diagnostics.
struct SourceText {
  std::string file;
  std::vector<std::string> lines;
  std::vector<std::string> more_files = {};  ///< a program written in C++ may stand in several files
};

class Program {
 public:
  const std::string& name() const { return name_; }
  /// The comment that stands before the program, one line each, without the comment marks.
  const std::vector<std::string>& comment() const { return comment_; }

  const IdVector<SymbolId, Symbol>& symbols() const { return symbols_; }
  const IdVector<ParamId, Param>& params() const { return params_; }
  const IdVector<TypeParamId, TypeParam>& type_params() const { return type_params_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  const IdVector<ObjectId, Object>& objects() const { return objects_; }
  const IdVector<AxisId, Axis>& axes() const { return axes_; }
  const IdVector<CoordId, Coord>& coords() const { return coords_; }
  const IndexArena& index() const { return index_; }
  const IdVector<OpId, Op>& ops() const { return ops_; }
  const IdVector<ValueId, Value>& values() const { return values_; }
  const IdVector<BlockId, Block>& blocks() const { return blocks_; }
  const std::vector<std::string>& opaque_symbols() const { return opaque_symbols_; }
  const std::vector<std::string>& stage_labels() const { return stage_labels_; }
  BlockId root() const { return root_; }

  template <class IdType>
  std::vector<IdType> list(IdList<IdType> ids) const {
    return pool_.get(ids);
  }

  const Op& op(OpId id) const { return ops_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  const Block& block(BlockId id) const { return blocks_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }

  /// Place of a location in the text, with its excerpt.
  SourcePlace place(LocationId id) const;
  const SourceText& source() const { return source_; }

  /// True when no symbol, parameter or type parameter is left open (after tile/bind.h).
  bool bound() const { return symbols_.empty() && params_.empty() && type_params_.empty(); }

  bool operator==(const Program& other) const;

 private:
  friend class Builder;
  friend class ProgramCopier;

  std::string name_;
  std::vector<std::string> comment_;
  IdVector<SymbolId, Symbol> symbols_;
  IdVector<ParamId, Param> params_;
  IdVector<TypeParamId, TypeParam> type_params_;
  std::vector<Requirement> requirements_;
  IdVector<ObjectId, Object> objects_;
  IdVector<AxisId, Axis> axes_;
  IdVector<CoordId, Coord> coords_;
  IndexArena index_;
  IdVector<OpId, Op> ops_;
  IdVector<ValueId, Value> values_;
  IdVector<BlockId, Block> blocks_;
  std::vector<std::string> opaque_symbols_;
  std::vector<std::string> stage_labels_{std::string{}};
  IdPool pool_;
  IdVector<LocationId, Location> locations_;
  SourceText source_;
  BlockId root_;
};

/// Calls f(ValueId) for every value operand of a payload (inits included; yields belong to blocks).
template <class F>
void for_each_operand(const Program& program, const OpPayload& payload, F&& f);

}  // namespace tilewright::tile

#include "tile/program_inline.h"
