// What a region carries, as every lowering reads it from the program.
#pragma once

#include <vector>

#include "lower/elements.h"
#include "tile/program.h"

namespace tilewright::lower {

struct RegionCarry {
  tile::ValueId init, arg, yield, result;  ///< arg: none in a reduce region
  bool scalar = false;
  kernel::ScalarType type{};  ///< of the accumulator: f32 where f16 and bf16 are added up
  tile::FoldKind fold{};      ///< of a reduce region
};

/// One each, in the order of the region. Premise: op `id` is the region.
std::vector<RegionCarry> region_carries(const tile::Program& program, tile::OpId id);

}  // namespace tilewright::lower
