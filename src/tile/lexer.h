// First stage of the .tile text: places, tokens and the list of faults that the text stages share.
//
// Offsets are bytes. Lines and columns count from 1, columns in bytes. The text must outlive everything made from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/errors.h>

#include "tile/program.h"

namespace tilewright::tile {

/// Longest text accepted, in bytes.
inline constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20;
/// Longest name, in bytes.
inline constexpr std::size_t kMaxNameBytes = 128;
/// Most diagnostics of one text; the last one says that there are more.
inline constexpr std::size_t kMaxFaults = 20;

/// Bytes [begin, end) of the text.
struct TextRange {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const TextRange&) const = default;
};
inline TextRange join(TextRange a, TextRange b) { return {a.begin, b.end}; }

/// From offsets to lines and columns. Lines end at "\n", "\r\n" or "\r".
class SourceMap {
 public:
  SourceMap(std::string_view text, std::string file);

  std::string_view text() const { return text_; }
  std::string_view text(TextRange range) const { return text_.substr(range.begin, range.end - range.begin); }
  std::uint32_t line_of(std::uint32_t offset) const;  ///< from 1
  /// A range over several lines is cut at the end of its first line.
  Location location(TextRange range) const;
  SourcePlace place(TextRange range) const;
  /// All lines, the front of long ones, with control characters and bytes that are not UTF-8 replaced so that they can
  /// be shown.
  SourceText source_text() const;

 private:
  struct Line {
    std::uint32_t begin, end;
  };
  std::string_view text_;
  std::string file_;
  std::vector<Line> lines_;
};

/// Collects diagnostics: at most kMaxFaults, and one for each place.
class Faults {
 public:
  explicit Faults(const SourceMap& map) : map_(map) {}

  void report(DiagCode code, TextRange range, std::string message, std::string hint = {});
  void report(DiagCode code, TextRange range, std::string message, std::string hint, TextRange note_range,
              std::string note);
  bool empty() const { return diags_.empty(); }
  /// One more than is shown: the last one shown can say that there are more.
  bool full() const { return diags_.size() > kMaxFaults; }
  /// In the order of the text.
  Diags take();

 private:
  const SourceMap& map_;
  Diags diags_;
};

/// Says in the last diagnostic that there are more, and drops those.
void cap_diags(Diags& diags);

enum class TokenKind : std::uint8_t {
  Name,
  Word,  ///< a reserved word, names of types included
  Integer,
  Real,
  String,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Semicolon,
  Colon,
  Assign,
  PlusAssign,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Amp,
  Caret,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Not,
  AndAnd,
  OrOr,
  Invalid,  ///< the lexer has reported it
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool starts_line = false;  ///< first token of its line
  TextRange range;
  std::uint64_t integer = 0;  ///< Integer; up to 2^63, which only a minus in front makes valid
  double real = 0.0;          ///< Real
};

struct Comment {
  TextRange range;  ///< with its "//"
  bool alone_on_line = false;
};

struct TokenList {
  std::vector<Token> tokens;  ///< the last one is End
  std::vector<Comment> comments;
};

TokenList lex(const SourceMap& map, Faults& faults);

/// Contents of a String token: escapes \" \\ \n \t resolved.
std::string string_contents(std::string_view token_text);
/// The inverse: contents as they are written in the text, with the quotes.
std::string quoted(std::string_view contents);

/// Spelling of punctuation: "'('", or a description: "a name".
std::string_view token_kind_text(TokenKind kind);

/// Words that are never names: in, parallel, true, f32, ...
bool is_reserved_word(std::string_view word);
/// A spelling that the text accepts as the name of something.
bool is_valid_name(std::string_view name);

}  // namespace tilewright::tile
