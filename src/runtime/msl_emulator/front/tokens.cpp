#include "runtime/msl_emulator/front/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "support/number_text.h"

namespace tilewright::msl_emulator {

namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_part(char c) { return is_word_start(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

constexpr std::array<std::string_view, 20> kLongSymbols{"...", "<<=", "::", "->", "<<", "<=", ">=", "==", "!=", "&&",
                                                        "||",  "++",  "--", "+=", "-=", "*=", "/=", "%=", "&=", "|="};

class Tokenizer {
 public:
  Tokenizer(TokenText& into, std::string_view shim_folder) : into_(into), text_(into.text), shim_folder_(shim_folder) {
    file_ = file_index("<preprocessed>");
  }

  std::optional<Diag> run() {
    while (at_ < text_.size() && !fault_) step();
    return std::move(fault_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      ++line_;
      line_start_ = at_;
      fresh_line_ = true;
      return;
    }
    if (is_blank(c)) {
      ++at_;
      return;
    }
    if (fresh_line_ && (c == '#' || text_.substr(at_).starts_with("%:"))) return directive();
    fresh_line_ = false;
    if (is_word_start(c) || static_cast<unsigned char>(c) >= 0x80) return word();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (c == '"') return quoted('"', TokenKind::Text, at_);
    if (c == '\'') return quoted('\'', TokenKind::Character, at_);
    symbol();
  }

  void push(TokenKind kind, std::size_t begin, std::size_t end) {
    into_.tokens.push_back({kind, shim_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), file_,
                            line_, static_cast<std::uint32_t>(begin - line_start_ + 1)});
    at_ = end;
  }

  void fail(std::size_t at, std::string message, std::string hint = {}) {
    const std::uint32_t column = at >= line_start_ ? static_cast<std::uint32_t>(at - line_start_ + 1) : 1;
    fault_ = Diag{
        DiagCode::KernelCompile, std::move(message), {into_.files[file_], line_, column, 1, {}}, std::move(hint), {}};
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_part(text_[end])) ++end;
    const std::string_view spelling = text_.substr(at_, end - at_);
    const bool prefix = spelling == "L" || spelling == "u" || spelling == "U" || spelling == "u8";
    if (end < text_.size() && text_[end] == '"') {
      if (spelling == "R" || spelling == "LR" || spelling == "uR" || spelling == "UR" || spelling == "u8R")
        return raw_string(end);
      if (prefix) return quoted('"', TokenKind::Text, end);
    }
    if (prefix && end < text_.size() && text_[end] == '\'') return quoted('\'', TokenKind::Character, end);
    push(TokenKind::Word, at_, end);
  }

  void number() {
    std::size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      const char before = text_[end - 1];
      const bool exponent_sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && end + 1 < text_.size() && is_word_part(text_[end + 1]);
      if (!is_word_part(c) && c != '.' && !exponent_sign && !separator) break;
    }
    push(TokenKind::Number, at_, end);
  }

  void quoted(char quote, TokenKind kind, std::size_t open) {
    const std::size_t begin = at_;
    std::size_t end = open + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] != quote)
      return fail(begin, fmt::format("a literal that begins with {} has no end on its line", quote));
    push(kind, begin, end + 1);
  }

  void raw_string(std::size_t open) {
    const std::size_t paren = text_.find('(', open);
    if (paren == std::string_view::npos || paren - open > 17)
      return fail(at_, "a raw string has no opening parenthesis");
    const std::string closing = ")" + std::string(text_.substr(open + 1, paren - open - 1)) + "\"";
    const std::size_t end = text_.find(closing, paren);
    if (end == std::string_view::npos) return fail(at_, "a raw string has no end");
    const std::size_t begin = at_;
    push(TokenKind::Text, begin, end + closing.size());
    for (std::size_t i = begin; i < at_; ++i) {
      if (text_[i] != '\n') continue;
      ++line_;
      line_start_ = i + 1;
    }
  }

  void symbol() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest[0];
    if (c == '\\' || c == '@' || c == '`' || c == '#' || static_cast<unsigned char>(c) < 0x20)
      return fail(at_, c >= 0x20 ? fmt::format("stray '{}'", c)
                                 : fmt::format("stray character with code {}", static_cast<unsigned char>(c)));
    for (const std::string_view candidate : kLongSymbols)
      if (rest.starts_with(candidate)) return push(TokenKind::Symbol, at_, at_ + candidate.size());
    push(TokenKind::Symbol, at_, at_ + 1);
  }

  void directive() {
    std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    const std::string_view line = text_.substr(at_, end - at_);
    if (line.starts_with("#pragma ") || line == "#pragma") return push(TokenKind::Pragma, at_, end);
    if (!line.starts_with("# ") || line.size() < 3 || !is_digit(line[2]))
      return fail(at_, "a directive that stands here only after macros were expanded");
    push(TokenKind::Marker, at_, end);
    enter(line.substr(2));
  }

  /// `12 "file" 1 3`: the next line is line 12 of the file.
  void enter(std::string_view marker) {
    const std::size_t blank = std::min(marker.find(' '), marker.size());
    const auto number = parse_uint64(marker.substr(0, blank));
    const std::size_t open = marker.find('"');
    const std::size_t close = marker.rfind('"');
    if (!number || open == std::string_view::npos || close == open)
      return fail(at_, "a line marker that makes no sense");
    std::string name;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (marker[i] == '\\' && i + 1 < close) ++i;
      name += marker[i];
    }
    shim_ = name.starts_with('<') || is_inside(name, shim_folder_);
    file_ = file_index(std::move(name));
    line_ = static_cast<std::uint32_t>(*number) - 1;
  }

  std::uint32_t file_index(std::string name) {
    const auto [at, added] = indices_.try_emplace(name, static_cast<std::uint32_t>(into_.files.size()));
    if (added) into_.files.push_back(std::move(name));
    return at->second;
  }

  TokenText& into_;
  std::string_view text_;
  std::string_view shim_folder_;
  std::map<std::string, std::uint32_t> indices_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t file_ = 0;
  bool fresh_line_ = true;
  bool shim_ = false;
  std::optional<Diag> fault_;
};

}  // namespace

SourcePlace TokenText::place(const Token& token) const {
  return {files[token.file], token.line, token.column, token.end - token.begin, {}};
}

Result<TokenText> tokenize(std::string text, std::string_view shim_folder) {
  TokenText result;
  result.text = std::move(text);
  result.tokens.reserve(result.text.size() / 4);
  if (std::optional<Diag> fault = Tokenizer(result, shim_folder).run()) return failure(std::move(*fault));
  return result;
}

bool is_inside(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder == "/") return path.starts_with('/');
  return !folder.empty() && path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string_view literal_content(std::string_view spelling) {
  const std::size_t open = spelling.find('"');
  const std::size_t close = spelling.rfind('"');
  return close > open ? spelling.substr(open + 1, close - open - 1) : std::string_view{};
}

}  // namespace tilewright::msl_emulator
