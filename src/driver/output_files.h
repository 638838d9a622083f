// Results as .npy files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/run_buffers.h"
#include "support/result.h"

namespace tilewright::driver {

/// FileWrite for every path whose folder does not exist or takes no files: known before anything is computed.
Result<void> check_output_folders(const std::map<std::string, std::string>& outputs);

/// Writes each named buffer with the shape of its view. A file is replaced whole or not at all. Gives the paths.
Result<std::vector<std::string>> write_outputs(const RunBuffers& buffers,
                                               const std::map<std::string, std::string>& outputs);

}  // namespace tilewright::driver
