// Choosing the subcommand.
#pragma once

#include <string>

#include "command.h"

namespace tilewright::cli {

/// Runs the command that the first word names.
int dispatch(const Words& words);

std::string help_text();

}  // namespace tilewright::cli
