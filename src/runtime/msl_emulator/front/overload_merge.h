// In the Cpp20 dialect address spaces are erased, so overloads that differ in nothing else are one function.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/msl_emulator/front/code.h"
#include "runtime/msl_emulator/front/declarations.h"
#include "runtime/msl_emulator/front/edits.h"

namespace tilewright::msl_emulator {

/// Blanks all but the first of functions, members and classes whose headers are equal but for address-space words.
/// `dropped[i]`: declaration i is blanked anyway. KernelCompile naming both places: their bodies differ in more than
/// that.
Diags merge_overloads(const Code& code, const std::vector<Declaration>& declarations, const std::vector<bool>& dropped,
                      Edits& edits);

bool is_address_space(std::string_view word);

}  // namespace tilewright::msl_emulator
