// How the runner ends: with a status in the answer, at once, without running anything else.
#pragma once

#include "runtime/msl_emulator/runner/job.h"

namespace tilewright::msl_emulator::runner {

/// Called first: from then on the two functions below have somewhere to write.
void set_answer(Answer* answer);

[[noreturn]] void end_with(RunStatus status);
[[noreturn, gnu::format(printf, 1, 2)]] void end_failed(const char* format, ...);
[[noreturn, gnu::format(printf, 1, 2)]] void end_too_large(const char* format, ...);

}  // namespace tilewright::msl_emulator::runner
