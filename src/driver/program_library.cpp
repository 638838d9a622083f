#include "driver/program_library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <tilewright/compile.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "support/spelling.h"

namespace tilewright {

namespace driver {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHomeVariable = "TILEWRIGHT_HOME";
constexpr const char* kSuffix = ".tile";
constexpr int kLevelsAbove = 6;  // build/PRESET/tests/FOLDER/test_NAME finds the root of the tree

fs::path running_binary() {
  std::error_code error;
#ifdef __APPLE__
  char path[4096];
  std::uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) != 0) return {};
  return fs::canonical(path, error);
#else
  return fs::read_symlink("/proc/self/exe", error);
#endif
}

std::vector<std::string> tile_files(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kSuffix && it->is_regular_file(error)) paths.push_back(it->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Diag unknown_program(const std::string& name, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(fs::path(path).stem().string());
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint = did_you_mean(name, views);
  if (!hint.empty()) hint += " ";
  hint += "'tilewright list' shows all programs; a file is written with a '/' or with .tile at its end";
  return Diag{DiagCode::UnknownProgram, "there is no program '" + name + "'", {}, hint, {}};
}

}  // namespace

Result<std::string> program_folder() {
  if (const char* home = std::getenv(kHomeVariable); home != nullptr && *home != '\0') {
    const fs::path folder = fs::path(home) / "programs";
    if (!tile_files(folder).empty()) return folder.string();
    return failure(DiagCode::UnknownProgram,
                   std::string(kHomeVariable) + " is set, but '" + folder.string() + "' holds no .tile file",
                   "set it to the folder that contains programs/, or unset it");
  }
  fs::path above = running_binary().parent_path();
  for (int level = 0; level <= kLevelsAbove && !above.empty(); ++level) {
    for (const fs::path& folder : {above / "programs", above / "share" / "tilewright" / "programs"})
      if (!tile_files(folder).empty()) return folder.string();
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return failure(DiagCode::UnknownProgram, "the programs of the standard library were not found beside the binary",
                 std::string("set ") + kHomeVariable + " to the folder that contains programs/");
}

Result<std::string> program_path(const std::string& path_or_name) {
  if (path_or_name.find('/') != std::string::npos || path_or_name.ends_with(kSuffix)) return path_or_name;
  TW_TRY(const std::vector<std::string> paths, find_programs());
  for (const std::string& path : paths)
    if (fs::path(path).stem() == path_or_name) return path;
  return failure(unknown_program(path_or_name, paths));
}

}  // namespace driver

Result<std::vector<std::string>> find_programs() {
  TW_TRY(const std::string folder, driver::program_folder());
  return driver::tile_files(folder);
}

}  // namespace tilewright
