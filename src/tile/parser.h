// The .tile text to the tile IR: one of the two front doors of tile/builder.h. The grammar is docs/tile-text.md.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "tile/program.h"

namespace tilewright::tile {

/// Limits beyond those of tile/syntax.h, so that a small text cannot ask for unbounded time or memory. Beyond any of
/// them: NestingTooDeep.
inline constexpr std::uint32_t kMaxInlinedStatements = 100'000;  ///< after functions are written out
inline constexpr std::uint32_t kMaxTileRank = 64;
inline constexpr std::uint32_t kMaxIndexTerms = 1'000;  ///< leaves and operations of one index expression

/// The program of a text, canonical but not yet verified (tile/verifier.h). `file_label` is the file's name in
/// diagnostics. Faults: all of syntax; when there is none, all of meaning, at most kMaxFaults.
Result<Program> parse_program(std::string_view text, std::string file_label);

}  // namespace tilewright::tile
