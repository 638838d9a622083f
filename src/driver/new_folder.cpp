#include "driver/new_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "support/files.h"

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
  TW_TRY_VOID(write_file_atomically(path.string(), bytes));
  if (executable)
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                    error);
  if (error) return failure(DiagCode::FileWrite, fmt::format("cannot write '{}': {}", path.string(), error.message()));
  return {};
}

Result<void> NewFolder::commit() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) return bad_folder(path_, error.message(), "name one that does not exist yet, or remove it");
  temporary_.clear();
  return {};
}

}  // namespace tilewright::driver
