// Expressions of the .tile text.
#include <algorithm>
#include <limits>

#include "tile/syntax_internal.h"

namespace tilewright::tile {

namespace {

constexpr int kComparePrecedence = 3;

/// Of a binary operator, from 1 (binds least); 0 for everything else.
int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::OrOr:
      return 1;
    case TokenKind::AndAnd:
      return 2;
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
    case TokenKind::Equal:
    case TokenKind::NotEqual:
      return kComparePrecedence;
    case TokenKind::Amp:
    case TokenKind::Caret:
      return 4;
    case TokenKind::ShiftLeft:
    case TokenKind::ShiftRight:
      return 5;
    case TokenKind::Plus:
    case TokenKind::Minus:
      return 6;
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::Percent:
      return 7;
    default:
      return 0;
  }
}

}  // namespace

ExprId SyntaxParser::add(TextRange range, decltype(Expr::node) node, std::uint32_t depth) {
  if (depth > kMaxExpressionDepth) {
    give_up(
        range,
        "expected an expression at most " + std::to_string(kMaxExpressionDepth) + " operators deep, found a deeper one",
        "give parts a name of their own");
    return {};
  }
  return tree_.exprs.push_back(Expr{std::move(node), range, depth});
}

std::uint32_t SyntaxParser::depth_of(const std::vector<ExprId>& ids) const {
  std::uint32_t depth = 0;
  for (ExprId id : ids) depth = std::max(depth, tree_.exprs[id].depth);
  return depth;
}

ExprId SyntaxParser::parse_expr() { return parse_binary(1); }

ExprId SyntaxParser::parse_binary(int lowest) {
  ExprId lhs = parse_unary();
  while (lhs.valid() && !breaks_line()) {
    const TokenKind op = peek().kind;
    const int level = precedence(op);
    if (level < lowest || level == 0) break;
    advance();
    const ExprId rhs = parse_binary(level + 1);
    if (!rhs.valid()) return {};
    const Expr& left = tree_.exprs[lhs];
    const Expr& right = tree_.exprs[rhs];
    lhs = add(join(left.range, right.range), BinaryExpr{op, lhs, rhs}, std::max(left.depth, right.depth) + 1);
    if (level == kComparePrecedence && precedence(peek().kind) == level && !breaks_line()) {
      fail("the end of the comparison", "comparisons do not chain: write a < b && b < c");
      return {};
    }
  }
  return lhs;
}

ExprId SyntaxParser::parse_unary() {
  if (at(TokenKind::Minus)) return parse_negative();
  if (!at(TokenKind::Not)) return parse_primary();
  const Nesting level(*this);
  if (!level.ok()) return {};
  const TextRange begin = here();
  advance();
  const ExprId operand = parse_unary();
  if (!operand.valid()) return {};
  return add(since(begin), UnaryExpr{TokenKind::Not, operand}, tree_.exprs[operand].depth + 1);
}

ExprId SyntaxParser::parse_negative() {
  const Nesting level(*this);
  if (!level.ok()) return {};
  const TextRange begin = here();
  advance();
  if (at(TokenKind::Integer)) {
    // The magnitude of the smallest integer is no integer itself: sign and digits are read together.
    const auto value = static_cast<std::int64_t>(std::uint64_t{0} - peek().integer);
    advance();
    return add(since(begin), IntegerExpr{value});
  }
  const ExprId operand = parse_unary();
  if (!operand.valid()) return {};
  return add(since(begin), UnaryExpr{TokenKind::Minus, operand}, tree_.exprs[operand].depth + 1);
}

ExprId SyntaxParser::parse_primary() {
  switch (peek().kind) {
    case TokenKind::Integer:
    case TokenKind::Real:
      return parse_number();
    case TokenKind::LeftParen:
      return parse_parens();
    case TokenKind::Word:
      return parse_word();
    case TokenKind::Name:
      break;
    default:
      fail("an expression");
      return {};
  }
  const SyntaxName name{text(), here()};
  advance();
  if (!breaks_line() && at(TokenKind::LeftBracket)) return parse_access(name);
  if (!breaks_line() && at(TokenKind::LeftParen)) return parse_call(name);
  return add(name.range, NameExpr{name});
}

ExprId SyntaxParser::parse_number() {
  const Token token = peek();
  if (token.kind == TokenKind::Real) {
    advance();
    return add(token.range, RealExpr{token.real});
  }
  if (token.integer > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    faults_.report(DiagCode::LiteralOutOfRange, token.range, "expected an integer below 2^63, found 2^63");
  advance();
  return add(token.range, IntegerExpr{static_cast<std::int64_t>(token.integer & ~(std::uint64_t{1} << 63))});
}

ExprId SyntaxParser::parse_word() {
  const SyntaxName word{text(), here()};
  const bool is_type = data_type_from_name(word.text).has_value();
  if (is_type && peek(1).kind == TokenKind::LeftParen) {
    advance();
    return parse_call(word);
  }
  const auto literal = [&](decltype(Expr::node) node) {
    advance();
    return add(word.range, std::move(node));
  };
  if (word.text == "true") return literal(BoolExpr{true});
  if (word.text == "false") return literal(BoolExpr{false});
  if (word.text == "inf") return literal(RealExpr{std::numeric_limits<double>::infinity()});
  if (word.text == "nan") return literal(RealExpr{std::numeric_limits<double>::quiet_NaN()});
  fail("an expression", is_type ? "a cast has its operand in parentheses: " + std::string(word.text) + "(x)" : "");
  return {};
}

ExprId SyntaxParser::parse_parens() {
  const Nesting level(*this);
  if (!level.ok()) return {};
  advance();
  const ExprId inner = parse_expr();
  if (!inner.valid() || !expect(TokenKind::RightParen, "')'")) return {};
  return inner;
}

ExprId SyntaxParser::parse_access(const SyntaxName& name) {
  const Nesting level(*this);
  if (!level.ok()) return {};
  advance();
  AccessExpr access{name, {}, false, {}, {}};
  if (!parse_list(access.coords, TokenKind::RightBracket)) return {};
  if (!breaks_line() && at_word("assume")) {
    access.assume = true;
    access.suffix = here();
    advance();
  }
  std::uint32_t depth = depth_of(access.coords);
  if (!breaks_line() && at_word("else")) {
    access.suffix = here();
    advance();
    access.fallback = parse_unary();
    if (!access.fallback.valid()) return {};
    depth = std::max(depth, tree_.exprs[access.fallback].depth);
  }
  return add(since(name.range), std::move(access), depth + 1);
}

ExprId SyntaxParser::parse_call(const SyntaxName& name) {
  const Nesting level(*this);
  if (!level.ok()) return {};
  advance();
  CallExpr call{name, {}};
  if (!parse_arguments(call.arguments)) return {};
  std::uint32_t depth = 0;
  for (const SyntaxArgument& argument : call.arguments) depth = std::max(depth, tree_.exprs[argument.value].depth);
  return add(since(name.range), std::move(call), depth + 1);
}

bool SyntaxParser::parse_arguments(std::vector<SyntaxArgument>& arguments) {
  if (accept(TokenKind::RightParen)) return true;
  do {
    SyntaxArgument argument{parse_expr(), {}};
    if (!argument.value.valid()) return false;
    if (at(TokenKind::Colon) && std::holds_alternative<NameExpr>(tree_.exprs[argument.value].node)) {
      advance();
      auto target = parse_name("an axis");
      if (!target) return false;
      argument.target = *target;
    }
    arguments.push_back(argument);
    if (!check_length(arguments.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return expect(TokenKind::RightParen, "',' or ')'");
}

bool SyntaxParser::parse_list(std::vector<ExprId>& list, TokenKind close) {
  if (accept(close)) return true;
  do {
    const ExprId id = parse_expr();
    if (!id.valid()) return false;
    list.push_back(id);
    if (!check_length(list.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return expect(close, close == TokenKind::RightParen ? "',' or ')'" : "',' or ']'");
}

bool SyntaxParser::parse_items(std::vector<BracketItem>& items) {
  if (accept(TokenKind::RightBracket)) return true;
  do {
    BracketItem item{parse_expr(), {}};
    if (!item.expr.valid()) return false;
    if (at(TokenKind::Colon) && std::holds_alternative<NameExpr>(tree_.exprs[item.expr].node)) {
      advance();
      item.extent = parse_expr();
      if (!item.extent.valid()) return false;
    }
    items.push_back(item);
    if (!check_length(items.size(), here())) return false;
  } while (accept(TokenKind::Comma));
  return expect(TokenKind::RightBracket, "',' or ']'");
}

}  // namespace tilewright::tile
