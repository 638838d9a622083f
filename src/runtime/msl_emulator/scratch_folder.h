// A folder that goes away with its owner.
#pragma once

#include <string>

#include "support/result.h"

namespace tilewright::msl_emulator {

class ScratchFolder {
 public:
  /// A new folder inside `parent`, which is made if it is missing; "" for the system's folder of temporary files.
  /// FileWrite: it cannot be made.
  static Result<ScratchFolder> make(const std::string& parent);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace tilewright::msl_emulator
