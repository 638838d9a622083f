// Second stage of the .tile text: the syntax tree and the parser that makes it. The grammar is docs/tile-text.md.
//
// The tree says what is written and nothing of what names mean. Nodes live in two arenas, so that a tree of any shape
// is destroyed without recursion; its depth is bounded by kMaxNesting and kMaxExpressionDepth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/ids.h"
#include "tile/lexer.h"

namespace tilewright::tile {

/// Blocks, parentheses, calls and signs inside each other.
inline constexpr std::uint32_t kMaxNesting = 256;
/// Depth of an expression's tree: a chain such as a + b + c counts each operator.
inline constexpr std::uint32_t kMaxExpressionDepth = 1000;
/// Elements of one list: arguments, axes, coordinates, extents, domains.
inline constexpr std::size_t kMaxListLength = 64;

using ExprId = Id<struct ExprTag>;
using StmtId = Id<struct StmtTag>;

struct SyntaxName {
  std::string_view text;
  TextRange range;
};

// ---- Expressions ---------------------------------------------------------------------------------------------------

struct IntegerExpr {
  std::int64_t value = 0;
};
struct RealExpr {
  double value = 0.0;
};
struct BoolExpr {
  bool value = false;
};
struct NameExpr {
  SyntaxName name;
};
struct UnaryExpr {
  TokenKind op{};  ///< Minus or Not
  ExprId operand;
};
struct BinaryExpr {
  TokenKind op{};
  ExprId lhs, rhs;
};
/// name[coords] assume else fallback
struct AccessExpr {
  SyntaxName name;
  std::vector<ExprId> coords;
  bool assume = false;
  ExprId fallback;   ///< may be none
  TextRange suffix;  ///< of "assume" or "else", when there is one
};
/// `target` is the r of "m: r", for relabel only.
struct SyntaxArgument {
  ExprId value;
  SyntaxName target;
};
/// A built-in, a function or a cast.
struct CallExpr {
  SyntaxName name;
  std::vector<SyntaxArgument> arguments;
};

struct Expr {
  std::variant<IntegerExpr, RealExpr, BoolExpr, NameExpr, UnaryExpr, BinaryExpr, AccessExpr, CallExpr> node;
  TextRange range;
  std::uint32_t depth = 1;
};

// ---- Statements ----------------------------------------------------------------------------------------------------

struct SyntaxBlock {
  std::vector<StmtId> statements;
  TextRange range;
};

struct AxisStmt {
  std::vector<std::pair<SyntaxName, ExprId>> axes;
};
struct MemoryStmt {
  SyntaxName name, element;
  std::vector<ExprId> extents;
  MemorySpace space = MemorySpace::Auto;
  std::vector<SyntaxName> layout_axes;
  ExprId layout;  ///< may be none
};
/// An entry of name[..] on the left of "=": a coordinate of a store, or an axis with or without its extent.
struct BracketItem {
  ExprId expr;
  ExprId extent;  ///< may be none
};
struct AssignStmt {
  SyntaxName name;
  bool bracketed = false;
  std::vector<BracketItem> items;
  TextRange brackets;
  bool assume = false;
  MemorySpace space = MemorySpace::Auto;
  ExprId value;
};
struct FoldStmt {
  SyntaxName name;
  FoldKind kind{};
  ExprId value;
};
struct RegionStmt {
  RegionKind kind{};
  std::vector<std::pair<SyntaxName, ExprId>> domains;
  Scope scope = Scope::Auto;
  FoldOrder order = FoldOrder::UnorderedTree;
  std::uint16_t window = 0;
  std::uint16_t interval = 1;
  SyntaxBlock body;
};
struct IfStmt {
  ExprId condition;
  SyntaxBlock then_block, else_block;
};
struct BarrierStmt {
  Scope scope = Scope::Group;
};
struct StageStmt {
  std::string label;
};
struct OpaqueStmt {
  std::string symbol;
  std::vector<ExprId> arguments;
};
struct BufferDecl {
  ObjectKind kind{};
  SyntaxName name, element;
  std::vector<ExprId> extents, strides;
  bool has_strides = false;
  ExprId default_value;  ///< may be none
};
struct RequireDecl {
  ExprId lhs, rhs;
  Comparison comparison{};
  std::string message;
};

struct Stmt {
  std::variant<AxisStmt, MemoryStmt, AssignStmt, FoldStmt, RegionStmt, IfStmt, BarrierStmt, StageStmt, OpaqueStmt,
               BufferDecl, RequireDecl>
      node;
  TextRange range;  ///< of a region or if: its first line up to the block
};

// ---- Files ---------------------------------------------------------------------------------------------------------

struct FunctionDecl {
  SyntaxName name;
  std::vector<SyntaxName> parameters;
  SyntaxBlock body;
  ExprId result;
};
struct SymbolDecl {
  SyntaxName name;
  std::optional<std::int64_t> default_value;
};
struct ParamDecl {
  SyntaxName name;
  bool is_type = false;
  std::vector<std::int64_t> choices;
  std::int64_t default_value = 0;
  std::vector<SyntaxName> type_choices;
  SyntaxName default_type;
};
struct ProgramDecl {
  SyntaxName name;
  std::vector<SymbolDecl> symbols;
  std::vector<ParamDecl> params;
  SyntaxBlock body;  ///< declarations, then statements
};

struct SyntaxTree {
  IdVector<ExprId, Expr> exprs;
  IdVector<StmtId, Stmt> stmts;
  std::vector<FunctionDecl> functions;
  ProgramDecl program;
  /// The comment block directly before `program`, without comment marks.
  std::vector<std::string> comment;
};

/// Every fault of syntax goes to `faults`; the tree is meaningful when there is none.
SyntaxTree parse_syntax(const SourceMap& map, Faults& faults);

/// Spelling of an enumerator in the text, and back. Auto is the empty text.
std::string_view space_text(MemorySpace space);
std::string_view scope_text(Scope scope);
std::string_view order_text(FoldOrder order);
std::string_view comparison_text(Comparison comparison);
bool space_from_text(std::string_view text, MemorySpace& space);
bool scope_from_text(std::string_view text, Scope& scope);
bool order_from_text(std::string_view text, FoldOrder& order);

}  // namespace tilewright::tile
