// The list of what `--set` accepts, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "driver/option_list.h"

namespace tilewright::report {

/// By kind, two lines each: the option with its default and range, and what it means.
std::string options_text(const std::vector<driver::ListedOption>& options);
/// An array of {schema, name, kind, default, range, meaning}; default as text, or null where it cannot be read.
std::string options_json(const std::vector<driver::ListedOption>& options);

}  // namespace tilewright::report
