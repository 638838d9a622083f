// README.md of a kit: what it is, how it is run, what it says.
#pragma once

#include <string>

#include "driver/kit.h"

namespace tilewright::driver {

/// Of the files those are named that are listed so far.
std::string kit_readme(const Kit& kit);

}  // namespace tilewright::driver
