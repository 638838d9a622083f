// Words of the kernel text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::kernel {

enum class TokenKind : std::uint8_t {
  Word,    ///< a keyword or a plain name: letters, digits, '_', '.'
  Quoted,  ///< a name in quotes; text is what it stands for
  Value,   ///< %name; text without the '%'
  Number,  ///< an integer or a float, with its sign; -inf too
  Punct,   ///< one of { } ( ) [ ] : , = ;
  Bad,     ///< anything else; text says what is wrong
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  std::uint32_t line = 1, column = 1, length = 0;
  bool first_on_line = false;

  bool is(TokenKind expected, std::string_view word) const { return kind == expected && text == word; }
  bool punct(std::string_view mark) const { return is(TokenKind::Punct, mark); }
  bool word(std::string_view name) const { return is(TokenKind::Word, name); }
};

/// The lines of a text, without their ends.
std::vector<std::string_view> split_lines(std::string_view text);

/// Always ends in an End token. Comments run from // to the end of the line.
std::vector<Token> tokenize(std::string_view text);

}  // namespace tilewright::kernel
