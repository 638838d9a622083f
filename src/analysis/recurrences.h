// Carries of serial and pipeline regions, and which of them are accumulators that one mma updates and nobody else sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/uses.h"
#include "analysis/walk.h"
#include "tile/program.h"

namespace tilewright::analysis {

/// Why a carry is no closed mma update.
enum class OpenReason : std::uint8_t {
  YieldIsNoMma,        ///< the next value is not the result of an mma
  YieldIsUnchanged,    ///< the next value is the carry itself, or a value from outside the region
  MmaInInnerBlock,     ///< an inner region or if makes the next value
  AccumulatorDiffers,  ///< the mma accumulates onto another value than the carry
  CarryIsOperand,      ///< the carry reaches a or b of the mma, directly or through pure operations
  CarryObserved,       ///< the carry has another use
  ResultObserved,      ///< the result of the mma has another use
};

struct OpenFault {
  OpenReason reason{};
  std::vector<Use> observers;  ///< the uses that are one too many
};

struct Carry {
  std::uint32_t index = 0;
  tile::ValueId init, argument, yield, result;
  /// The mma of a closed update, argument -> mma(a, b, argument) -> yield; none exactly when `faults` is not empty.
  std::optional<tile::OpId> closed_mma;
  std::vector<OpenFault> faults;

  bool is_closed() const { return closed_mma.has_value(); }
};

struct Recurrence {
  tile::OpId region;
  tile::RegionKind kind = tile::RegionKind::Serial;  ///< Serial or Pipeline
  std::vector<Carry> carries;
  std::optional<std::int64_t> constant_trips;  ///< product of the domains, when all are numbers and it fits 64 bits
  std::size_t loop_depth = 0;                  ///< serial, pipeline and reduce regions around it
};

/// Every serial and pipeline region in the order of the text, also those without carries.
std::vector<Recurrence> recurrences(const tile::Program& program, const Walk& walk, const Uses& uses);

/// Iterations of one execution of a region; nothing when an extent is no number or the product does not fit.
std::optional<std::int64_t> constant_trips(const tile::Program& program, const tile::RegionOp& region);

std::string to_text(const tile::Program& program, const OpenFault& fault);

}  // namespace tilewright::analysis
