#include "kernel/lexer.h"

#include <algorithm>
#include <cctype>

namespace tilewright::kernel {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) next();
    start_token();
    tokens_.push_back(current_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (peek() == '/' && peek(1) == '/') at_ = std::min(text_.find('\n', at_), text_.size());
      if (peek() == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
        first_on_line_ = true;
      } else if (std::isspace(static_cast<unsigned char>(peek())) == 0) {
        return;
      }
    }
  }

  void start_token() {
    current_ = {};
    current_.line = line_;
    current_.column = static_cast<std::uint32_t>(at_ - line_begin_ + 1);
    current_.first_on_line = first_on_line_;
    first_on_line_ = false;
  }

  void next() {
    start_token();
    const std::size_t begin = at_;
    const char c = peek();
    if (is_letter(c)) {
      current_.kind = TokenKind::Word;
      current_.text = take_word();
    } else if (c == '%' && is_word(peek(1))) {
      ++at_;
      current_.kind = TokenKind::Value;
      current_.text = take_word();
    } else if (is_digit(c) || (c == '-' && is_word(peek(1)))) {
      current_.kind = TokenKind::Number;
      current_.text = take_number();
    } else if (c == '"') {
      take_quoted();
    } else if (std::string_view("{}()[]:,=;").find(c) != std::string_view::npos && c != '\0') {
      current_.kind = TokenKind::Punct;
      current_.text = text_[at_++];
    } else {
      current_.kind = TokenKind::Bad;
      current_.text = "this character has no meaning here";
      ++at_;
    }
    current_.length = static_cast<std::uint32_t>(at_ - begin);
    tokens_.push_back(current_);
  }

  std::string take_word() {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string take_number() {
    const std::size_t begin = at_++;
    while (is_word(peek()) || ((peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void take_quoted() {
    current_.kind = TokenKind::Quoted;
    for (++at_; peek() != '"'; ++at_) {
      const char c = peek();
      if (c == '\0' || c == '\n') {
        current_.kind = TokenKind::Bad;
        current_.text = "this name has no closing quote";
        return;
      }
      if (c != '\\') {
        current_.text += c;
      } else if (peek(1) == 'x' && hex_value(peek(2)) >= 0 && hex_value(peek(3)) >= 0) {
        current_.text += static_cast<char>(hex_value(peek(2)) * 16 + hex_value(peek(3)));
        at_ += 3;
      } else {
        current_.text += peek(1);
        at_ += peek(1) != '\n' && peek(1) != '\0' ? 1 : 0;
      }
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
  bool first_on_line_ = true;
  Token current_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace tilewright::kernel
