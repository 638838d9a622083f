// The range of an index expression over the domain of an operation.
#pragma once

#include <cstdint>
#include <expected>

#include "analysis/affine.h"
#include "analysis/domain.h"
#include "analysis/leaf_ranges.h"

namespace tilewright::analysis {

/// Every value lies in low .. high. exact: some point of the domain gives low and some gives high (not every number in
/// between need be a value). No values at all: low > high.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = -1;
  bool exact = true;

  bool empty() const { return low > high; }
  bool operator==(const Range&) const = default;
};

/// Exact over a constant box without conditions for affine expressions and for min, max, floored and ceiling division,
/// sums and products of an exact operand with a number; otherwise an over-approximation, and it says so. The fault says
/// what may overflow or is unknown; NonAffine is never one.
std::expected<Range, AffineFault> over_range(const tile::Program& program, tile::IndexId expr, const OverDomain& domain,
                                             const LeafRanges& ranges);

}  // namespace tilewright::analysis
