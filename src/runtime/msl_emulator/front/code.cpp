#include "runtime/msl_emulator/front/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilewright::msl_emulator {

namespace {

bool opens(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool closes(std::string_view text) { return text == ")" || text == "]" || text == "}"; }
char closing_of(std::string_view open) { return open == "(" ? ')' : open == "[" ? ']' : '}'; }

Diag source_fault(const TokenText& source, const Token& token, std::string message) {
  return {DiagCode::KernelCompile, std::move(message), source.place(token), {}, {}};
}

/// Splits what stands between the brackets of an attribute at its commas.
std::vector<AttributeItem> attribute_items(const TokenText& source, const std::vector<std::size_t>& inner) {
  std::vector<AttributeItem> items;
  bool fresh = true;
  int depth = 0;
  for (const std::size_t t : inner) {
    const std::string_view text = source.spelling(source.tokens[t]);
    if (depth == 0 && text == ",") {
      fresh = true;
      continue;
    }
    if (fresh) items.push_back({{}, {}, t});
    fresh = false;
    if (closes(text)) --depth;
    if (depth > 0) items.back().arguments.push_back(t);
    if (depth == 0 && !opens(text) && !closes(text)) items.back().name += text;
    if (opens(text)) ++depth;
  }
  return items;
}

/// Whether a token takes part in rewriting.
bool is_code(const Token& token) {
  return !token.shim && token.kind != TokenKind::Marker && token.kind != TokenKind::Pragma;
}

bool needs_blank(std::string_view before, std::string_view after) {
  const auto part = [](char c) { return (c >= '0' && c <= '9') || (c | 32) >= 'a' || c == '_' || c == '"'; };
  if (part(before.back()) && part(after.front())) return true;
  return !part(before.back()) && !part(after.front());
}

}  // namespace

/// The user's tokens in turn; attributes are split off as they come.
class CodeReader {
 public:
  CodeReader(const TokenText& source, std::vector<std::size_t>& tokens, std::vector<std::size_t>& partners,
             std::vector<Attribute>& attributes)
      : source_(source), tokens_(tokens), partners_(partners), attributes_(attributes) {}

  std::optional<Diag> run() {
    for (std::size_t i = 0; i < source_.tokens.size(); ++i)
      if (is_code(source_.tokens[i])) users_.push_back(i);
    for (at_ = 0; at_ < users_.size();) {
      if (spelling(at_) == "[" && at_ + 1 < users_.size() && spelling(at_ + 1) == "[") {
        if (std::optional<Diag> fault = attribute()) return fault;
        continue;
      }
      if (std::optional<Diag> fault = code_token()) return fault;
      ++at_;
    }
    if (open_.empty()) return std::nullopt;
    const Token& token = source_.tokens[tokens_[open_.back()]];
    return source_fault(source_, token, fmt::format("'{}' is never closed", source_.spelling(token)));
  }

 private:
  std::string_view spelling(std::size_t user) const { return source_.spelling(source_.tokens[users_[user]]); }

  std::optional<Diag> attribute() {
    const std::size_t first = at_;
    std::size_t i = at_ + 2;
    std::vector<std::size_t> inner;
    for (int depth = 0; i < users_.size(); ++i) {
      const std::string_view text = spelling(i);
      if (depth == 0 && text == "]") break;
      if (opens(text)) ++depth;
      if (closes(text)) --depth;
      inner.push_back(users_[i]);
    }
    if (i + 1 >= users_.size() || spelling(i + 1) != "]")
      return source_fault(source_, source_.tokens[users_[first]], "an attribute begins with [[ and has no ]]");
    attributes_.push_back({tokens_.size(), source_.tokens[users_[first]].begin, source_.tokens[users_[i + 1]].end,
                           attribute_items(source_, inner)});
    at_ = i + 2;
    return std::nullopt;
  }

  std::optional<Diag> code_token() {
    const std::string_view text = spelling(at_);
    tokens_.push_back(users_[at_]);
    partners_.push_back(0);
    if (source_.tokens[users_[at_]].kind != TokenKind::Symbol) return std::nullopt;
    if (opens(text)) open_.push_back(tokens_.size() - 1);
    if (!closes(text)) return std::nullopt;
    const Token& token = source_.tokens[users_[at_]];
    if (open_.empty()) return source_fault(source_, token, fmt::format("'{}' closes nothing", text));
    const std::size_t open = open_.back();
    const Token& opening = source_.tokens[tokens_[open]];
    if (closing_of(source_.spelling(opening)) != text[0])
      return source_fault(
          source_, token,
          fmt::format("expected '{}' for the '{}' of line {}, found '{}'", closing_of(source_.spelling(opening)),
                      source_.spelling(opening), opening.line, text));
    partners_[open] = tokens_.size() - 1;
    partners_.back() = open;
    open_.pop_back();
    return std::nullopt;
  }

  const TokenText& source_;
  std::vector<std::size_t>& tokens_;
  std::vector<std::size_t>& partners_;
  std::vector<Attribute>& attributes_;
  std::vector<std::size_t> users_;
  std::vector<std::size_t> open_;
  std::size_t at_ = 0;
};

Result<Code> read_code(const TokenText& source) {
  Code code(source);
  if (std::optional<Diag> fault = CodeReader(source, code.tokens_, code.partners_, code.attributes_).run())
    return failure(std::move(*fault));
  return code;
}

SourcePlace Code::place(std::size_t i) const {
  if (size() == 0) return {};
  return source_->place(token(std::min(i, size() - 1)));
}

std::vector<const Attribute*> Code::attributes_in(std::size_t first, std::size_t last) const {
  const auto before = [](const Attribute& attribute, std::size_t position) { return attribute.position < position; };
  std::vector<const Attribute*> found;
  for (auto at = std::lower_bound(attributes_.begin(), attributes_.end(), first, before);
       at != attributes_.end() && at->position <= last; ++at)
    found.push_back(&*at);
  return found;
}

const AttributeItem* Code::find_item(std::size_t first, std::size_t last, std::string_view name) const {
  for (const Attribute* attribute : attributes_in(first, last))
    for (const AttributeItem& item : attribute->items)
      if (item.name == name) return &item;
  return nullptr;
}

std::optional<std::size_t> Code::after_angles(std::size_t i, std::size_t end) const {
  int depth = 0;
  for (; i < end; ++i) {
    if (kind(i) != TokenKind::Symbol) continue;
    const std::string_view symbol = text(i);
    if (symbol == ";" || symbol == "{" || symbol == "}") return std::nullopt;
    if (symbol == "(" || symbol == "[") i = partner(i);
    if (symbol == "<") ++depth;
    if (symbol == ">" && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

std::string Code::joined(std::size_t first, std::size_t last) const {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first && needs_blank(text(i - 1), text(i))) out += ' ';
    out += text(i);
  }
  return out;
}

std::string Code::joined_source(const std::vector<std::size_t>& tokens) const {
  std::string out;
  for (const std::size_t t : tokens) {
    const std::string_view text = source_->spelling(source_->tokens[t]);
    if (!out.empty() && needs_blank(out, text)) out += ' ';
    out += text;
  }
  return out;
}

Diag fault_at(const Code& code, std::size_t token, DiagCode diag_code, std::string message, std::string hint) {
  return {diag_code, std::move(message), code.place(token), std::move(hint), {}};
}

}  // namespace tilewright::msl_emulator
