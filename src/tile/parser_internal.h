// The meaning of a syntax tree: calls of the Builder. Shared by parser.cpp (entry, declarations, names),
// parser_statements.cpp, parser_expressions.cpp and parser_calls.cpp.
//
// A failed part is an invalid id; whatever is made of it is invalid too, in silence, so one fault gives one diagnostic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tile/builder.h"
#include "tile/parser.h"
#include "tile/syntax.h"

namespace tilewright::tile {

/// A number with a point or exponent, or inf or nan: takes the type of the tile beside it.
struct RealNumber {
  double value = 0.0;
};
/// What an expression is before it meets another: a tile, an index expression (integers included) or a number that is
/// no integer. The last two make an operation only where a tile is needed.
using Operand = std::variant<ValueId, IndexId, RealNumber>;
/// An operand with the text it came from.
struct Side {
  Operand operand;
  TextRange range;
};

// What a name stands for.
struct TileEntity {
  VariableId variable;
  TileType type;
};
struct IndexEntity {
  enum class Role : std::uint8_t { Symbol, Param, Coord, Axis, Alias };
  IndexId id;
  Role role{};
};
struct ObjectEntity {
  ObjectId id;
};
struct TypeEntity {
  TypeParamId id;
};
struct NumberEntity {
  RealNumber number;
};
struct FailedEntity {};

struct Entity {
  std::variant<TileEntity, IndexEntity, ObjectEntity, TypeEntity, NumberEntity, FailedEntity> what;
  TextRange range;        ///< of its definition
  std::size_t scope = 0;  ///< index of its scope
};

class Elaborator {
 public:
  Elaborator(const SourceMap& map, const SyntaxTree& tree, Builder& builder)
      : map_(map), tree_(tree), builder_(builder) {}

  void run();

 private:
  enum class ScopeKind : std::uint8_t { Family, Program, Function, Block, Reduce };
  struct Scope {
    ScopeKind kind{};
    std::map<std::string_view, Entity> names;
  };
  struct ActiveCall {
    const FunctionDecl* function;
    TextRange range;
  };
  class Level;

  // Faults and limits (parser.cpp).
  void report(DiagCode code, TextRange range, std::string message, std::string hint = {});
  void report(Diag diag);
  void at(TextRange range) { builder_.at(map_.location(range)); }
  void charge(std::size_t work, TextRange range);
  void stop(TextRange range, std::string message, std::string hint);
  ValueId made(ValueId value, TextRange range);
  std::string shown(TextRange range, std::string_view otherwise = "x") const;

  // Names (parser.cpp).
  void push(ScopeKind kind) { scopes_.push_back(Scope{kind, {}}); }
  void pop();
  Entity* find(std::string_view name);
  template <class What>
  const What* find_as(const SyntaxName& name);
  bool define(const SyntaxName& name, decltype(Entity::what) what);
  void redefinition(const SyntaxName& name, const Entity& first);
  void unknown_name(const SyntaxName& name, std::string_view what, std::string hint = {});
  std::vector<std::string_view> visible_names() const;
  std::string describe(const Entity& entity, std::string_view name) const;

  // Declarations (parser.cpp).
  void declare_functions();
  void declare_family();
  void declare_param(const ParamDecl& decl);
  std::optional<ElementType> element_type(const SyntaxName& name);
  std::optional<DataType> data_type(const SyntaxName& name);
  std::vector<IndexId> family_indices(const std::vector<ExprId>& ids, std::string_view what);
  void run(const BufferDecl& decl, TextRange range);
  void run(const RequireDecl& decl, TextRange range);
  std::optional<double> default_number(const BufferDecl& decl, ElementType element);

  // Statements (parser_statements.cpp).
  void run_block(const SyntaxBlock& block);
  void run_scoped(const SyntaxBlock& block, ScopeKind kind);
  void run_statement(StmtId id);
  void run(const AxisStmt& statement, TextRange range);
  void run(const MemoryStmt& statement, TextRange range);
  void run(const AssignStmt& statement, TextRange range);
  void run(const FoldStmt& statement, TextRange range);
  void run(const RegionStmt& statement, TextRange range);
  void run(const IfStmt& statement, TextRange range);
  void run(const BarrierStmt& statement, TextRange range);
  void run(const StageStmt& statement, TextRange range);
  void run(const OpaqueStmt& statement, TextRange range);
  void store(const AssignStmt& statement, ObjectId object, TextRange range);
  void define_shaped(const AssignStmt& statement, TextRange range);
  void define_plain(const AssignStmt& statement, TextRange range);
  void define_tile(const AssignStmt& statement, ValueId value, TextRange range);
  bool replaceable(const Entity* entity) const;
  std::optional<ElementType> element_of(const SyntaxName& name);
  bool define_layout(const MemoryStmt& statement, Object& object);
  void define_axis(const SyntaxName& name, ExprId extent);
  std::optional<std::vector<AxisId>> bracket_axes(const AssignStmt& statement);
  std::optional<AxisId> bracket_axis(const BracketItem& item, const AssignStmt& statement);
  bool inside_reduce(const Entity& variable) const;

  // Expressions (parser_expressions.cpp).
  Operand eval(ExprId id);
  Operand eval_name(const SyntaxName& name);
  Operand eval_unary(const UnaryExpr& unary, TextRange range);
  Operand eval_chain(ExprId id);
  Operand eval_binary(TokenKind op, const Side& lhs, const Side& rhs, TextRange range);
  Operand eval_access(const AccessExpr& access, TextRange range, const std::vector<AxisId>* axes);
  ValueId eval_load(ObjectId object, const AccessExpr& access, TextRange range, const std::vector<AxisId>* axes);
  ValueId eval_shaped(ExprId id, const std::vector<AxisId>& axes, std::optional<ElementType> beside);
  Operand eval_for_axes(ExprId id, const std::vector<AxisId>& axes);
  ValueId eval_value(ExprId id, std::optional<ElementType> beside = std::nullopt);
  Side eval_side(ExprId id) { return {eval(id), tree_.exprs[id].range}; }
  IndexId eval_index(ExprId id, std::string_view what);
  std::vector<IndexId> eval_coords(const std::vector<ExprId>& ids);
  IndexId family_index(ExprId id, std::string_view what, bool coordinates_too = false);

  IndexId index_op(IndexKind kind, IndexId lhs, IndexId rhs, TextRange range);
  std::uint32_t terms(IndexId id) const;
  void use_index(IndexId id, TextRange range) { charge(terms(id), range); }
  std::optional<ElementType> element_beside(const Operand& other) const;
  bool failed(const Operand& operand) const;
  ValueId value_of(const Side& side, std::optional<ElementType> beside = std::nullopt,
                   const std::vector<AxisId>* axes = nullptr);
  ValueId number(double value, bool integral, ElementType element, TextRange range, std::vector<AxisId> axes = {});
  bool number_fits(double value, bool integral, ElementType element, TextRange range);
  bool unify(const Side& a, const Side& b, std::string_view what, ValueId& x, ValueId& y);
  ValueId binary_value(BinaryKind kind, const Side& a, const Side& b, TextRange range);
  std::string type_name(ElementType element) const {
    return std::string(element_text(builder_.describe({element, {}})));
  }
  static std::string_view element_text(std::string_view tile) { return tile.substr(0, tile.find('[')); }
  std::string describe(const Operand& operand) const;
  std::string cast_hint(ElementType a, TextRange a_range, ElementType b, TextRange b_range) const;

  // Calls (parser_calls.cpp).
  struct Builtin;
  static std::vector<std::string_view> builtin_names();
  Operand eval_call(const CallExpr& call, TextRange range);
  std::optional<ElementType> cast_type(const CallExpr& call);
  ValueId eval_cast(ElementType to, const CallExpr& call, TextRange range, const std::vector<AxisId>* axes = nullptr);
  Operand call_function(const FunctionDecl& function, const CallExpr& call, TextRange range);
  decltype(Entity::what) argument(ExprId id, const SyntaxName& parameter);
  bool check_count(const CallExpr& call, TextRange range, std::size_t least, std::size_t most);
  std::optional<AxisId> axis_argument(ExprId id);
  bool is_axis_name(ExprId id);
  std::optional<std::vector<AxisId>> axis_arguments(const CallExpr& call, std::size_t first);
  Operand call_unary(UnaryKind kind, const CallExpr& call, TextRange range);
  Operand call_fold(FoldKind kind, const CallExpr& call, TextRange range);
  Operand call_extreme(FoldKind kind, const CallExpr& call, TextRange range);
  Operand call_ceildiv(const CallExpr& call, TextRange range);
  Operand call_select(const CallExpr& call, TextRange range);
  Operand call_mma(const CallExpr& call, TextRange range);
  /// False: reported.
  bool read_mma_word(ExprId id, bool& ordered, bool& relaxed);
  Operand call_matmul(const CallExpr& call, TextRange range);
  Operand call_gather(const CallExpr& call, TextRange range);
  Operand call_relabel(const CallExpr& call, TextRange range);
  Operand call_broadcast(const CallExpr& call, TextRange range);

  const SourceMap& map_;
  const SyntaxTree& tree_;
  Builder& builder_;
  std::vector<Scope> scopes_;
  std::size_t base_ = 0;  ///< first scope of the function that is written out, or the program's
  std::map<std::string_view, const FunctionDecl*> functions_;
  std::vector<ActiveCall> calls_;
  std::map<std::string_view, TextRange> ended_;  ///< names of blocks that have ended
  std::vector<TypeParam> type_params_;
  std::vector<std::uint32_t> index_terms_;  ///< by index id; 0 is a leaf
  std::size_t faults_ = 0;
  std::size_t statements_ = 0;
  std::size_t work_ = 0;
  std::size_t work_limit_ = 0;
  std::uint32_t depth_ = 0;
  bool stopped_ = false;
};

/// Counts one level of the recursion over blocks, calls and expressions.
class Elaborator::Level {
 public:
  Level(Elaborator& elaborator, TextRange range);
  ~Level() { --elaborator_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  bool ok() const { return !elaborator_.stopped_; }

 private:
  Elaborator& elaborator_;
};

template <class What>
const What* Elaborator::find_as(const SyntaxName& name) {
  Entity* entity = find(name.text);
  return entity ? std::get_if<What>(&entity->what) : nullptr;
}

}  // namespace tilewright::tile
