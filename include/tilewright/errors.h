// What a user sees when something goes wrong: diagnostics with a code, a place, and what to try.
//
// Every fallible call of the public API returns Result<T>. A Diags value holds all independent faults, in the order
// in which they were found. Codes are listed in diag_codes.def; two causes never share a code.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

enum class DiagCode : std::uint16_t {
#define TW_DIAG(name, category, summary) name,
#include "tilewright/diag_codes.def"
#undef TW_DIAG
};

/// Which exit status of the command line a code belongs to (DESIGN: 1 wrong result, 2 bad usage or input, 3 refused,
/// 4 internal).
enum class DiagCategory : std::uint8_t { WrongResult = 1, Input = 2, Refused = 3, Internal = 4 };

/// The stable spelling of a code, for example "SyntaxError".
std::string_view diag_code_name(DiagCode code);
DiagCategory diag_code_category(DiagCode code);

/// A range of one source text. Lines and columns count from 1; line 0 means "no place in a text".
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
  std::string source_line;  ///< the text of that line, for the caret rendering; may be empty

  bool known() const { return line != 0; }
  bool operator==(const SourcePlace&) const = default;
};

struct Note {
  std::string message;
  SourcePlace place;
};

/// One fault. `message` names what was expected and what was found; `hint` says what to try.
struct Diag {
  DiagCode code{};
  std::string message;
  SourcePlace place;
  std::string hint;
  std::vector<Note> notes;
};

using Diags = std::vector<Diag>;

template <class T>
using Result = std::expected<T, Diags>;

/// "file:3:7: error: message [Code]", then the source line with a caret, notes and the hint. Ends in a newline.
std::string render(const Diag& diag);
std::string render(const Diags& diags);

/// A single-diagnostic failure.
[[nodiscard]] inline std::unexpected<Diags> failure(Diag diag) {
  Diags diags;
  diags.push_back(std::move(diag));
  return std::unexpected(std::move(diags));
}
[[nodiscard]] inline std::unexpected<Diags> failure(DiagCode code, std::string message, std::string hint = {}) {
  return failure(Diag{code, std::move(message), {}, std::move(hint), {}});
}

}  // namespace tilewright
