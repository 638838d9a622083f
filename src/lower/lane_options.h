// LaneOptions: what a lowering for one worker may make of the vectors of its target.
#pragma once

#include <cstdint>

#include "target/host_facts.h"

namespace tilewright::lower {

struct LaneOptions {
  std::uint16_t lanes = 1;       ///< of f32 in a vector, a power of two; 1: numbers only
  bool masks = false;            ///< loads and stores of some lanes cost as much as those of all
  std::uint16_t registers = 16;  ///< vectors that a loop may keep
};

/// What a processor has.
LaneOptions lane_options_for(const target::HostFacts& host);

/// Why elements are computed one by one along an axis.
enum class LaneRefusal : std::uint8_t {
  None,            ///< they are not
  NoLanes,         ///< the target has no vectors
  TooShort,        ///< the axis has fewer than kLeastLanes elements
  Strided,         ///< elements of a tile or of a buffer do not lie side by side along it
  NotLinear,       ///< an index is not a sum of axes with constant factors
  TestedAlone,     ///< every element of an access is tested for itself
  Gathered,        ///< a gather takes each element from a place of its own
  OtherOperation,  ///< a value is no element-wise operation
  FixedOrder,      ///< a fold has an order
};

inline constexpr std::uint16_t kLeastLanes = 4;

/// "elements do not lie side by side": the end of a sentence.
const char* refusal_text(LaneRefusal refusal);

}  // namespace tilewright::lower
