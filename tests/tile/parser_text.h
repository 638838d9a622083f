// Shared by the tests of the text: programs around a body, and programs as one line of operations.
#pragma once

#include <string>

#include "tile/program.h"

namespace tilewright::tile {

/// First line of the body in text_around().
inline constexpr std::uint32_t kBodyLine = 14;

/// A program whose launch has the coordinate i, the axes m: 4, n: 8, k: 2 and the given body; every line of the body is
/// indented by nothing, so that columns count within it. `functions` stands before the program on one line.
std::string text_around(const std::string& body, const std::string& functions = {});

/// Operations in order, each with the type of its result: "load f32[m, k]; parallel(i){..}; pipeline(s: acc){..}".
std::string operations(const Program& program);
/// The operations of the only launch of text_around().
std::string body_operations(const Program& program);

}  // namespace tilewright::tile
