// Guesses what a misspelt name was meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b. Upper and lower case of one letter
/// count as equal, so that "acc" and "Acc" are at distance 0.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "did you mean 'x'?" for the nearest candidate within a third of the name's length (the first of equals), or an empty
/// text when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace tilewright
