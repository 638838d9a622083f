// Builder: the one way to make a Program, under both front doors (the text and C++).
//
// Front doors work with variables: a variable names a tile, assignment redefines it, and assigning a variable of the
// surroundings inside a region makes it a carry of that region; nobody writes yields. The builder finds the carries:
//   - serial, pipeline: every outer variable assigned inside, in order of declaration; one only read inside resolves to
//     its incoming value;
//   - if: the same, a branch that does not assign keeps the incoming value;
//   - parallel: assigning an outer variable is a fault (ParallelCarry);
//   - reduce: outer variables may only be folded (fold()), once each, at body level, and are not readable there.
//
// Faults are recorded with the current place and the call returns an invalid id, which every later call accepts in
// silence: one fault gives one diagnostic. finish() gives the canonical program or all faults.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/result.h"
#include "tile/program.h"
#include "tile/typing.h"

namespace tilewright::tile {

using VariableId = Id<struct VariableTag>;

struct RegionSpec {
  RegionKind kind{};
  std::vector<std::pair<std::string, IndexId>> domains;  ///< name and extent
  Scope scope = Scope::Auto;
  FoldOrder order = FoldOrder::UnorderedTree;
  std::uint16_t window = 0;
  std::uint16_t interval = 1;
};

struct LoadOptions {
  BoundsPolicy bounds = BoundsPolicy::Zero;
  ValueId fallback;                         ///< rank 0, or none for +0
  std::optional<std::vector<AxisId>> axes;  ///< order of the result's axes; default: order of appearance
};

class Builder final : private TypeNames, private ElementFacts {
 public:
  explicit Builder(std::string name, SourceText source = {}, std::vector<std::string> comment = {});
  ~Builder() override;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Place of everything made from here on.
  void at(Location location);
  /// Another file of the source, for Location::file.
  std::uint32_t add_file(std::string name);
  void report(DiagCode code, std::string message, std::string hint = {});
  void report(Diag diag);
  bool failed() const { return !diags_.empty(); }

  // Declarations. Names of symbols, parameters and objects must be unique (Redefinition).
  SymbolId symbol(std::string name, std::optional<std::int64_t> default_value = std::nullopt);
  ParamId param(Param param);
  TypeParamId type_param(TypeParam param);
  void require(IndexId lhs, Comparison comparison, IndexId rhs, std::string message);
  ObjectId object(Object object);  ///< In, Out, InOut, Temp
  AxisId axis(std::string label, IndexId extent);
  IndexArena& index() { return program_.index_; }
  const IndexArena& index() const { return program_.index_; }

  // Values.
  ValueId constant(Literal literal, ElementType element, std::vector<AxisId> axes = {});
  ValueId index_value(IndexId expr, std::optional<std::vector<AxisId>> axes = std::nullopt);
  ValueId unary(UnaryKind kind, ValueId x);
  ValueId binary(BinaryKind kind, ValueId a, ValueId b);
  ValueId select(ValueId condition, ValueId if_true, ValueId if_false);
  ValueId cast(ValueId x, ElementType to);  ///< x itself when it has that type
  ValueId broadcast(ValueId x, std::vector<AxisId> axes);
  ValueId reindex(ValueId x, std::vector<IndexId> coords, std::optional<std::vector<AxisId>> axes = std::nullopt);
  ValueId gather(ValueId x, AxisId axis, ValueId indices, ValueId fallback);
  ValueId reduce(FoldKind kind, ValueId x, AxisId axis, FoldOrder order = FoldOrder::UnorderedTree);
  ValueId mma(ValueId a, ValueId b, ValueId c, bool reassociate = true, bool relaxed = false);
  ValueId load(ObjectId object, std::vector<IndexId> coords, LoadOptions options = {});

  // Effects.
  void store(ObjectId object, std::vector<IndexId> coords, ValueId value, BoundsPolicy bounds = BoundsPolicy::Zero);
  ObjectId memory(Object object);
  void barrier(Scope scope);
  void opaque(std::string symbol, std::vector<ValueId> values, std::vector<ObjectId> objects);
  void stage_cut(std::string label);

  // Regions. Coordinates are in the order of the domains.
  std::vector<CoordId> begin_region(RegionSpec spec);
  void end_region();
  void begin_if(ValueId condition);
  void begin_else();
  void end_if();

  // Variables.
  VariableId declare(std::string name, ValueId value);
  ValueId read(VariableId variable);
  void assign(VariableId variable, ValueId value);
  void fold(VariableId variable, FoldKind kind, ValueId contribution);
  /// Labels and constraints of a value.
  void name_value(ValueId value, std::string name);
  void place(ValueId value, MemorySpace space);

  // Types, for front doors. The value must be valid.
  TileType type_of(ValueId value) const;
  const Object& object_of(ObjectId object) const { return program_.objects_[object]; }
  IndexId axis_extent(AxisId id) const { return program_.axes_[id].extent; }
  const ElementFacts& element_facts() const { return *this; }
  std::string describe(const TileType& type) const { return TypeNames::tile(type); }
  std::string axis_label(AxisId id) const { return program_.axes_[id].label; }
  /// Axes of the expressions, in order of first appearance.
  std::vector<AxisId> axes_of(const std::vector<IndexId>& coords) const;

  /// The canonical program, not yet verified (tile/verifier.h), or every fault recorded so far.
  Result<Program> finish();

 private:
  struct Variable {
    std::string name;
    ValueId current;
    std::size_t depth = 0;     ///< frames around the declaration
    std::uint64_t serial = 0;  ///< of the innermost of them
  };
  /// What one frame knows of a variable declared outside it.
  struct Entry {
    ValueId outer;         ///< value when the frame first met it
    ValueId arg;           ///< provisional block argument (loops)
    ValueId then_value;    ///< value at the end of the first branch (if)
    ValueId contribution;  ///< reduce
    FoldKind fold{};
    bool read = false;
    bool assigned = false;
  };
  /// An open block: the root, the body of a region, or a branch.
  struct Frame {
    RegionSpec spec;
    bool is_if = false;
    BlockId block;
    BlockId then_block;  ///< the first branch, once the second is open
    ValueId condition;
    std::vector<CoordId> coords;
    LocationId location;
    std::uint64_t serial = 0;
    std::map<VariableId, Entry> entries;
  };

  std::string axis(AxisId id) const override { return program_.axes_[id].label; }
  std::string type_param(TypeParamId id) const override { return program_.type_params_[id].name; }
  std::vector<DataType> possible(ElementType type) const override;

  // Declarations.
  void report_redefinition(const std::string& name);
  bool claim_name(const std::string& name);
  bool check_storable(ElementType element, const std::string& name);

  // Emission into the current block.
  void open_root();
  BlockId current_block() const;
  ValueId add_value(const TileType& type, OpId def);
  OpId emit(OpPayload payload, std::vector<ValueId> results = {});
  ValueId emit_value(OpPayload payload, const TileType& type);
  ValueId emit_typed(OpPayload payload, const TypeResult<TileType>& type);
  std::vector<AxisId> order_result(const std::vector<AxisId>& inferred,
                                   const std::optional<std::vector<AxisId>>& wanted) const;
  ValueId widen(ValueId value, const std::optional<std::vector<AxisId>>& wanted);
  bool all_valid(const std::vector<IndexId>& ids) const;
  bool check_coords(const Object& object, std::size_t count);

  // Variables and carries.
  bool in_scope(const Variable& variable);
  Entry& enter_frame(Frame& frame, VariableId id);
  bool enter_for_assignment(VariableId id);
  void report_accumulator_read(const Variable& variable);
  ValueId resolve(ValueId value) const;
  void close_loop(Frame& frame, RegionOp& op, std::vector<std::pair<VariableId, Entry>>& carries);
  void close_reduce(Frame& frame, RegionOp& op, std::vector<std::pair<VariableId, Entry>>& carries);
  std::vector<ValueId> make_results(const std::vector<std::pair<VariableId, Entry>>& carries);
  void finish_carries(const Frame& frame, OpPayload op, const std::vector<std::pair<VariableId, Entry>>& carries);

  Program program_;
  Diags diags_;
  LocationId location_;
  IdVector<VariableId, Variable> variables_;
  std::vector<Frame> frames_;
  std::map<ValueId, ValueId> replaced_;
  std::set<std::string> interface_names_;
  std::uint64_t next_serial_ = 1;
};

}  // namespace tilewright::tile
