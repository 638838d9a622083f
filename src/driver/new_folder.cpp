#include "driver/new_folder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace tilewright::driver {

namespace {

namespace fs = std::filesystem;

constexpr int kNameAttempts = 10'000;

std::unexpected<Diags> bad_folder(const std::string& path, std::string_view why, std::string hint) {
  return failure(DiagCode::KitFolder, fmt::format("'{}' cannot become a folder: {}", path, why), std::move(hint));
}

/// A trailing '/' would be a name of its own.
fs::path named(const std::string& path) {
  const fs::path whole(path);
  return whole.has_filename() ? whole : whole.parent_path();
}

/// Nobody reads the file before the folder has its name, so it need not appear in one step.
void write_whole(const fs::path& path, std::string_view bytes, std::error_code& error) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) error.assign(errno != 0 ? errno : EIO, std::generic_category());
}

}  // namespace

Result<NewFolder> NewFolder::make(const std::string& path) {
  std::error_code error;
  const fs::path target = named(path);
  if (target.empty()) return bad_folder(path, "the path is empty", "name a folder that does not exist yet");
  const fs::file_status status = fs::symlink_status(target, error);
  const bool free = !fs::exists(status) || (fs::is_directory(status) && fs::is_empty(target, error) && !error);
  if (!free)
    return bad_folder(path, fs::is_directory(status) ? "it is there and not empty" : "it is there and no folder",
                      "name one that does not exist yet, or remove it");
  const fs::path above = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    const fs::path temporary = above / fmt::format(".tilewright-{}-{}.tmp", ::getpid(), attempt);
    if (fs::create_directory(temporary, error)) return NewFolder(target.string(), temporary.string());
    if (error)
      return bad_folder(path, fmt::format("nothing can be made in '{}': {}", above.string(), error.message()),
                        "create that folder first, or name another one");
  }
  return bad_folder(path, "no temporary name is free", "remove the folders .tilewright-*.tmp beside it");
}

NewFolder::NewFolder(NewFolder&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, std::string())) {}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> NewFolder::add_file(const std::string& name, std::string_view bytes, bool executable) {
  std::error_code error;
  const fs::path path = fs::path(temporary_) / name;
  fs::create_directories(path.parent_path(), error);
  if (!error) write_whole(path, bytes, error);
  if (!error && executable)
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                    error);
  if (!error) return {};
  return failure(DiagCode::FileWrite,
                 fmt::format("cannot write '{}' of the folder '{}': {}", name, path_, error.message()),
                 "free space on the disk, or name a folder that you may change");
}

Result<void> NewFolder::commit() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) return bad_folder(path_, error.message(), "name one that does not exist yet, or remove it");
  temporary_.clear();
  return {};
}

}  // namespace tilewright::driver
