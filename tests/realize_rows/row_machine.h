// Runs a row reduction the way a kernel of the family would, on simulated workers: a check of the facts that shares
// nothing with the code that finds them.
//
// Programs run in a scrambled order, and so do workers: between two collectives each worker runs as far as it can
// before the next one starts. Whatever the facts wrongly allow (a load after another worker's store, an element that
// two workers share or none has, a fold that may not be merged) shows as a wrong output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "realize/row_reduction.h"
#include "realize_rows/row_arithmetic.h"
#include "tile/interpreter_run.h"

namespace tilewright::realize {

/// Buffers as numbers, row-major.
using RowMemory = std::map<tile::ObjectId, std::vector<double>>;

/// Runs launch 0 of a program with one launch.
void run_rows(const tile::Program& program, const RowReductionWorkload& workload, const RowMapping& mapping,
              std::uint64_t seed, RowArithmetic arithmetic, RowMemory& memory);

/// Runs the trial's program on its inputs and compares all outputs with the exact interpreter: what is wrong, or
/// nothing. Where the oracle demands every bit, the sign of a zero counts.
std::string rows_disagreement(tile::testing::Trial& trial, const RowReductionWorkload& workload,
                              const RowMapping& mapping, std::uint64_t seed,
                              RowArithmetic arithmetic = RowArithmetic::F64);

}  // namespace tilewright::realize
