// A folder that appears whole under its name or not at all.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace tilewright::driver {

class NewFolder {
 public:
  /// An empty folder beside `path`, under another name. KitFolder: `path` is there and is no empty folder, or no folder
  /// can be made beside it.
  static Result<NewFolder> make(const std::string& path);

  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&&) = delete;
  /// Removes everything, unless it was committed.
  ~NewFolder();

  /// `name` may have folders in front, which are made. FileWrite.
  Result<void> add_file(const std::string& name, std::string_view bytes, bool executable = false);
  /// Gives the folder its name. KitFolder when something has that name by now.
  Result<void> commit();

 private:
  NewFolder(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::string path_, temporary_;
};

}  // namespace tilewright::driver
