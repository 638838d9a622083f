// Metal text of ours on the emulator: how it is compiled, and how what goes wrong is told.
#pragma once

#include <string>
#include <string_view>

#include "runtime/msl_emulator/emulator.h"
#include "support/result.h"

namespace tilewright::driver {

/// `path` names the text in messages; `language_version` is 310 for MSL 3.1.
Result<msl_emulator::CompiledLibrary> compile_emitted(std::string path, std::string text, int language_version,
                                                      bool checks);

/// What to try, by what happened.
struct EmulationHints {
  std::string_view on_report, on_timeout;
};

/// EmulatorReport for each report and where schedules disagree, EmulatorTimeout for a launch that was ended; nothing
/// when all is well. `text` is what was compiled.
Diags emulation_faults(std::string_view entry, const std::string& text, const msl_emulator::LaunchResult& result,
                       const EmulationHints& hints);

}  // namespace tilewright::driver
