// What no kernel may hold: inline assembly, attributes that reach outside the language, pragmas that do.
#pragma once

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/edits.h"

namespace tilewright::msl_emulator {

/// KernelNotModelled with the place of each. Shim headers are searched for assembly too: a line marker cannot hide it.
Diags refused_constructs(const Code& code);

/// Blanks attributes, and pragmas that mean nothing to the compiler (`#pragma METAL ...`).
void blank_attributes_and_pragmas(const Code& code, Edits& edits);

}  // namespace tilewright::msl_emulator
