// A small matrix product whose text the tests of the matrix families change, and the questions asked of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proof/prove_matrix.h"
#include "tile/program.h"

namespace tilewright::proof {

/// Pairs (old, new) of parts of a text.
using Changes = std::vector<std::pair<std::string, std::string>>;

/// Tiles 8 x 8 x 4, serial over K; outputs C and D. Each change replaces one part of the text.
std::string product_text(const Changes& changes = {});

using Numbers = std::map<std::string, std::int64_t>;
inline const Numbers kRagged{{"M", 13}, {"N", 11}, {"K", 10}};

/// Verified and bound; without numbers, open in its sizes.
tile::Program matrix_program(const std::string& text, const Numbers& numbers = kRagged);
tile::Program library_program(const std::string& name, const Numbers& numbers);

Assumptions noalias();

/// All findings of one family; what is proved is rechecked, and its certificate altered in many parts.
std::vector<Finding> ask_family(const tile::Program& program, std::string_view family,
                                const Assumptions& assumptions = noalias());
/// "proved", or the code; of the first operation that is asked about. "" when none is.
std::string answer(const tile::Program& program, std::string_view family, const Assumptions& assumptions = noalias());
/// One a finding, in order, joined by spaces.
std::string answers(const tile::Program& program, std::string_view family, const Assumptions& assumptions = noalias());

}  // namespace tilewright::proof
