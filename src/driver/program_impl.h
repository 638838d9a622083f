// What a tilewright::Program holds.
#pragma once

#include <vector>

#include <tilewright/compile.h>

#include "tile/program.h"

namespace tilewright {

struct Program::Impl {
  tile::Program program;               ///< verified
  std::vector<StageTime> stage_times;  ///< parse, verify
};

}  // namespace tilewright
