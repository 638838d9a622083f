// Kits: what was written, and what the emulator made of one.
#pragma once

#include <string>

#include "driver/kit_emulate.h"
#include "driver/kit_write.h"

namespace tilewright::report {

std::string kit_text(const driver::KitReport& report);

std::string kit_emulation_text(const driver::KitEmulation& emulation);
/// {schema, kit, program, target, bindings, ok, checks: [as run_json has them], launches: [entry], milliseconds}.
std::string kit_emulation_json(const driver::KitEmulation& emulation);

}  // namespace tilewright::report
