// Random programs that look like row reductions, as text: most of them are, some break one rule.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::realize {

/// Sizes are numbers in the text. Buffers: X (in or inout), W, Y, Z of rows, S and M of one number a row.
std::string random_rows(std::uint64_t seed);

}  // namespace tilewright::realize
