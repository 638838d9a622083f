// Why something of a launch was not taken: one form for matrix matches, admissions, windows, grids and row reductions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/named_number.h"
#include "tile/program.h"

namespace tilewright::realize {

struct Refusal {
  std::string_view code;                  ///< a literal, stable: "ordered", "fold_ordered"
  std::string reason;                     ///< one sentence, with the author's names and the numbers that it compares
  std::vector<NamedNumber> numbers = {};  ///< those numbers as data
  tile::OpId op = {};                     ///< the operation that stands in the way; none: the one that was asked about
  tile::OpId other = {};                  ///< a second one, or none
  bool operator==(const Refusal&) const = default;
};

/// " (scalars 88, budget 64)"; empty without numbers.
std::string numbers_text(std::span<const NamedNumber> numbers);
/// "code: reason".
std::string refusal_text(const Refusal& refusal);

}  // namespace tilewright::realize
