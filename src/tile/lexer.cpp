#include "tile/lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "support/check.h"

namespace tilewright::tile {

namespace {

constexpr std::string_view kReservedWords[] = {
    "assume",  "axis",   "barrier", "else",   "false",  "fn",    "if",       "in",
    "inf",     "inout",  "memory",  "nan",    "opaque", "out",   "parallel", "pipeline",
    "program", "reduce", "require", "return", "serial", "stage", "temp",     "true",
};

constexpr std::pair<TokenKind, std::string_view> kPunctuation[] = {
    // Longer spellings first.
    {TokenKind::PlusAssign, "+="},  {TokenKind::ShiftLeft, "<<"},    {TokenKind::ShiftRight, ">>"},
    {TokenKind::LessEqual, "<="},   {TokenKind::GreaterEqual, ">="}, {TokenKind::Equal, "=="},
    {TokenKind::NotEqual, "!="},    {TokenKind::AndAnd, "&&"},       {TokenKind::OrOr, "||"},
    {TokenKind::LeftParen, "("},    {TokenKind::RightParen, ")"},    {TokenKind::LeftBracket, "["},
    {TokenKind::RightBracket, "]"}, {TokenKind::LeftBrace, "{"},     {TokenKind::RightBrace, "}"},
    {TokenKind::Comma, ","},        {TokenKind::Semicolon, ";"},     {TokenKind::Colon, ":"},
    {TokenKind::Assign, "="},       {TokenKind::Plus, "+"},          {TokenKind::Minus, "-"},
    {TokenKind::Star, "*"},         {TokenKind::Slash, "/"},         {TokenKind::Percent, "%"},
    {TokenKind::Amp, "&"},          {TokenKind::Caret, "^"},         {TokenKind::Less, "<"},
    {TokenKind::Greater, ">"},      {TokenKind::Not, "!"},
};

/// Bytes of a line that are kept to be shown.
constexpr std::uint32_t kLongestExcerpt = 400;

// The C locale's classes, whatever the process has set.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

/// Bytes of the well-formed UTF-8 sequence at the front of `text` (Unicode 15, table 3-7), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return continues(1) ? 2 : 0;
  if (lead < 0xf0) {
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
    return continues(1) && continues(2) ? 3 : 0;
  }
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return continues(1) && continues(2) && continues(3) ? 4 : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// One byte of output for one of input, so that columns still point at their place.
std::string showable(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(line));
    const unsigned char lead = static_cast<unsigned char>(line[0]);
    const bool hidden = utf8_length(line) == 0 || (lead < 0x20 && lead != '\t') || lead == 0x7f;
    shown += hidden ? std::string("?") : std::string(line.substr(0, length));
    line.remove_prefix(length);
  }
  return shown;
}

std::string hex_byte(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const unsigned value = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[value >> 4], kDigits[value & 15]};
}

class Lexer {
 public:
  Lexer(const SourceMap& map, Faults& faults) : text_(map.text()), faults_(faults) {}

  TokenList run() {
    if (text_.starts_with("\xef\xbb\xbf")) offset_ = 3;
    // Behind the last fault that is shown nothing more can be learnt.
    while (offset_ < text_.size() && !faults_.full()) step();
    add(TokenKind::End, offset_);
    return std::move(list_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0'; }
  TextRange range_from(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(offset_)};
  }
  Token& add(TokenKind kind, std::size_t begin) {
    list_.tokens.push_back({kind, starts_line_, range_from(begin)});
    starts_line_ = false;
    return list_.tokens.back();
  }
  void invalid(DiagCode code, std::size_t begin, std::string message, std::string hint = {}) {
    faults_.report(code, range_from(begin), std::move(message), std::move(hint));
    add(TokenKind::Invalid, begin);
  }

  void step() {
    const char c = peek();
    if (c == '\n' || c == '\r') {
      ++offset_;
      starts_line_ = true;
    } else if (c == ' ' || c == '\t') {
      ++offset_;
    } else if (c == '/' && peek(1) == '/') {
      comment();
    } else if (is_name_start(c)) {
      word();
    } else if (is_digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else if (!punctuation()) {
      unknown_character();
    }
  }

  void comment() {
    const std::size_t begin = offset_;
    while (offset_ < text_.size() && peek() != '\n' && peek() != '\r') ++offset_;
    const TextRange range = range_from(begin);
    list_.comments.push_back({range, starts_line_});
    if (!is_utf8(text_.substr(begin, offset_ - begin)))
      faults_.report(DiagCode::SyntaxError, range, "expected UTF-8 text in a comment, found other bytes");
  }

  void word() {
    const std::size_t begin = offset_;
    while (is_name_part(peek())) ++offset_;
    if (offset_ - begin > kMaxNameBytes)
      return invalid(DiagCode::SyntaxError, begin,
                     "expected a name of at most " + std::to_string(kMaxNameBytes) + " characters, found a longer one");
    const bool reserved = is_reserved_word(text_.substr(begin, offset_ - begin));
    add(reserved ? TokenKind::Word : TokenKind::Name, begin);
  }

  void number() {
    const std::size_t begin = offset_;
    bool real = false;
    while (is_digit(peek())) ++offset_;
    if (peek() == '.' && is_digit(peek(1))) {
      real = true;
      ++offset_;
      while (is_digit(peek())) ++offset_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        real = true;
        offset_ += 1 + sign;
        while (is_digit(peek())) ++offset_;
      }
    }
    if (is_name_part(peek()) || peek() == '.') return malformed_number(begin);
    if (real) {
      real_number(begin);
    } else {
      integer_number(begin);
    }
  }

  void malformed_number(std::size_t begin) {
    while (is_name_part(peek()) || peek() == '.') ++offset_;
    const std::string shown(text_.substr(begin, std::min<std::size_t>(offset_ - begin, 40)));
    invalid(
        DiagCode::SyntaxError, begin, "expected a number such as 64, 0.5 or 1e-5, found '" + shown + "'",
        "numbers are decimal, have a digit on both sides of the point and no suffix; a cast gives the type: f16(0.5)");
  }

  void integer_number(std::size_t begin) {
    constexpr std::uint64_t kMagnitudeOfMin = std::uint64_t{1} << 63;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + offset_, value);
    if (error != std::errc{} || value > kMagnitudeOfMin) {
      faults_.report(DiagCode::LiteralOutOfRange, range_from(begin),
                     "expected an integer below 2^63, found a number that does not fit 64 bits");
      value = 0;
    }
    add(TokenKind::Integer, begin).integer = value;
  }

  void real_number(std::size_t begin) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + offset_, value);
    if (error != std::errc{}) {
      faults_.report(DiagCode::LiteralOutOfRange, range_from(begin),
                     "expected a number that FP64 can hold, found one that is too large or too small",
                     "write inf or 0.0");
      value = 0.0;
    }
    add(TokenKind::Real, begin).real = value;
  }

  void string() {
    const std::size_t begin = offset_++;
    while (offset_ < text_.size() && peek() != '"' && peek() != '\n' && peek() != '\r') {
      if (static_cast<unsigned char>(peek()) < 0x20 && peek() != '\t') return bad_string(begin, "a control character");
      if (peek() == '\\') {
        ++offset_;
        if (std::string_view("\"\\nt").find(peek()) == std::string_view::npos || peek() == '\0')
          return bad_string(begin, "an unknown escape");
      }
      ++offset_;
    }
    if (peek() != '"') return bad_string(begin, "the end of the line");
    ++offset_;
    if (!is_utf8(text_.substr(begin, offset_ - begin))) return bad_string(begin, "bytes that are not UTF-8");
    add(TokenKind::String, begin);
  }

  void bad_string(std::size_t begin, std::string_view found) {
    while (offset_ < text_.size() && peek() != '"' && peek() != '\n' && peek() != '\r') ++offset_;
    if (peek() == '"') ++offset_;
    invalid(DiagCode::SyntaxError, begin, "expected the closing '\"' of a string, found " + std::string(found),
            "a string stands on one line; its escapes are \\\" \\\\ \\n \\t");
  }

  bool punctuation() {
    for (const auto& [kind, spelling] : kPunctuation) {
      if (!text_.substr(offset_).starts_with(spelling)) continue;
      const std::size_t begin = offset_;
      offset_ += spelling.size();
      add(kind, begin);
      return true;
    }
    return false;
  }

  void unknown_character() {
    const std::size_t begin = offset_;
    const std::size_t length = utf8_length(text_.substr(offset_));
    const char c = peek();
    std::string shown = "the byte " + hex_byte(c);
    if (length > 1 || (c > 0x20 && c < 0x7f)) shown = "'" + std::string(text_.substr(begin, length)) + "'";
    std::string hint;
    if (c == '.') hint = "a number has a digit before its point: 0.5";
    if (c == '|') hint = "'||' is the logical or of tiles";
    if (c == '\'') hint = "strings stand in double quotes";
    if (c == '#') hint = "comments start with //";
    offset_ += std::max<std::size_t>(1, length);
    // A run of garbage is one fault.
    while (offset_ < text_.size() && (peek() == c || static_cast<unsigned char>(peek()) >= 0x80)) ++offset_;
    invalid(DiagCode::SyntaxError, begin, "expected a name, a number or punctuation, found " + shown, std::move(hint));
  }

  std::string_view text_;
  Faults& faults_;
  std::size_t offset_ = 0;
  bool starts_line_ = true;
  TokenList list_;
};

}  // namespace

// ---- Places --------------------------------------------------------------------------------------------------------

SourceMap::SourceMap(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  TW_CHECK(text.size() <= kMaxTextBytes);
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') continue;
    lines_.push_back({begin, i});
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    begin = i + 1;
  }
  lines_.push_back({begin, static_cast<std::uint32_t>(text.size())});
}

std::uint32_t SourceMap::line_of(std::uint32_t offset) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                      [](std::uint32_t value, const Line& line) { return value < line.begin; });
  return static_cast<std::uint32_t>(after - lines_.begin());
}

Location SourceMap::location(TextRange range) const {
  const std::uint32_t number = line_of(range.begin);
  const Line& line = lines_[number - 1];
  const std::uint32_t end = std::min(range.end, line.end);
  return {number, range.begin - line.begin + 1, end > range.begin ? end - range.begin : 1};
}

SourcePlace SourceMap::place(TextRange range) const {
  const Location location = this->location(range);
  const Line& line = lines_[location.line - 1];
  SourcePlace place{file_, location.line, location.column, location.length, {}};
  if (location.column <= kLongestExcerpt)
    place.source_line = showable(text_.substr(line.begin, std::min(line.end - line.begin, kLongestExcerpt)));
  return place;
}

SourceText SourceMap::source_text() const {
  SourceText source{file_, {}};
  source.lines.reserve(lines_.size());
  for (const Line& line : lines_)
    source.lines.push_back(showable(text_.substr(line.begin, std::min(line.end - line.begin, kLongestExcerpt))));
  return source;
}

// ---- Faults --------------------------------------------------------------------------------------------------------

void Faults::report(DiagCode code, TextRange range, std::string message, std::string hint) {
  if (full()) return;
  SourcePlace place = map_.place(range);
  for (const Diag& diag : diags_)
    if (diag.place.line == place.line && diag.place.column == place.column) return;
  diags_.push_back({code, std::move(message), std::move(place), std::move(hint), {}});
}

void Faults::report(DiagCode code, TextRange range, std::string message, std::string hint, TextRange note_range,
                    std::string note) {
  const std::size_t before = diags_.size();
  report(code, range, std::move(message), std::move(hint));
  if (diags_.size() > before) diags_.back().notes.push_back({std::move(note), map_.place(note_range)});
}

Diags Faults::take() {
  // No two have one place, so the order is unique.
  std::sort(diags_.begin(), diags_.end(), [](const Diag& a, const Diag& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  cap_diags(diags_);
  return std::move(diags_);
}

void cap_diags(Diags& diags) {
  if (diags.size() <= kMaxFaults) return;
  diags.resize(kMaxFaults);
  diags.back().notes.push_back(
      {"there are more errors; only the first " + std::to_string(kMaxFaults) + " are shown", {}});
}

// ---- Spellings -----------------------------------------------------------------------------------------------------

TokenList lex(const SourceMap& map, Faults& faults) { return Lexer(map, faults).run(); }

std::string string_contents(std::string_view token_text) {
  TW_CHECK(token_text.size() >= 2);
  std::string contents;
  for (std::size_t i = 1; i + 1 < token_text.size(); ++i) {
    if (token_text[i] != '\\') {
      contents += token_text[i];
      continue;
    }
    const char escape = token_text[++i];
    contents += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
  }
  return contents;
}

std::string quoted(std::string_view contents) {
  std::string out = "\"";
  for (char c : contents) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string_view token_kind_text(TokenKind kind) {
  for (const auto& [punctuation, spelling] : kPunctuation)
    if (punctuation == kind) return spelling;
  switch (kind) {
    case TokenKind::Name:
      return "a name";
    case TokenKind::Word:
      return "a word of the language";
    case TokenKind::Integer:
      return "an integer";
    case TokenKind::Real:
      return "a number";
    case TokenKind::String:
      return "a string";
    case TokenKind::End:
      return "the end of the text";
    default:
      return "an unreadable character";
  }
}

bool is_reserved_word(std::string_view word) {
  return std::find(std::begin(kReservedWords), std::end(kReservedWords), word) != std::end(kReservedWords) ||
         data_type_from_name(word).has_value();
}

bool is_valid_name(std::string_view name) {
  return !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_part) &&
         !is_reserved_word(name) && name.size() <= kMaxNameBytes;
}

}  // namespace tilewright::tile
