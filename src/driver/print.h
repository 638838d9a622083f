// The `print` command as a function.
#pragma once

#include <string>

#include "driver/request.h"
#include "support/result.h"

namespace tilewright::driver {

/// The text of the request's program after a stage (see Kernel::print_after). Sizes are needed by every stage but
/// parse; of the request only program, assignments, target, views and settings are used.
Result<std::string> print_after(const RunRequest& request, const std::string& stage);

}  // namespace tilewright::driver
