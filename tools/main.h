// Choosing the subcommand.
#pragma once

#include <string>

#include "command.h"

namespace tilewright::cli {

/// Runs the command that the first word names.
int dispatch(const Words& words);

/// Flushes stdout. The status, or that of FileWrite when the report was lost.
int finish_output(int status);

std::string help_text();

}  // namespace tilewright::cli
