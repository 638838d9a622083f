// Rows of tiles in shared storage, and the banks that a fragment's rows meet in.
//
// A fragment is 8 rows of 8 elements. Compact storage puts its rows one row stride apart; rows whose distance is a
// multiple of all banks are served one after the other. The rows of a tile may be set 16 bytes further apart than they
// are long, as public SIMD-group kernels do (reference/metal.md): then no two of 8 meet, and the tile takes more
// storage. No basis prices conflicts.
#pragma once

#include <cstdint>
#include <optional>

#include "proof/subject.h"
#include "realize/materialization.h"
#include "tile/program.h"

namespace tilewright::realize {

struct SharedBanks {
  std::int64_t count = 32;
  std::int64_t bytes = 4;
};

inline constexpr std::int64_t kRowPaddingBytes = 16;

struct SharedRows {
  std::int64_t stride_elements = 0;  ///< from one row to the next
  std::int64_t conflict_ways = 1;    ///< rows of a fragment that begin in one bank; 1: none meet
};

/// Nothing for a tile of rank below 2. Premise: the program is bound.
std::optional<SharedRows> shared_rows(const tile::Program& program, tile::ValueId value,
                                      std::int64_t padding_elements = 0, const SharedBanks& banks = {});

/// The same launch with padded rows for each stored operand of an mma that has the form of the atom families, where
/// compact rows meet in a bank and padded ones meet less.
Materialization with_padded_rows(Materialization materialization, const proof::Subject& subject);

}  // namespace tilewright::realize
