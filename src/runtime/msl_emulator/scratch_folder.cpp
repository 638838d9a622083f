#include "runtime/msl_emulator/scratch_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tilewright::msl_emulator {

Result<ScratchFolder> ScratchFolder::make(const std::string& parent) {
  std::error_code error;
  const std::string base = parent.empty() ? std::filesystem::temp_directory_path(error).string() : parent;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  std::string path = base + "/msl-XXXXXX";
  if (error || ::mkdtemp(path.data()) == nullptr)
    return failure(DiagCode::FileWrite,
                   fmt::format("cannot make a folder in '{}': {}", base,
                               error ? error.message() : std::generic_category().message(errno)),
                   "choose a folder that you may write to");
  return ScratchFolder(std::move(path));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewright::msl_emulator
