#include "kernel/text_reader.h"

#include <fmt/format.h>

#include "kernel/names.h"
#include "support/number_text.h"

namespace tilewright::kernel {

namespace {

constexpr std::size_t kMaxDiags = 50;

}  // namespace

TextReader::TextReader(std::string_view text, std::string_view file)
    : file_(file), lines_(split_lines(text)), tokens_(tokenize(text)) {}

Token TextReader::next() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}
bool TextReader::accept(std::string_view mark) {
  if (!peek().punct(mark)) return false;
  next();
  return true;
}
bool TextReader::accept_word(std::string_view word) {
  if (!peek().word(word)) return false;
  next();
  return true;
}
void TextReader::expect(std::string_view mark) {
  if (!accept(mark)) unexpected(fmt::format("'{}'", mark));
}
void TextReader::expect_word(std::string_view word) {
  if (!peek().word(word)) unexpected(fmt::format("'{}'", word));
  next();
}

void TextReader::report(const Token& at, DiagCode code, std::string message) {
  if (diags_.size() >= kMaxDiags) return;
  Diag diag{code, std::move(message), {file_, at.line, at.column, at.length, ""}, {}, {}};
  if (at.line >= 1 && at.line <= lines_.size()) diag.place.source_line = lines_[at.line - 1];
  diags_.push_back(std::move(diag));
}
void TextReader::fail(const Token& at, std::string message) {
  report(at, DiagCode::SyntaxError, std::move(message));
  throw SyntaxFault{};
}
void TextReader::unexpected(std::string_view expected) {
  const Token& token = peek();
  if (token.kind == TokenKind::Bad) fail(token, token.text);
  if (token.kind == TokenKind::End) fail(token, fmt::format("expected {}, found the end of the text", expected));
  const std::string_view sigil = token.kind == TokenKind::Value ? "%" : "";
  fail(token, fmt::format("expected {}, found '{}{}'", expected, sigil, token.text));
}

std::string TextReader::name(std::string_view what) {
  if (peek().kind != TokenKind::Word && peek().kind != TokenKind::Quoted) unexpected(what);
  return next().text;
}

std::int64_t TextReader::integer(std::string_view what) {
  const Token token = peek();
  if (token.kind != TokenKind::Number) unexpected(what);
  next();
  const NumberResult<std::int64_t> value = parse_int64(token.text);
  if (!value && value.error() == NumberFault::Malformed)
    fail(token, fmt::format("expected {}, found '{}'", what, token.text));
  if (!value) report(token, DiagCode::LiteralOutOfRange, fmt::format("{} does not fit 64 bits", token.text));
  return value.value_or(0);
}

std::int64_t TextReader::size(std::string_view what) {
  const Token token = peek();
  const std::int64_t value = integer(what);
  if (value >= 0) return value;
  report(token, DiagCode::NegativeSize, fmt::format("{} is {}; it cannot be negative", what, value));
  return 0;
}

ValueId TextReader::operand() {
  // A ':' behind it means that the next statement has begun.
  if (peek().kind != TokenKind::Value || tokens_[at_ + 1].punct(":")) unexpected("a value");
  const Token token = next();
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(token.text); found != scope->end()) return found->second;
  report(token, DiagCode::UnknownName, fmt::format("nothing defines %{} here", token.text));
  scopes_.front().emplace(token.text, ValueId{});
  return {};
}

void TextReader::define(const Token& token, ValueId value) {
  for (const auto& scope : scopes_) {
    const auto found = scope.find(token.text);
    if (found == scope.end()) continue;
    if (found->second.valid()) report(token, DiagCode::Redefinition, fmt::format("%{} is defined already", token.text));
    return;
  }
  scopes_.back().emplace(token.text, value);
}

ValueId TextReader::definition(ValueType type) {
  if (peek().kind != TokenKind::Value) unexpected("the name of a value");
  const Token token = next();
  const ValueId value = program_.values.push_back(type);
  define(token, value);
  return value;
}

ValueType TextReader::value_type() {
  const auto type = type_from_name(peek().text);
  if (peek().kind != TokenKind::Word || !type) unexpected("a type");
  next();
  return *type;
}

MemoryRef TextReader::memory() {
  const Token token = peek();
  const std::string named = name("a buffer or an allocation");
  if (const auto found = allocations_.find(named); found != allocations_.end()) return {{}, found->second};
  if (const auto found = buffers_.find(named); found != buffers_.end()) return {found->second, {}};
  report(token, DiagCode::UnknownName, fmt::format("there is no buffer or allocation {} here", named));
  return {};
}

ScalarType TextReader::scalar_type() {
  const auto type = scalar_from_name(peek().text);
  if (peek().kind != TokenKind::Word || !type) unexpected("an element type");
  next();
  return *type;
}

std::int64_t TextReader::number(std::string_view what, std::int64_t least, std::int64_t most) {
  const Token token = peek();
  const std::int64_t value = integer(what);
  if (value >= least && value <= most) return value;
  report(token, DiagCode::LiteralOutOfRange, fmt::format("{} is {}; expected {} to {}", what, value, least, most));
  return least;
}

std::uint32_t TextReader::ring() {
  const Token token = peek();
  const std::string named = name("a ring");
  if (const auto found = rings_.find(named); found != rings_.end()) return found->second;
  report(token, DiagCode::UnknownName, fmt::format("there is no ring {} here", named));
  return 0;
}

}  // namespace tilewright::kernel
