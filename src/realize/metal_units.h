// The two units that every mapping of a Metal group is made of.
#pragma once

#include <cstdint>

namespace tilewright::realize {

/// Rows, columns and depth of an atom.
inline constexpr std::int64_t kAtomExtent = 8;
/// Workers of a subgroup.
inline constexpr std::int64_t kSubgroupSize = 32;

}  // namespace tilewright::realize
