#include "driver/installed_data.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifdef __ELF__
extern "C" {
/// Where an installation lies, said by the program that was built with it (find_package); null in the tool itself.
// NOLINTNEXTLINE(readability-identifier-naming): a name of C
extern const char* const tilewright_installed_data __attribute__((weak));
}
#endif

namespace tilewright::driver {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHomeVariable = "TILEWRIGHT_HOME";
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

/// The folder that holds programs/ and profiles/ of the installation that this program was built with; or empty.
fs::path built_with() {
#ifdef __ELF__
  if (&tilewright_installed_data != nullptr) return tilewright_installed_data;
#endif
  return {};
}

}  // namespace

std::vector<std::string> files_with_suffix(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == suffix && it->is_regular_file(error)) paths.push_back(it->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::string> find_installed(const InstalledFolder& folder) {
  const auto holds_files = [&](const fs::path& path) {
    return !files_with_suffix(path.string(), folder.suffix).empty();
  };
  const std::string name(folder.name), suffix(folder.suffix);
  if (const char* home = std::getenv(kHomeVariable); home != nullptr && *home != '\0') {
    const fs::path path = fs::path(home) / name;
    if (holds_files(path)) return path.string();
    return failure(folder.missing,
                   std::string(kHomeVariable) + " is set, but '" + path.string() + "' holds no " + suffix + " file",
                   "set it to the folder that contains " + name + "/, or unset it");
  }
  fs::path above = running_binary().parent_path();
  for (int level = 0; level <= kLevelsAbove && !above.empty(); ++level) {
    for (const fs::path& path : {above / name, above / "share" / "tilewright" / name})
      if (holds_files(path)) return path.string();
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  if (const fs::path path = built_with() / name; path.has_parent_path() && holds_files(path)) return path.string();
  return failure(folder.missing, std::string(folder.contents) + " were not found beside the binary",
                 std::string("set ") + kHomeVariable + " to the folder that contains " + name + "/");
}

Result<std::string> find_program_beside(std::string_view name) {
  std::error_code error;
  std::vector<fs::path> places;
  if (const char* home = std::getenv(kHomeVariable); home != nullptr && *home != '\0')
    places.push_back(fs::path(home) / "libexec" / "tilewright");
  fs::path above = running_binary().parent_path();
  for (int level = 0; level <= kLevelsAbove && !above.empty() && above != above.parent_path(); ++level) {
    places.push_back(above);
    places.push_back(above / "libexec" / "tilewright");
    above = above.parent_path();
  }
  for (const fs::path& place : places)
    if (const fs::path path = place / name; fs::is_regular_file(path, error)) return path.string();
  return failure(DiagCode::ToolMissing, "the program " + std::string(name) + " was not found beside the binary",
                 std::string("it is built and installed with tilewright; set ") + kHomeVariable +
                     " to a folder with libexec/tilewright/" + std::string(name));
}

}  // namespace tilewright::driver
