// Index maps of the layouts that this compiler uses. Every builder expects extents >= 1 (sizes of a cover >= 0) and
// products within 64 bits, and checks it.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/index_map.h"

namespace tilewright::proof {

/// coefficients . d + constant
struct AffineResult {
  std::vector<std::int64_t> coefficients;
  std::int64_t constant = 0;
};
IndexMap affine_map(std::vector<std::int64_t> inputs, std::vector<std::int64_t> outputs,
                    const std::vector<AffineResult>& results);

/// Coordinates to the row-major ordinal (the last one runs fastest), and back.
IndexMap flatten_map(const std::vector<std::int64_t>& extents);
IndexMap unflatten_map(const std::vector<std::int64_t>& extents);

/// (row, column) to row * columns + (column ^ ((row >> shift) % columns)); columns is a power of two.
IndexMap xor_swizzle_map(std::int64_t rows, std::int64_t columns, std::int64_t shift);

/// The grid of gm*rm x gn*rn atoms: gm x gn subgroups, each with rm x rn fragments.
struct FragmentFactors {
  std::int64_t gm = 1, rm = 1, gn = 1, rn = 1;
};
/// (atom_m, atom_n) to (subgroup, fragment): (atom_m/rm * gn + atom_n/rn, atom_m%rm * rn + atom_n%rn).
IndexMap fragment_owner_map(const FragmentFactors& factors);
/// (subgroup, fragment) to (atom_m, atom_n): the inverse.
IndexMap fragment_atom_map(const FragmentFactors& factors);
/// Shards (gm, rm, gn, rn) to (subgroup, fragment), adding gn, rn, 1 and 1.
IndexMap fragment_shard_map(const FragmentFactors& factors);

/// For each direction of `sizes` a program coordinate and a tile coordinate, (i0, t0, i1, t1, ..), to the elements
/// i*tile + t; guarded by i*tile + t < size where the last tile is partial.
GuardedMap tiled_cover(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& tiles);

}  // namespace tilewright::proof
