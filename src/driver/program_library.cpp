#include "driver/program_library.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include <tilewright/compile.h>

#include "driver/installed_data.h"
#include "support/spelling.h"

namespace tilewright {

namespace driver {

namespace {

Diag unknown_program(const std::string& name, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(std::filesystem::path(path).stem().string());
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint = did_you_mean(name, views);
  if (!hint.empty()) hint += " ";
  hint += "'tilewright list' shows all programs; a file is written with a '/' or with .tile at its end";
  return Diag{DiagCode::UnknownProgram, "there is no program '" + name + "'", {}, hint, {}};
}

}  // namespace

Result<std::string> program_folder() { return find_installed(kProgramFolder); }

Result<std::string> program_path(const std::string& path_or_name) {
  if (path_or_name.find('/') != std::string::npos || path_or_name.ends_with(kProgramFolder.suffix)) return path_or_name;
  TW_TRY(const std::vector<std::string> paths, find_programs());
  for (const std::string& path : paths)
    if (std::filesystem::path(path).stem() == path_or_name) return path;
  return failure(unknown_program(path_or_name, paths));
}

}  // namespace driver

Result<std::vector<std::string>> find_programs() {
  TW_TRY(const std::string folder, driver::program_folder());
  return driver::files_with_suffix(folder, driver::kProgramFolder.suffix);
}

}  // namespace tilewright
