// PROOF traversal.bijective
// Question    For a traversal (proof/traversal.h) of H x W programs by rectangles of R x C: does every ordinal
//             0 .. H*W-1 have a place in the grid, and every place exactly one ordinal, in numbers of 32 bits?
// Premises    none for numbers. With H and W open: P1 H, W >= 1, and H*W, R*W <= 2^32-1 (checked at launch).
// Method      A partition, exact for every size. (1) In a rectangle of h x w, inside -> (inside / w, inside % w) is
//             row-major, so one to one from 0 .. h*w-1. (2) In a band of h rows all rectangles but the last have h*C
//             programs, so local / (h*C) and local % (h*C) tell which rectangle and where; their widths add up to W.
//             (3) All bands but the last have R*W programs, so i / (R*W) and i % (R*W) tell which band and where; their
//             heights add up to H. Concatenations of disjoint one-to-one pieces are one to one, and the pieces have
//             H*W programs. For numbers the sums and the divisors are recomputed; with H and W open (2) and (3) hold as
//             they stand, because a length is cut into whole pieces and one rest.
// Conclusion  Proved: the launch may number its programs by the walk; each program runs once. Says nothing about the
//             order in which a device runs them.
//             Refuted: kEmptyRectangle (ordinal 0 has no place), kGridOverflow (ordinal 2^32 has no number),
//             kRectangleOverflow (R*W has no number), with the numbers as witness.
//             Unknown: kEmptyGrid (there is nothing to walk over).
// Fallback    The row-major order, R = 1.
// Check       check_traversal_bijective: all ordinals below its limit, else boundaries and samples, with the inverse;
//             for an open grid all small grids, and samples of large ones.
// Tests       tests/proof/traversal_bijective_test.cpp
#pragma once

#include "proof/traversal.h"
#include "proof/verdict.h"

namespace tilewright::proof {

struct TraversalBijective {
  static constexpr std::string_view kId = "traversal.bijective";
  static constexpr std::string_view kEmptyRectangle = "empty_rectangle";
  static constexpr std::string_view kGridOverflow = "grid_overflow";
  static constexpr std::string_view kRectangleOverflow = "rectangle_overflow";
  static constexpr std::string_view kEmptyGrid = "empty_grid";
};

Verdict<TraversalBijective> prove_traversal_bijective(const Traversal& traversal);

/// The rectangle of a traversal whose grid is known only at launch.
struct OpenTraversal {
  std::int64_t rectangle_rows = 1, rectangle_columns = 1;
};
Hash128 traversal_subject(const OpenTraversal& traversal);
/// Once for all grids. Refuted: kEmptyRectangle, or kRectangleOverflow for a rectangle that no grid has room for.
Verdict<TraversalBijective> prove_traversal_bijective(const OpenTraversal& traversal);

}  // namespace tilewright::proof
