// Internal to the families map.*: maps that are linear over GF(2) on the bits of their inputs (xor, shifts, masks,
// powers of two, sums without carry).
//
// Extents that are no power of two are widened to one: a map without collision on the wider box has none on the
// domain. Valid only where every part of every expression has a value on the domain (see map_system.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/map_points.h"

namespace tilewright::proof {

/// One bit of a result: the parity of the input bits in `mask`, xor `flip`.
struct ParityBit {
  std::uint64_t mask = 0;
  bool flip = false;
};

struct BitMap {
  std::vector<int> input_bits;                  ///< bits of each input, in order from bit 0 of the masks
  std::vector<std::vector<ParityBit>> results;  ///< bits of each result, lowest first
};

/// Nothing when the map is not linear, or has more than 64 input bits. The domain must not be empty.
std::optional<BitMap> make_bit_map(const IndexMap& map);

/// A nonzero point of the widened box with the value of the origin, or nothing when the rank is full: then no two
/// points of the box have one value.
std::optional<MapPoint> bit_kernel(const BitMap& bits);

/// Output points that no point of the widened box reaches.
std::vector<MapPoint> bit_unreached(const BitMap& bits);

}  // namespace tilewright::proof
