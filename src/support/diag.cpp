#include <cstdio>
#include <cstdlib>

#include <tilewright/errors.h>

#include "support/check.h"

namespace tilewright {

namespace {

struct CodeInfo {
  std::string_view name;
  DiagCategory category;
};

constexpr CodeInfo kCodes[] = {
#define TW_DIAG(name, category, summary) {#name, DiagCategory::category},
#include "tilewright/diag_codes.def"
#undef TW_DIAG
};

void append_place(std::string& out, const SourcePlace& place) {
  if (!place.known()) return;
  out += place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

void append_excerpt(std::string& out, const SourcePlace& place) {
  if (!place.known() || place.source_line.empty()) return;
  out += "  " + place.source_line + "\n  ";
  for (std::uint32_t i = 1; i < place.column && i <= place.source_line.size(); ++i)
    out += place.source_line[i - 1] == '\t' ? '\t' : ' ';
  out += '^';
  for (std::uint32_t i = 1; i < place.length && place.column - 1 + i < place.source_line.size(); ++i) out += '~';
  out += '\n';
}

}  // namespace

std::string_view diag_code_name(DiagCode code) { return kCodes[static_cast<std::size_t>(code)].name; }
DiagCategory diag_code_category(DiagCode code) { return kCodes[static_cast<std::size_t>(code)].category; }

std::string render(const Diag& diag) {
  std::string out;
  append_place(out, diag.place);
  out += "error: " + diag.message + " [" + std::string(diag_code_name(diag.code)) + "]\n";
  append_excerpt(out, diag.place);
  for (const Note& note : diag.notes) {
    append_place(out, note.place);
    out += "note: " + note.message + "\n";
    append_excerpt(out, note.place);
  }
  if (!diag.hint.empty()) out += "  try: " + diag.hint + "\n";
  return out;
}

std::string render(const Diags& diags) {
  std::string out;
  for (const Diag& diag : diags) out += render(diag);
  return out;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tilewright: internal error: %s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tilewright
