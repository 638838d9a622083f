#include "driver/output_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/take.h"

namespace tilewright::driver {

namespace fs = std::filesystem;

namespace {

fs::path whole_path(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

bool is_standard_output(const std::string& path) {
  struct stat output{}, file{};
  return fstat(STDOUT_FILENO, &output) == 0 && stat(path.c_str(), &file) == 0 && output.st_dev == file.st_dev &&
         output.st_ino == file.st_ino;
}

}  // namespace

Result<void> check_output_folders(const std::map<std::string, std::string>& outputs) {
  Diags faults;
  for (const auto& [name, path] : outputs) {
    std::error_code ignored;
    std::string why;
    fs::path folder = fs::path(path).parent_path();
    if (folder.empty()) folder = ".";
    const fs::file_status status = fs::status(path, ignored);
    const auto same = [&, this_name = name](const auto& other) {
      return other.first != this_name && whole_path(other.second) == whole_path(path);
    };
    if (fs::is_directory(status))
      why = "it is a folder";
    else if (is_standard_output(path))
      why = "the report goes there";
    else if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_character_file(status))
      why = "it is no ordinary file";
    else if (std::any_of(outputs.begin(), outputs.end(), same))
      why = "another output goes there";
    else if (!fs::is_directory(folder, ignored))
      why = fmt::format("there is no folder '{}'", folder.string());
    else if (!fs::is_character_file(status) && access(folder.c_str(), W_OK) != 0)
      why = fmt::format("no file can be made in '{}': {}", folder.string(), std::strerror(errno));
    if (why.empty()) continue;
    faults.push_back(Diag{DiagCode::FileWrite,
                          fmt::format("'{}' cannot be written: {}", path, why),
                          {},
                          "choose another path for '" + name + "'",
                          {}});
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return {};
}

Result<std::vector<std::string>> write_outputs(const RunBuffers& buffers,
                                               const std::map<std::string, std::string>& outputs) {
  std::vector<std::string> written;
  Diags faults;
  for (const RunBuffer& buffer : buffers.buffers()) {
    const auto path = outputs.find(buffer.name);
    if (path == outputs.end()) continue;
    const auto done = write_npy(path->second, buffer.view.type, buffer.view.extents, RunBuffers::dense_bytes(buffer));
    if (take(done, faults)) written.push_back(path->second);
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return written;
}

}  // namespace tilewright::driver
