#include "runtime/msl_emulator/front/clang_messages.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/msl_emulator/front/tokens.h"
#include "support/files.h"
#include "support/number_text.h"

namespace tilewright::msl_emulator {

namespace {

constexpr std::size_t kMostErrors = 20;
constexpr std::size_t kMostNotes = 6;
constexpr std::size_t kMostMessageBytes = 1000;
constexpr std::size_t kLongestQuotedLine = 300;

/// One line `file:3:7: error: text`.
struct ClangLine {
  bool is_note = false;
  SourcePlace place;
  std::string text;
};

std::optional<ClangLine> clang_line(std::string_view line) {
  constexpr std::pair<std::string_view, bool> kinds[] = {
      {": fatal error: ", false}, {": error: ", false}, {": note: ", true}};
  for (const auto& [word, is_note] : kinds) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    ClangLine result{is_note, {}, std::string(line.substr(at + word.size()).substr(0, kMostMessageBytes))};
    const std::string_view place = line.substr(0, at);
    const std::size_t second = place.rfind(':');
    if (second == std::string_view::npos || second == 0) return result;
    const std::size_t first = place.rfind(':', second - 1);
    if (first == std::string_view::npos) return result;
    const auto number = parse_uint64(place.substr(first + 1, second - first - 1));
    const auto column = parse_uint64(place.substr(second + 1));
    if (!number || !column || *number > UINT32_MAX || *column > UINT32_MAX) return result;
    result.place = {std::string(place.substr(0, first)),
                    static_cast<std::uint32_t>(*number),
                    static_cast<std::uint32_t>(*column),
                    1,
                    {}};
    return result;
  }
  return std::nullopt;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The word or the single character of a line at a column that counts from 0.
std::string_view word_at(std::string_view line, std::size_t column) {
  if (column >= line.size()) return {};
  std::size_t end = column;
  while (end < line.size() && is_name_character(line[end])) ++end;
  return line.substr(column, std::max<std::size_t>(end - column, 1));
}

std::size_t count_before(std::string_view line, std::string_view word, std::size_t column) {
  std::size_t count = 0;
  for (std::size_t at = line.find(word); at < column; at = line.find(word, at + 1)) ++count;
  return count;
}

bool in_shim(const SourcePlace& place, std::string_view shim_folder) {
  return is_inside(place.file, shim_folder) || place.file.starts_with('<');
}

/// An error in a shim header is placed at the first line of the user's that led there.
void move_to_user(Diag& diag, std::string_view shim_folder) {
  const auto user = std::find_if(diag.notes.begin(), diag.notes.end(), [&](const Note& note) {
    return note.place.known() && !in_shim(note.place, shim_folder);
  });
  if (diag.place.known() && in_shim(diag.place, shim_folder) && user != diag.notes.end()) {
    std::swap(diag.place, user->place);
    user->message = "found here, in a header of the emulator";
    std::rotate(diag.notes.begin(), user, user + 1);
  }
  if (diag.notes.size() > kMostNotes) diag.notes.resize(kMostNotes);
}

/// Two of the named address spaces in one message. A space counts that a pointer points into ('__global int
/// *__private': the second is where the pointer itself lies), or that is quoted alone.
bool names_two_spaces(std::string_view message) {
  std::string_view first;
  while (true) {
    const std::size_t open = message.find('\'');
    if (open == std::string_view::npos) return false;
    const std::size_t close = message.find('\'', open + 1);
    if (close == std::string_view::npos) return false;
    std::string_view quoted = message.substr(open + 1, close - open - 1);
    message.remove_prefix(close + 1);
    const std::size_t star = quoted.rfind('*');
    for (const std::string_view space : {"__global", "__local", "__constant", "__private"}) {
      const bool there = star == std::string_view::npos ? quoted == space : quoted.substr(0, star).contains(space);
      if (!there || space == first) continue;
      if (!first.empty()) return true;
      first = space;
    }
  }
}

}  // namespace

SourceFiles::SourceFiles(std::string main_path, std::string_view main_text, std::vector<std::string> folders)
    : main_path_(std::move(main_path)), folders_(std::move(folders)) {
  lines_[main_path_] = split_lines(main_text);
}

bool SourceFiles::may_read(const std::string& path) const {
  if (path == main_path_) return true;
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  if (error) return false;
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const std::string& folder) { return is_inside(real, folder); });
}

const std::vector<std::string>& SourceFiles::lines_of(const std::string& path) {
  const auto at = lines_.find(path);
  if (at != lines_.end()) return at->second;
  std::vector<std::string>& lines = lines_[path];
  if (!may_read(path)) return lines;
  if (const Result<std::string> text = read_file(path)) lines = split_lines(*text);
  return lines;
}

std::optional<std::string> SourceFiles::line(const std::string& path, std::uint32_t number) {
  const std::vector<std::string>& lines = lines_of(path);
  if (number == 0 || number > lines.size() || lines[number - 1].size() > kLongestQuotedLine) return std::nullopt;
  return lines[number - 1];
}

void SourceFiles::complete(SourcePlace& place, std::string_view preprocessed_line) {
  if (!place.known()) return;
  const std::optional<std::string> source = line(place.file, place.line);
  if (!source) return;
  place.source_line = *source;
  if (preprocessed_line.empty() || place.column == 0) return;
  const std::string_view word = word_at(preprocessed_line, place.column - 1);
  if (word.empty() || word == " ") return;
  std::size_t count = count_before(preprocessed_line, word, place.column - 1);
  std::size_t at = source->find(word);
  while (at != std::string::npos && count-- > 0) at = source->find(word, at + 1);
  if (at == std::string::npos) at = source->find_first_not_of(" \t");
  if (at != std::string::npos) place.column = static_cast<std::uint32_t>(at + 1);
}

bool is_address_space_conflict(const Diag& diag) {
  return names_two_spaces(diag.message) || std::any_of(diag.notes.begin(), diag.notes.end(),
                                                       [](const Note& note) { return names_two_spaces(note.message); });
}

Diags clang_errors(std::string_view messages, std::string_view shim_folder, SourceFiles& files) {
  Diags diags;
  const std::vector<std::string> lines = split_lines(messages);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::optional<ClangLine> line = clang_line(lines[i]);
    if (!line) continue;
    if (line->place.known() && !in_shim(line->place, shim_folder) && !files.may_read(line->place.file)) continue;
    const bool quoted = i + 1 < lines.size() && !clang_line(lines[i + 1]);
    files.complete(line->place, quoted ? std::string_view(lines[i + 1]) : std::string_view{});
    if (!line->is_note) {
      if (line->text.starts_with("too many errors emitted")) continue;
      if (diags.size() == kMostErrors) break;
      diags.push_back({DiagCode::KernelCompile, std::move(line->text), std::move(line->place), {}, {}});
      continue;
    }
    if (!diags.empty()) diags.back().notes.push_back({std::move(line->text), std::move(line->place)});
  }
  for (Diag& diag : diags) move_to_user(diag, shim_folder);
  return diags;
}

}  // namespace tilewright::msl_emulator
