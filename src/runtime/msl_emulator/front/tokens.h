// Preprocessed MSL as tokens that know where they were written.
//
// Line markers of the preprocessor give file and line; the column is that of the preprocessed line, which is the
// source's but for runs of blanks and macros. Text of shim headers is marked: the rewriter leaves it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright::msl_emulator {

enum class TokenKind : std::uint8_t {
  Word,
  Number,
  Text,  ///< a string literal with its quotes, raw strings too
  Character,
  Symbol,  ///< one character, or one of `::` `->` `...` and the compound operators; `>` always stands alone
  Marker,  ///< a line marker, the whole line
  Pragma,  ///< a #pragma, the whole line
};

struct Token {
  TokenKind kind{};
  bool shim = false;        ///< of a shim header or of the compiler's own preamble
  std::uint32_t begin = 0;  ///< bytes of the text, half open
  std::uint32_t end = 0;
  std::uint32_t file = 0;  ///< index of TokenText::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct TokenText {
  std::string text;
  std::vector<std::string> files;
  std::vector<Token> tokens;

  std::string_view spelling(const Token& token) const {
    return std::string_view(text).substr(token.begin, token.end - token.begin);
  }
  /// The place without its source line.
  SourcePlace place(const Token& token) const;
};

/// KernelCompile: text that no compiler would read (an unterminated literal, a stray character, a directive that the
/// preprocessor made), with its place.
Result<TokenText> tokenize(std::string text, std::string_view shim_folder);

/// Whether a path lies in the folder; both absolute or both as the preprocessor spells them.
bool is_inside(std::string_view path, std::string_view folder);

/// The content of a string literal token, escapes kept. Adjacent literals are the caller's to join.
std::string_view literal_content(std::string_view spelling);

}  // namespace tilewright::msl_emulator
