// Rows of tiles in shared storage, and the banks that a fragment's rows meet in.
//
// A fragment is 8 rows of 8 elements. Compact storage puts its rows one row stride apart; rows whose distance is a
// multiple of all banks are served one after the other (reference: the padding that public SIMD-group kernels add). A
// fact for reports: storage stays compact here, and no basis prices conflicts.
#pragma once

#include <cstdint>
#include <optional>

#include "tile/program.h"

namespace tilewright::realize {

struct SharedBanks {
  std::int64_t count = 32;
  std::int64_t bytes = 4;
};

struct SharedRows {
  std::int64_t stride_elements = 0;  ///< from one row to the next
  std::int64_t conflict_ways = 1;    ///< rows of a fragment that begin in one bank; 1: none meet
};

/// Nothing for a tile of rank below 2. Premise: the program is bound.
std::optional<SharedRows> shared_rows(const tile::Program& program, tile::ValueId value, const SharedBanks& banks = {});

}  // namespace tilewright::realize
