// Mean physical K of an mma: how many of the nominal K steps of a tile stand inside the object, on average.
//
// A COST fact only: it never permits to omit a load or an operation. Where it cannot be found the nominal extent
// stands, with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/accesses.h"
#include "analysis/walk.h"
#include "tile/program.h"

namespace tilewright::analysis {

enum class NominalReason : std::uint8_t {
  None,              ///< the mean is known
  OperandsNotLoads,  ///< a and b are not both loads with zero bounds and +0 outside
  NoSingleAxis,      ///< there are several contraction axes
  NoUnitProjection,  ///< the axis has no unit dimension of its own in a load
  OperandsDiffer,    ///< a and b do not end at the same step
  NotStatic,         ///< an extent, of the axis or of a region around, is no positive number
  Conditional,       ///< the mma stands in a branch
  NotAffine,         ///< the expression is not affine in at most one coordinate of more than one trip
  EndNotPositive,    ///< the first or last iteration has nothing left, or begins before the object
  TooLarge,          ///< a sum does not fit 64 bits
};

/// The exact mean is sum / count (not reduced): count is the trips of the one coordinate that matters, 1 for none.
struct MeanExtent {
  std::int64_t sum = 0;
  std::int64_t count = 1;
  NominalReason nominal = NominalReason::None;

  bool is_known() const { return nominal == NominalReason::None; }
  double mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
};

/// Sum of min(cap, first + step * t) over t = 0 .. trips - 1, in closed form; without a cap of the plain series. step
/// may be negative. Nothing when trips < 1, when the cap, first or last term is not positive, or on overflow.
std::optional<std::int64_t> capped_series_sum(std::optional<std::int64_t> cap, std::int64_t first, std::int64_t step,
                                              std::int64_t trips);

/// Mean over the coordinates of a domain (its axes do not count) of min(cap, form). The cap is given apart from the
/// form, so that no rewriting of the form can hide it. nominal tells why not; sum and count are then without meaning.
MeanExtent mean_over(const OverDomain& domain, const AffineForm& form, std::optional<std::int64_t> cap);

/// The same of an expression: a min with a positive number at its root, either side, is the cap.
MeanExtent mean_over(const tile::Program& program, const OverDomain& domain, tile::IndexId expr,
                     const LeafRanges& ranges);

/// Mean of min(BK, extent - origin), where BK is the extent of the contraction axis of the mma `op`. Not known: sum is
/// the nominal extent (the product of several axes), count 1; a nominal extent that is no number gives 0.
MeanExtent mean_physical_k(const tile::Program& program, const Walk& walk, const Accesses& accesses, tile::OpId op);

std::string_view nominal_reason_name(NominalReason reason);

}  // namespace tilewright::analysis
