// Internal to src/proof/check: what a scan of the program says of the accumulator of an mma.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proof/check/check_matrix.h"
#include "proof/check/program_scan.h"

namespace tilewright::proof::check {

/// A carry that one mma updates and nobody else sees.
struct Accumulator {
  tile::OpId region, mma;
  std::uint32_t carry = 0;
  tile::ValueId init, argument, result;
  std::string trips;  ///< the number, or "at least 1"
};

/// Nothing, with `wrong` set, when the mma is no such update.
std::optional<Accumulator> accumulator_of(const ProgramScan& scan, tile::OpId mma, std::string& wrong);
/// Empty, or what is wrong: an execution of the region without an iteration.
std::string trips_fault(const ProgramScan& scan, tile::OpId region, const Assumptions& assumptions,
                        const MatrixCheckLimits& limits);

}  // namespace tilewright::proof::check
