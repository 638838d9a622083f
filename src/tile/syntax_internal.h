// The recursive-descent parser, shared by syntax.cpp (files, recovery), syntax_statements.cpp and
// syntax_expressions.cpp.
//
// Every parse function that can fail reports once and returns nothing (an invalid id or false); its callers return at
// once, and the statement list recovers at the end of the statement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tile/syntax.h"

namespace tilewright::tile {

class SyntaxParser {
 public:
  SyntaxParser(const SourceMap& map, TokenList tokens, Faults& faults)
      : map_(map), tokens_(std::move(tokens)), faults_(faults) {}

  SyntaxTree run();

 private:
  class Nesting;

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at_word(std::string_view word) const;
  bool at_name(std::string_view name) const;
  std::string_view text() const { return map_.text(peek().range); }
  TextRange here() const { return peek().range; }
  TextRange since(TextRange begin) const;
  void advance();
  bool accept(TokenKind kind);
  /// True at the end of a statement: end of line outside brackets, ';', '}' or the end of the text.
  bool ends_here() const;
  bool breaks_line() const { return brackets_ == 0 && peek().starts_line; }

  // Faults.
  void fail(std::string_view expected, std::string hint = {});
  void fail_at_start(std::string_view expected, std::string hint = {});
  std::string shown_token() const;
  bool expect(TokenKind kind, std::string_view expected, std::string hint = {});
  void give_up(TextRange range, std::string message, std::string hint);
  bool check_length(std::size_t length, TextRange range);
  void skip_to_close();
  void skip_braces();
  void recover(std::size_t statement_begin);
  bool find_block(bool of_program = false);

  // Files.
  void parse_function();
  void parse_program();
  bool parse_header(ProgramDecl& program);
  bool parse_param(ProgramDecl& program);
  bool parse_number_param(ParamDecl& param);
  bool parse_type_param(ParamDecl& param);
  void parse_rest();
  std::vector<std::string> comment_before(std::uint32_t offset) const;

  // Statements.
  enum class BlockKind { Program, Function, Inner };
  bool parse_block(SyntaxBlock& block, BlockKind kind, ExprId* result = nullptr);
  bool parse_statements(SyntaxBlock& block, BlockKind kind, TextRange open, ExprId* result);
  void parse_item(SyntaxBlock& block, BlockKind kind, bool& declarations, ExprId* result);
  bool parse_return(BlockKind kind, ExprId* result);
  StmtId parse_statement(BlockKind kind, bool& declarations);
  StmtId parse_axis();
  StmtId parse_memory();
  StmtId parse_named();
  StmtId parse_fold(const SyntaxName& name, FoldKind kind);
  StmtId parse_region(RegionKind kind);
  bool parse_domains(RegionStmt& region);
  bool parse_attributes(RegionStmt& region);
  bool parse_attribute(RegionStmt& region, std::string_view word);
  StmtId parse_if();
  StmtId parse_barrier();
  StmtId parse_stage();
  StmtId parse_opaque();
  StmtId parse_buffer(ObjectKind kind);
  StmtId parse_require();
  StmtId unknown_statement();
  StmtId add(TextRange begin, decltype(Stmt::node) node);

  // Parts.
  std::optional<SyntaxName> parse_name(std::string_view what, std::string hint = {});
  std::optional<SyntaxName> parse_element();
  bool parse_names(std::vector<SyntaxName>& names, TokenKind close, std::string_view what);
  bool parse_list(std::vector<ExprId>& list, TokenKind close);
  bool parse_items(std::vector<BracketItem>& items);
  bool parse_named_extents(std::vector<std::pair<SyntaxName, ExprId>>& list, TokenKind separator,
                           std::string_view what);
  std::optional<std::int64_t> parse_integer(std::string_view what);
  bool parse_small(std::uint16_t& value, std::string_view what);
  bool parse_space(MemorySpace& space);
  template <class Enum, class FromText>
  bool parse_enum(Enum& value, FromText from_text, std::string_view what, std::string_view choices);

  // Expressions.
  ExprId parse_expr();
  ExprId parse_binary(int lowest);
  ExprId parse_unary();
  ExprId parse_negative();
  ExprId parse_primary();
  ExprId parse_number();
  ExprId parse_word();
  ExprId parse_parens();
  ExprId parse_access(const SyntaxName& name);
  ExprId parse_call(const SyntaxName& name);
  bool parse_arguments(std::vector<SyntaxArgument>& arguments);
  ExprId add(TextRange range, decltype(Expr::node) node, std::uint32_t depth = 1);
  std::uint32_t depth_of(const std::vector<ExprId>& ids) const;

  const SourceMap& map_;
  TokenList tokens_;
  Faults& faults_;
  SyntaxTree tree_;
  std::size_t position_ = 0;
  std::uint32_t brackets_ = 0;  ///< open ( and [ around the current token
  std::uint32_t nesting_ = 0;
  bool gave_up_ = false;  ///< nothing more is reported
};

/// Counts one level of recursion; `ok` is false beyond the limit (and the parser has given up).
class SyntaxParser::Nesting {
 public:
  explicit Nesting(SyntaxParser& parser);
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  bool ok() const { return ok_; }

 private:
  SyntaxParser& parser_;
  bool ok_;
};

}  // namespace tilewright::tile
