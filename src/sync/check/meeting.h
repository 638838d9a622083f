// Whether two accesses can touch one element by different hands: part of the fence checker.
#pragma once

#include <cstdint>
#include <optional>

#include "sync/check/places.h"

namespace tilewright::sync {

/// Who meets where.
struct Meeting {
  Owner earlier = 0, later = 0;
  std::optional<std::int64_t> number;  ///< of the element, where both places are known
};

/// loop_step: of pair.loop, where there is one. subgroups_apart: accesses of one subgroup are in order. One-sided:
/// nothing means that they never meet; a meeting may be one that no execution has.
std::optional<Meeting> find_meeting(const PlaceFinder& finder, const Places& earlier, const Places& later,
                                    const OpenPair& pair, std::int64_t loop_step, bool subgroups_apart);

}  // namespace tilewright::sync
