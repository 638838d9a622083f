// From a program to its `.tile` text (docs/tile-text.md).
//
// Reading the text gives the same program, and printing that gives the same text, for every program that a Builder can
// make. The exceptions are what the text has no words for: interface names that are no names (is_valid_name), a memory
// whose name something visible has, numbers outside of their element type, payloads of NaNs, control characters in
// strings, attributes that regions or declarations of their kind do not have, and whatever exceeds the parser's limits.
#pragma once

#include <string>

#include "tile/program.h"

namespace tilewright::tile {

std::string print_program(const Program& program);

/// One index expression, with the fewest parentheses that read back as the same tree. Axes and coordinates appear under
/// their labels.
std::string print_index(const Program& program, IndexId id);

}  // namespace tilewright::tile
