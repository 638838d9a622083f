// Statements and declarations of the .tile text.
#include <limits>

#include "tile/syntax_internal.h"

namespace tilewright::tile {

namespace {

constexpr std::string_view kSpaceChoices = "private, shared, cluster, global or tensor";
constexpr std::string_view kScopeChoices = "device, group, subgroup, worker or vector";
constexpr std::string_view kOrderChoices = "unordered_tree, ordered_tree, fold_left or fold_right";

/// What to write for the start of a statement in another language.
std::string statement_hint(std::string_view word) {
  if (word == "for" || word == "while" || word == "loop")
    return "loops are serial i in N { .. }, pipeline, parallel and reduce";
  if (word == "let" || word == "var" || word == "auto" || word == "const" || word == "tile")
    return "a tile is defined by its name alone: acc[m: BM] = 0.0";
  if (word == "def" || word == "func" || word == "function")
    return "functions are fn name(x) { return x }, before the program";
  return {};
}

Comparison comparison_of(TokenKind kind, bool& known) {
  known = true;
  switch (kind) {
    case TokenKind::Less:
      return Comparison::Lt;
    case TokenKind::LessEqual:
      return Comparison::Le;
    case TokenKind::Greater:
      return Comparison::Gt;
    case TokenKind::GreaterEqual:
      return Comparison::Ge;
    case TokenKind::Equal:
      return Comparison::Eq;
    case TokenKind::NotEqual:
      return Comparison::Ne;
    default:
      known = false;
      return Comparison::Eq;
  }
}

}  // namespace

StmtId SyntaxParser::add(TextRange begin, decltype(Stmt::node) node) {
  return tree_.stmts.push_back(Stmt{std::move(node), since(begin)});
}

// ---- Blocks --------------------------------------------------------------------------------------------------------

bool SyntaxParser::parse_block(SyntaxBlock& block, BlockKind kind, ExprId* result) {
  const Nesting level(*this);
  if (!level.ok()) return false;
  const TextRange open = here();
  if (!expect(TokenKind::LeftBrace, "'{'")) return false;
  brackets_ = 0;
  return parse_statements(block, kind, open, result);
}

bool SyntaxParser::parse_statements(SyntaxBlock& block, BlockKind kind, TextRange open, ExprId* result) {
  bool declarations = kind == BlockKind::Program;
  while (!at(TokenKind::RightBrace) && !at(TokenKind::End) && !faults_.full()) {
    if (!accept(TokenKind::Semicolon)) parse_item(block, kind, declarations, result);
    brackets_ = 0;
  }
  block.range = since(open);
  if (gave_up_ || faults_.full()) return false;
  if (!at(TokenKind::RightBrace)) {
    faults_.report(DiagCode::SyntaxError, since(here()), "expected '}', found the end of the text", {}, open,
                   "the block opened here is not closed");
    return false;
  }
  if (result && !result->valid()) fail_at_start("'return'", "a function ends with return and its result");
  advance();
  return true;
}

void SyntaxParser::parse_item(SyntaxBlock& block, BlockKind kind, bool& declarations, ExprId* result) {
  const std::size_t begin = position_;
  bool ok = true;
  if (at_word("return")) {
    ok = parse_return(kind, result);
  } else {
    const StmtId statement = parse_statement(kind, declarations);
    ok = statement.valid();
    if (ok) block.statements.push_back(statement);
  }
  if (ok && !ends_here()) {
    fail("the end of the statement");
    ok = false;
  }
  if (!ok) recover(begin);
}

bool SyntaxParser::parse_return(BlockKind kind, ExprId* result) {
  if (kind != BlockKind::Function) {
    fail_at_start("a statement", "return stands at the end of a function, not inside its blocks or in a program");
    return false;
  }
  advance();
  const ExprId value = parse_expr();
  if (!value.valid()) {
    // The fault is reported; a second one for a missing result would add nothing.
    *result = ExprId{0};
    return false;
  }
  *result = value;
  if (!ends_here()) return true;
  while (accept(TokenKind::Semicolon)) {
  }
  if (at(TokenKind::RightBrace)) return true;
  fail_at_start("'}'", "return is the last statement of a function");
  return false;
}

StmtId SyntaxParser::parse_statement(BlockKind kind, bool& declarations) {
  if (at(TokenKind::Name)) {
    declarations = false;
    return parse_named();
  }
  if (!at(TokenKind::Word)) return unknown_statement();
  const std::string_view word = text();
  const bool in_program = kind == BlockKind::Program;
  if (word == "temp" && in_program) return parse_buffer(ObjectKind::Temp);
  if (word == "in" || word == "out" || word == "inout" || word == "require" || word == "temp") {
    if (!declarations) {
      fail_at_start("a statement", in_program ? "declarations stand before the first statement"
                                              : "declarations stand at the top of the program");
      return {};
    }
    if (word == "require") return parse_require();
    return parse_buffer(word == "in" ? ObjectKind::In : word == "out" ? ObjectKind::Out : ObjectKind::InOut);
  }
  declarations = false;
  if (word == "axis") return parse_axis();
  if (word == "memory") return parse_memory();
  if (word == "parallel") return parse_region(RegionKind::Parallel);
  if (word == "serial") return parse_region(RegionKind::Serial);
  if (word == "pipeline") return parse_region(RegionKind::Pipeline);
  if (word == "reduce") return parse_region(RegionKind::Reduce);
  if (word == "if") return parse_if();
  if (word == "barrier") return parse_barrier();
  if (word == "stage") return parse_stage();
  if (word == "opaque") return parse_opaque();
  return unknown_statement();
}

StmtId SyntaxParser::unknown_statement() {
  std::string hint;
  if (at_word("else")) hint = "else follows the '}' of its if";
  if (position_ > 0 && (at(TokenKind::Plus) || at(TokenKind::Minus) || at(TokenKind::Star) || at(TokenKind::Slash)))
    hint = "an expression that goes on has its operator at the end of the line before";
  fail_at_start("a statement", std::move(hint));
  return {};
}

// ---- Definitions ---------------------------------------------------------------------------------------------------

StmtId SyntaxParser::parse_axis() {
  const TextRange begin = here();
  advance();
  AxisStmt statement;
  if (!parse_named_extents(statement.axes, TokenKind::Colon, "the name of an axis")) return {};
  return add(begin, std::move(statement));
}

StmtId SyntaxParser::parse_memory() {
  const TextRange begin = here();
  advance();
  MemoryStmt memory;
  auto name = parse_name("the name of the memory");
  if (!name || !expect(TokenKind::Colon, "':'")) return {};
  auto element = parse_element();
  if (!element || !expect(TokenKind::LeftBracket, "'['")) return {};
  memory.name = *name;
  memory.element = *element;
  if (!parse_list(memory.extents, TokenKind::RightBracket)) return {};
  if (!breaks_line() && at_word("in") && !parse_space(memory.space)) return {};
  if (!breaks_line() && at_name("layout")) {
    advance();
    if (!expect(TokenKind::LeftParen, "'('")) return {};
    if (!parse_names(memory.layout_axes, TokenKind::RightParen, "the name of a coordinate")) return {};
    if (!expect(TokenKind::Assign, "'='", "a layout gives the offset of a point: layout(r, c) = r*9 + c")) return {};
    memory.layout = parse_expr();
    if (!memory.layout.valid()) return {};
  }
  return add(begin, std::move(memory));
}

StmtId SyntaxParser::parse_named() {
  const SyntaxName name{text(), here()};
  advance();
  if (!ends_here() && accept(TokenKind::PlusAssign)) return parse_fold(name, FoldKind::Add);
  if (!ends_here() && (at_name("max") || at_name("min")) && peek(1).kind == TokenKind::Assign) {
    const FoldKind kind = at_name("max") ? FoldKind::Max : FoldKind::Min;
    advance();
    advance();
    return parse_fold(name, kind);
  }
  AssignStmt assign;
  assign.name = name;
  if (!ends_here() && at(TokenKind::LeftBracket)) {
    const TextRange open = here();
    assign.bracketed = true;
    advance();
    if (!parse_items(assign.items)) return {};
    assign.brackets = since(open);
  }
  if (!ends_here() && assign.bracketed && at_word("assume")) {
    assign.assume = true;
    advance();
  }
  if (!ends_here() && at_word("in") && !parse_space(assign.space)) return {};
  if (ends_here() || !at(TokenKind::Assign)) {
    std::string hint = statement_hint(name.text);
    if (hint.empty() && at(TokenKind::LeftParen))
      hint = "the result of a call needs a name: y = " + std::string(name.text) + "(..)";
    if (hint.empty() && at(TokenKind::Equal)) hint = "'=' defines; '==' compares";
    if (hint.empty() && at(TokenKind::PlusAssign))
      hint = "+= folds into a whole tile: its name stands alone on the left";
    fail(assign.bracketed ? "'='" : "'=', '[' or '+='", std::move(hint));
    return {};
  }
  advance();
  assign.value = parse_expr();
  if (!assign.value.valid()) return {};
  return add(name.range, std::move(assign));
}

StmtId SyntaxParser::parse_fold(const SyntaxName& name, FoldKind kind) {
  const ExprId value = parse_expr();
  if (!value.valid()) return {};
  return add(name.range, FoldStmt{name, kind, value});
}

// ---- Regions -------------------------------------------------------------------------------------------------------

StmtId SyntaxParser::parse_region(RegionKind kind) {
  const TextRange begin = here();
  advance();
  RegionStmt region;
  region.kind = kind;
  bool header = parse_domains(region) && parse_attributes(region);
  const TextRange range = since(begin);
  if (header && !at(TokenKind::LeftBrace)) {
    fail("',', an attribute or '{'");
    header = false;
  }
  // The body's faults are worth knowing even when the header is wrong.
  if (!header && !find_block()) return {};
  if (!parse_block(region.body, BlockKind::Inner)) return {};
  const StmtId id = add(begin, std::move(region));
  tree_.stmts[id].range = range;
  return id;
}

bool SyntaxParser::parse_domains(RegionStmt& region) {
  do {
    auto name = parse_name("the name of a coordinate", "a region names its domains: serial i in N { .. }");
    if (!name) return false;
    if (!at_word("in")) {
      fail("'in'", "a region names its domains: serial i in N { .. }");
      return false;
    }
    advance();
    const ExprId extent = parse_expr();
    if (!extent.valid()) return false;
    region.domains.emplace_back(*name, extent);
    if (!check_length(region.domains.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return true;
}

bool SyntaxParser::parse_attributes(RegionStmt& region) {
  while (at(TokenKind::Name)) {
    const std::string_view word = text();
    if (word != "scope" && word != "window" && word != "interval" && word != "order") {
      fail("scope, window, interval, order or '{'");
      return false;
    }
    if (!parse_attribute(region, word)) return false;
  }
  return true;
}

bool SyntaxParser::parse_attribute(RegionStmt& region, std::string_view word) {
  if ((word == "window" || word == "interval") && region.kind != RegionKind::Pipeline) {
    fail("scope, order or '{'", std::string(word) + " belongs to a pipeline");
    return false;
  }
  if (word == "order" && region.kind != RegionKind::Reduce) {
    fail("scope, window, interval or '{'", "order belongs to a reduce region, or is the third argument of a fold");
    return false;
  }
  advance();
  if (word == "scope") return parse_enum(region.scope, scope_from_text, "a scope", kScopeChoices);
  if (word == "order") return parse_enum(region.order, order_from_text, "an order", kOrderChoices);
  return parse_small(word == "window" ? region.window : region.interval, word);
}

StmtId SyntaxParser::parse_if() {
  const Nesting level(*this);
  if (!level.ok()) return {};
  const TextRange begin = here();
  advance();
  IfStmt statement;
  statement.condition = parse_expr();
  const TextRange range = since(begin);
  bool header = statement.condition.valid();
  if (header && !at(TokenKind::LeftBrace)) {
    fail("'{'");
    header = false;
  }
  if (!header && !find_block()) return {};
  if (!parse_block(statement.then_block, BlockKind::Inner)) return {};
  if (at_word("else")) {
    advance();
    if (at_word("if")) {
      const StmtId inner = parse_if();
      if (!inner.valid()) return {};
      statement.else_block.statements.push_back(inner);
    } else if (!parse_block(statement.else_block, BlockKind::Inner)) {
      return {};
    }
  }
  const StmtId id = add(begin, std::move(statement));
  tree_.stmts[id].range = range;
  return id;
}

// ---- Others --------------------------------------------------------------------------------------------------------

StmtId SyntaxParser::parse_barrier() {
  const TextRange begin = here();
  advance();
  BarrierStmt barrier;
  if (!ends_here()) {
    if (!at_name("group") && !at_name("subgroup")) {
      fail("group, subgroup or the end of the statement");
      return {};
    }
    barrier.scope = at_name("group") ? Scope::Group : Scope::Subgroup;
    advance();
  }
  return add(begin, barrier);
}

StmtId SyntaxParser::parse_stage() {
  const TextRange begin = here();
  advance();
  StageStmt stage;
  if (!ends_here()) {
    if (!at(TokenKind::String)) {
      fail("a string or the end of the statement", "the label of a stage stands in quotes");
      return {};
    }
    stage.label = string_contents(text());
    advance();
  }
  return add(begin, std::move(stage));
}

StmtId SyntaxParser::parse_opaque() {
  const TextRange begin = here();
  advance();
  OpaqueStmt opaque;
  if (!at(TokenKind::String)) {
    fail("a string", "the symbol of an opaque call stands in quotes: opaque \"f\"(x)");
    return {};
  }
  opaque.symbol = string_contents(text());
  advance();
  if (!expect(TokenKind::LeftParen, "'('")) return {};
  if (!parse_list(opaque.arguments, TokenKind::RightParen)) return {};
  return add(begin, std::move(opaque));
}

StmtId SyntaxParser::parse_buffer(ObjectKind kind) {
  const TextRange begin = here();
  advance();
  BufferDecl buffer;
  buffer.kind = kind;
  auto name = parse_name("the name of a buffer");
  if (!name || !expect(TokenKind::Colon, "':'", "a buffer has an element type: in A: f32[M, N]")) return {};
  auto element = parse_element();
  if (!element) return {};
  buffer.name = *name;
  buffer.element = *element;
  if (!ends_here() && accept(TokenKind::LeftBracket) && !parse_list(buffer.extents, TokenKind::RightBracket)) return {};
  if (!ends_here() && at_name("strides")) {
    advance();
    buffer.has_strides = true;
    if (!expect(TokenKind::LeftParen, "'('") || !parse_list(buffer.strides, TokenKind::RightParen)) return {};
  }
  if (!ends_here() && at(TokenKind::Assign)) {
    if (kind != ObjectKind::In || !buffer.extents.empty()) {
      fail("the end of the declaration", "only a scalar input, such as in eps: f32, has a default");
      return {};
    }
    advance();
    buffer.default_value = parse_unary();
    if (!buffer.default_value.valid()) return {};
  }
  return add(begin, std::move(buffer));
}

StmtId SyntaxParser::parse_require() {
  const TextRange begin = here();
  advance();
  const ExprId condition = parse_expr();
  if (!condition.valid()) return {};
  RequireDecl require;
  bool known = false;
  if (const auto* binary = std::get_if<BinaryExpr>(&tree_.exprs[condition].node)) {
    require.comparison = comparison_of(binary->op, known);
    require.lhs = binary->lhs;
    require.rhs = binary->rhs;
  }
  if (!known) {
    faults_.report(DiagCode::SyntaxError, tree_.exprs[condition].range,
                   "expected a comparison such as M >= 1, found another expression",
                   "write one require for each comparison");
    return {};
  }
  if (accept(TokenKind::Comma)) {
    if (!at(TokenKind::String)) {
      fail("a string", "the message of a requirement stands in quotes");
      return {};
    }
    require.message = string_contents(text());
    advance();
  }
  return add(begin, std::move(require));
}

// ---- Parts ---------------------------------------------------------------------------------------------------------

std::optional<SyntaxName> SyntaxParser::parse_name(std::string_view what, std::string hint) {
  if (!at(TokenKind::Name) || breaks_line()) {
    if (at(TokenKind::Word) && !breaks_line())
      hint = "'" + std::string(text()) + "' is a word of the language and cannot be a name";
    fail(what, std::move(hint));
    return std::nullopt;
  }
  const SyntaxName name{text(), here()};
  advance();
  return name;
}

std::optional<SyntaxName> SyntaxParser::parse_element() {
  const bool is_type = at(TokenKind::Word) && data_type_from_name(text()).has_value();
  if (breaks_line() || (!is_type && !at(TokenKind::Name))) {
    fail("an element type", "f32, f16, bf16, i32, bool or a type parameter");
    return std::nullopt;
  }
  const SyntaxName name{text(), here()};
  advance();
  return name;
}

bool SyntaxParser::parse_names(std::vector<SyntaxName>& names, TokenKind close, std::string_view what) {
  if (accept(close)) return true;
  do {
    auto name = parse_name(what);
    if (!name) return false;
    names.push_back(*name);
    if (!check_length(names.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return expect(close, "',' or ')'");
}

bool SyntaxParser::parse_named_extents(std::vector<std::pair<SyntaxName, ExprId>>& list, TokenKind separator,
                                       std::string_view what) {
  do {
    auto name = parse_name(what);
    if (!name || !expect(separator, "':'", "an axis has an extent: axis m: BM")) return false;
    const ExprId extent = parse_expr();
    if (!extent.valid()) return false;
    list.emplace_back(*name, extent);
    if (!check_length(list.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return true;
}

std::optional<std::int64_t> SyntaxParser::parse_integer(std::string_view what) {
  const bool negative = accept(TokenKind::Minus);
  if (!at(TokenKind::Integer)) {
    fail(what);
    return std::nullopt;
  }
  const std::uint64_t magnitude = peek().integer;
  if (!negative && magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    faults_.report(DiagCode::LiteralOutOfRange, here(), "expected an integer below 2^63, found 2^63");
    return std::nullopt;
  }
  advance();
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}

bool SyntaxParser::parse_small(std::uint16_t& value, std::string_view what) {
  const TextRange range = here();
  auto number = parse_integer("an integer after " + std::string(what));
  if (!number) return false;
  if (*number < 0 || *number > std::numeric_limits<std::uint16_t>::max()) {
    faults_.report(DiagCode::LiteralOutOfRange, since(range),
                   "expected " + std::string(what) + " from 0 to 65535, found " + std::to_string(*number));
    return true;
  }
  value = static_cast<std::uint16_t>(*number);
  return true;
}

bool SyntaxParser::parse_space(MemorySpace& space) {
  advance();
  return parse_enum(space, space_from_text, "a memory space", kSpaceChoices);
}

template <class Enum, class FromText>
bool SyntaxParser::parse_enum(Enum& value, FromText from_text, std::string_view what, std::string_view choices) {
  if (at(TokenKind::Name) && !breaks_line() && from_text(text(), value)) {
    advance();
    return true;
  }
  fail(what, "one of " + std::string(choices));
  return false;
}

}  // namespace tilewright::tile
