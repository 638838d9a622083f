// What clang says, as diagnostics in the source as the user wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright::msl_emulator {

/// Which files messages may quote, and the lines of those files. Lines are read when they are asked for.
class SourceFiles {
 public:
  /// `main_path` names the text that was given; `folders` are absolute and canonical.
  SourceFiles(std::string main_path, std::string_view main_text, std::vector<std::string> folders);

  /// Whether a file lies, symbolic links followed, in one of the folders.
  bool may_read(const std::string& path) const;
  /// Nothing for a line or a file that is not there or must not be quoted.
  std::optional<std::string> line(const std::string& path, std::uint32_t number);
  /// Fills in the source line, and moves the column to where the word of the preprocessed line stands in the source's.
  void complete(SourcePlace& place, std::string_view preprocessed_line);
  const std::string& main_path() const { return main_path_; }

 private:
  const std::vector<std::string>& lines_of(const std::string& path);

  std::string main_path_;
  std::vector<std::string> folders_;
  std::map<std::string, std::vector<std::string>> lines_;
};

/// The errors of a run, at most 20, each KernelCompile with its notes. An error in a shim header is placed at the
/// user's line that led there, when a note names it.
Diags clang_errors(std::string_view messages, std::string_view shim_folder, SourceFiles& files);

/// Whether an error of the OpenCl dialect, or one of its notes, sets two address spaces against each other: a pointer
/// into one where a pointer into another is needed.
bool is_address_space_conflict(const Diag& diag);

}  // namespace tilewright::msl_emulator
