// Where the files that come with the program lie: programs, profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace tilewright::driver {

/// One folder of installed files.
struct InstalledFolder {
  std::string_view name;      ///< "programs": below $TILEWRIGHT_HOME, or below share/tilewright
  std::string_view suffix;    ///< ".tile": a folder without such a file is not the one
  std::string_view contents;  ///< "the programs of the standard library", for messages
  DiagCode missing{};         ///< when the folder is not found
};

inline constexpr InstalledFolder kProgramFolder{"programs", ".tile", "the programs of the standard library",
                                                DiagCode::UnknownProgram};
inline constexpr InstalledFolder kProfileFolder{"profiles", ".json", "the device profiles", DiagCode::UnknownProfile};

/// $TILEWRIGHT_HOME/NAME when that variable is set, else the first folder NAME or share/tilewright/NAME with a file of
/// that suffix beside or above the running binary, else that of the installation that the binary was built with. The
/// code `missing` says where was looked.
Result<std::string> find_installed(const InstalledFolder& folder);

/// A program that comes with this one: beside the running binary or up to a few folders above it, in
/// ../libexec/tilewright, or in $TILEWRIGHT_HOME/libexec/tilewright. ToolMissing says where was looked.
Result<std::string> find_program_beside(std::string_view name);

/// The paths of the regular files with that suffix in a folder, sorted; none for a folder that cannot be read.
std::vector<std::string> files_with_suffix(const std::string& folder, std::string_view suffix);

}  // namespace tilewright::driver
