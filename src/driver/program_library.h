// Where the programs of the standard library lie.
#pragma once

#include <string>

#include "support/result.h"

namespace tilewright::driver {

/// The folder: $TILEWRIGHT_HOME/programs when that variable is set, else the first folder programs/ or
/// share/tilewright/programs with a .tile file beside or above the running binary. UnknownProgram says where was
/// looked.
Result<std::string> program_folder();

/// A path (something with a '/' or that ends in .tile) as it is; a bare name as a file of the library, or
/// UnknownProgram with what was probably meant.
Result<std::string> program_path(const std::string& path_or_name);

}  // namespace tilewright::driver
