// The syntax parser: tokens, faults, recovery, and files. Statements and expressions have their own files.
#include "tile/syntax.h"

#include <algorithm>
#include <utility>

#include "tile/syntax_internal.h"

namespace tilewright::tile {

namespace {

bool opens(TokenKind kind) { return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket; }
bool closes(TokenKind kind) { return kind == TokenKind::RightParen || kind == TokenKind::RightBracket; }

/// Commas, '=' and every operator.
bool continues_line(TokenKind kind) {
  if (kind == TokenKind::Comma) return true;
  return kind >= TokenKind::Colon && kind <= TokenKind::OrOr;
}

/// What to write for a word that other languages have.
std::string_view foreign_word_hint(std::string_view word) {
  if (word == "and") return "write &&";
  if (word == "or") return "write ||";
  if (word == "not") return "write !";
  return {};
}

}  // namespace

SyntaxTree parse_syntax(const SourceMap& map, Faults& faults) {
  return SyntaxParser(map, lex(map, faults), faults).run();
}

// ---- Tokens --------------------------------------------------------------------------------------------------------

const Token& SyntaxParser::peek(std::size_t ahead) const {
  return tokens_.tokens[std::min(position_ + ahead, tokens_.tokens.size() - 1)];
}

bool SyntaxParser::at_word(std::string_view word) const { return at(TokenKind::Word) && text() == word; }
bool SyntaxParser::at_name(std::string_view name) const { return at(TokenKind::Name) && text() == name; }

TextRange SyntaxParser::since(TextRange begin) const {
  const std::uint32_t end = position_ > 0 ? tokens_.tokens[position_ - 1].range.end : begin.end;
  return {begin.begin, std::max(begin.end, end)};
}

void SyntaxParser::advance() {
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::End) return;
  if (opens(kind)) ++brackets_;
  if (closes(kind) && brackets_ > 0) --brackets_;
  ++position_;
  // A line break behind these does not end a statement.
  if (continues_line(kind)) tokens_.tokens[position_].starts_line = false;
}

bool SyntaxParser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool SyntaxParser::ends_here() const {
  return breaks_line() || at(TokenKind::Semicolon) || at(TokenKind::RightBrace) || at(TokenKind::End);
}

SyntaxParser::Nesting::Nesting(SyntaxParser& parser) : parser_(parser), ok_(++parser.nesting_ <= kMaxNesting) {
  if (ok_) return;
  parser.give_up(parser.here(),
                 "expected at most " + std::to_string(kMaxNesting) + " levels of blocks and brackets, found more",
                 "give parts a name of their own");
}

// ---- Faults --------------------------------------------------------------------------------------------------------

std::string SyntaxParser::shown_token() const {
  constexpr std::size_t kLongest = 40;
  if (at(TokenKind::End)) return "the end of the text";
  const std::string_view shown = text().substr(0, kLongest);
  return at(TokenKind::String) ? "a string" : "'" + std::string(shown) + (text().size() > kLongest ? "..'" : "'");
}

void SyntaxParser::fail(std::string_view expected, std::string hint) {
  // An unreadable token has its own diagnostic.
  if (gave_up_ || at(TokenKind::Invalid)) return;
  TextRange range = here();
  const bool at_end = position_ > 0 && breaks_line() && !at(TokenKind::End);
  if (position_ > 0 && (at(TokenKind::End) || breaks_line())) {
    const std::uint32_t end = tokens_.tokens[position_ - 1].range.end;
    range = {end, end};
  }
  if (hint.empty() && brackets_ > 0 && position_ > 0 && peek().starts_line)
    hint = "a bracket before this line is not closed";
  if (hint.empty() && at(TokenKind::Assign)) hint = "'=' defines; '==' compares";
  if (hint.empty()) hint = foreign_word_hint(text());
  faults_.report(DiagCode::SyntaxError, range,
                 "expected " + std::string(expected) + ", found " + (at_end ? "the end of the line" : shown_token()),
                 std::move(hint));
}

void SyntaxParser::fail_at_start(std::string_view expected, std::string hint) {
  // The first token of the line is what was found, not the line break before it.
  if (gave_up_ || at(TokenKind::Invalid)) return;
  faults_.report(DiagCode::SyntaxError, here(), "expected " + std::string(expected) + ", found " + shown_token(),
                 std::move(hint));
}

bool SyntaxParser::expect(TokenKind kind, std::string_view expected, std::string hint) {
  if (accept(kind)) return true;
  fail(expected, std::move(hint));
  return false;
}

void SyntaxParser::give_up(TextRange range, std::string message, std::string hint) {
  if (!gave_up_) faults_.report(DiagCode::NestingTooDeep, range, std::move(message), std::move(hint));
  gave_up_ = true;
  position_ = tokens_.tokens.size() - 1;
}

bool SyntaxParser::check_length(std::size_t length, TextRange range) {
  if (length <= kMaxListLength) return true;
  give_up(range, "expected at most " + std::to_string(kMaxListLength) + " entries in one list, found more", {});
  return false;
}

void SyntaxParser::skip_to_close() {
  // The rest of a broken bracket belongs to its statement, if the bracket closes before the block does.
  std::uint32_t depth = brackets_;
  for (std::size_t p = position_; depth > 0 && p < tokens_.tokens.size(); ++p) {
    const TokenKind kind = tokens_.tokens[p].kind;
    if (kind == TokenKind::LeftBrace || kind == TokenKind::RightBrace || kind == TokenKind::Semicolon) break;
    if (opens(kind)) ++depth;
    if (closes(kind) && --depth == 0) position_ = p + 1;
  }
  brackets_ = 0;
}

void SyntaxParser::skip_braces() {
  std::uint32_t depth = 0;
  do {
    if (at(TokenKind::LeftBrace)) ++depth;
    if (at(TokenKind::RightBrace)) --depth;
    advance();
  } while (depth > 0 && !at(TokenKind::End));
  brackets_ = 0;
}

void SyntaxParser::recover(std::size_t statement_begin) {
  skip_to_close();
  bool moved = position_ > statement_begin;
  while (!at(TokenKind::End) && !at(TokenKind::Semicolon) && !at(TokenKind::RightBrace)) {
    if (moved && peek().starts_line) break;
    if (at(TokenKind::LeftBrace)) {
      skip_braces();
    } else {
      advance();
      brackets_ = 0;
    }
    moved = true;
  }
}

bool SyntaxParser::find_block(bool of_program) {
  // The first brace outside brackets; where brackets are not closed, the last one of the line.
  std::uint32_t depth = brackets_;
  std::optional<std::size_t> block;
  for (std::size_t p = position_; p < tokens_.tokens.size(); ++p) {
    const Token& token = tokens_.tokens[p];
    if (token.kind == TokenKind::LeftBrace) {
      block = p;
      if (depth == 0) break;
    }
    // The header of a program may have many lines; its block begins with a word such as "in".
    if (token.starts_line && (!of_program || token.kind == TokenKind::Word)) break;
    if (depth == 0 && (token.kind == TokenKind::RightBrace || token.kind == TokenKind::Semicolon)) break;
    if (opens(token.kind)) ++depth;
    if (closes(token.kind) && depth > 0) --depth;
  }
  brackets_ = 0;
  if (block) position_ = *block;
  return block.has_value();
}

// ---- Files ---------------------------------------------------------------------------------------------------------

SyntaxTree SyntaxParser::run() {
  const auto at_declaration = [&] { return at_word("fn") || at_word("program") || at(TokenKind::End); };
  while (!at_word("program") && !gave_up_ && !faults_.full()) {
    if (at_word("fn")) {
      parse_function();
    } else if (!accept(TokenKind::Semicolon)) {
      fail_at_start("'fn' or 'program'",
                    at(TokenKind::End) ? "a text holds one program: program name(M, N) { .. }" : "");
      while (!at_declaration()) advance();
      if (at(TokenKind::End)) return std::move(tree_);
    }
    brackets_ = 0;
  }
  if (!gave_up_ && !faults_.full()) parse_program();
  return std::move(tree_);
}

void SyntaxParser::parse_function() {
  advance();
  brackets_ = 0;
  FunctionDecl function;
  bool header = false;
  if (auto name = parse_name("the name of the function")) {
    function.name = *name;
    header =
        expect(TokenKind::LeftParen, "'('") && parse_names(function.parameters, TokenKind::RightParen, "a parameter");
  }
  if (!header && !find_block()) return;
  parse_block(function.body, BlockKind::Function, &function.result);
  tree_.functions.push_back(std::move(function));
}

void SyntaxParser::parse_program() {
  tree_.comment = comment_before(here().begin);
  advance();
  brackets_ = 0;
  const bool header = parse_header(tree_.program);
  if (!header && !find_block(true)) return;
  if (parse_block(tree_.program.body, BlockKind::Program)) parse_rest();
}

bool SyntaxParser::parse_header(ProgramDecl& program) {
  auto name = parse_name("the name of the program");
  if (!name) return false;
  program.name = *name;
  if (!expect(TokenKind::LeftParen, "'('", "a program without symbols has ()")) return false;
  while (at(TokenKind::Name)) {
    SymbolDecl symbol{{text(), here()}, std::nullopt};
    advance();
    if (accept(TokenKind::Assign)) {
      symbol.default_value = parse_integer("the default of a symbol, an integer");
      if (!symbol.default_value) return false;
    }
    program.symbols.push_back(symbol);
    if (!accept(TokenKind::Comma)) break;
  }
  if (accept(TokenKind::Semicolon)) {
    do {
      if (!parse_param(program)) return false;
    } while (accept(TokenKind::Comma));
  } else if (at(TokenKind::Colon)) {
    fail("',', ';' or ')'", "symbols come first and have no type; parameters follow ';'");
    return false;
  }
  return expect(TokenKind::RightParen, program.params.empty() ? "',', ';' or ')'" : "',' or ')'");
}

bool SyntaxParser::parse_param(ProgramDecl& program) {
  auto name = parse_name("the name of a parameter");
  if (!name) return false;
  ParamDecl param;
  param.name = *name;
  if (!expect(TokenKind::Colon, "':'", "a parameter lists its choices: BM: {32, 64} = 64")) return false;
  param.is_type = at_name("type");
  if (param.is_type) advance();
  if (!expect(TokenKind::LeftBrace, param.is_type ? "'{'" : "'{' or 'type'")) return false;
  if (param.is_type ? !parse_type_param(param) : !parse_number_param(param)) return false;
  program.params.push_back(std::move(param));
  return true;
}

bool SyntaxParser::parse_number_param(ParamDecl& param) {
  do {
    auto choice = parse_integer("an integer");
    if (!choice) return false;
    param.choices.push_back(*choice);
    if (!check_length(param.choices.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  if (!expect(TokenKind::RightBrace, "',' or '}'")) return false;
  if (!expect(TokenKind::Assign, "'='", "a parameter has a default: BM: {32, 64} = 64")) return false;
  auto value = parse_integer("the default, an integer");
  if (value) param.default_value = *value;
  return value.has_value();
}

bool SyntaxParser::parse_type_param(ParamDecl& param) {
  do {
    auto choice = parse_element();
    if (!choice) return false;
    param.type_choices.push_back(*choice);
    if (!check_length(param.type_choices.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  if (!expect(TokenKind::RightBrace, "',' or '}'")) return false;
  if (!expect(TokenKind::Assign, "'='", "a parameter has a default: T: type {f32, f16} = f32")) return false;
  auto value = parse_element();
  if (value) param.default_type = *value;
  return value.has_value();
}

void SyntaxParser::parse_rest() {
  while (accept(TokenKind::Semicolon)) {
  }
  if (at(TokenKind::End)) return;
  std::string hint;
  if (at_word("fn")) hint = "functions stand before the program";
  if (at_word("program")) hint = "a text holds one program; put this one in a file of its own";
  if (at(TokenKind::RightBrace)) hint = "a block above is closed once too often";
  fail_at_start("the end of the text", std::move(hint));
}

std::vector<std::string> SyntaxParser::comment_before(std::uint32_t offset) const {
  std::vector<std::string> lines;
  std::uint32_t wanted = map_.line_of(offset);
  for (auto comment = tokens_.comments.rbegin(); comment != tokens_.comments.rend(); ++comment) {
    if (comment->range.begin > offset) continue;
    if (!comment->alone_on_line || map_.line_of(comment->range.begin) + 1 != wanted) break;
    --wanted;
    std::string_view line = map_.text(comment->range).substr(2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

// ---- Spellings -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::pair<MemorySpace, std::string_view> kSpaces[] = {
    {MemorySpace::Private, "private"}, {MemorySpace::Shared, "shared"}, {MemorySpace::Cluster, "cluster"},
    {MemorySpace::Global, "global"},   {MemorySpace::Tensor, "tensor"},
};
constexpr std::pair<Scope, std::string_view> kScopes[] = {
    {Scope::Device, "device"}, {Scope::Group, "group"},   {Scope::Subgroup, "subgroup"},
    {Scope::Worker, "worker"}, {Scope::Vector, "vector"},
};
constexpr std::pair<FoldOrder, std::string_view> kOrders[] = {
    {FoldOrder::UnorderedTree, "unordered_tree"},
    {FoldOrder::OrderedTree, "ordered_tree"},
    {FoldOrder::FoldLeft, "fold_left"},
    {FoldOrder::FoldRight, "fold_right"},
};
constexpr std::pair<Comparison, std::string_view> kComparisons[] = {
    {Comparison::Lt, "<"},  {Comparison::Le, "<="}, {Comparison::Gt, ">"},
    {Comparison::Ge, ">="}, {Comparison::Eq, "=="}, {Comparison::Ne, "!="},
};

template <class Table, class Enum>
std::string_view text_in(const Table& table, Enum value) {
  for (const auto& [entry, text] : table)
    if (entry == value) return text;
  return {};
}
template <class Table, class Enum>
bool find_in(const Table& table, std::string_view text, Enum& value) {
  for (const auto& [entry, spelling] : table) {
    if (spelling != text) continue;
    value = entry;
    return true;
  }
  return false;
}

}  // namespace

std::string_view space_text(MemorySpace space) { return text_in(kSpaces, space); }
std::string_view scope_text(Scope scope) { return text_in(kScopes, scope); }
std::string_view order_text(FoldOrder order) { return text_in(kOrders, order); }
std::string_view comparison_text(Comparison comparison) { return text_in(kComparisons, comparison); }
bool space_from_text(std::string_view text, MemorySpace& space) { return find_in(kSpaces, text, space); }
bool scope_from_text(std::string_view text, Scope& scope) { return find_in(kScopes, text, scope); }
bool order_from_text(std::string_view text, FoldOrder& order) { return find_in(kOrders, text, order); }

}  // namespace tilewright::tile
