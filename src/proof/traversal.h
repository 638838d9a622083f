// Traversals: in which order a linear launch walks over the programs of a grid. The subject of traversal.bijective.
//
// The grid of H = rows and W = columns is cut into bands of R = rectangle_rows rows, each band into rectangles of C =
// rectangle_columns columns, C clamped to W; the last band and the last rectangle of a band are as small as they have
// to be. The walk takes band after band, in a band rectangle after rectangle, in a rectangle row after row. For ordinal
// i:
//
//   band_start   = i / (R*W) * R              h = min(R, H - band_start)
//   local        = i % (R*W)
//   column_start = local / (h*C) * C          w = min(C, W - column_start)
//   inside       = local % (h*C)
//   row, column  = band_start + inside / w, column_start + inside % w
//
// Devices compute this in unsigned numbers of 32 bits: H*W and R*W must fit them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/hash.h"
#include "support/result.h"

namespace tilewright::proof {

struct GridPlace {
  std::int64_t row = 0, column = 0;
  auto operator<=>(const GridPlace&) const = default;
};

struct Traversal {
  std::int64_t rows = 1, columns = 1;
  std::int64_t rectangle_rows = 1, rectangle_columns = 1;

  /// C: the columns of a rectangle that the grid has room for.
  std::int64_t clamped_columns() const;
  /// Exactly: the walk is row after row over the whole grid. Holds for R = 1, for C >= W and for H = 1.
  bool is_identity() const;
  /// Place of an ordinal. Nothing for an ordinal outside 0 .. H*W-1 and for a traversal with a fault.
  std::optional<GridPlace> place_of(std::int64_t ordinal) const;
  /// The inverse. Nothing for a place outside the grid and for a traversal with a fault.
  std::optional<std::int64_t> ordinal_of(GridPlace place) const;

  bool operator==(const Traversal&) const = default;
};

enum class TraversalFault : std::uint8_t {
  None,
  EmptyGrid,          ///< H or W below 1
  EmptyRectangle,     ///< R or C below 1
  GridOverflow,       ///< H * W above 2^32-1
  RectangleOverflow,  ///< R * W above 2^32-1
};
TraversalFault traversal_fault(const Traversal& traversal);
/// The fault in words, with its numbers; empty for None.
std::string traversal_fault_text(const Traversal& traversal);

/// The request with its columns clamped, or BadOption with the numbers of the fault.
Result<Traversal> checked_traversal(const Traversal& request);

/// Subject of certificates: the same for requests that clamp to the same walk.
Hash128 traversal_subject(const Traversal& traversal);

}  // namespace tilewright::proof
