// A planned program on the emulator and in the interpreter.
#pragma once

#include <cstdint>
#include <optional>

#include "emit_msl/emulated.h"
#include "lower_group/planned_run.h"

namespace tilewright::emit_msl {

/// Operations of the launches that the interpreter counted, and what the plan says.
struct Operations {
  double planned = 0, interpreted = 0, emulated = 0;
};

/// On exact numbers; another byte is a failure of the test, and nothing is returned. The seed is of the layouts.
std::optional<Operations> run_both(const lower::testing::PlannedRun& run, std::uint64_t seed = 0);

}  // namespace tilewright::emit_msl
