// The form of an mma that the atom families can take: one row, one column and one contraction axis after axes of extent
// one are projected away (seed 1, "Automatic composed programs"; background 4.2). Buffers and maps keep their ranks.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "proof/subject.h"
#include "realize/refusal.h"
#include "tile/program.h"

namespace tilewright::realize {

/// Why an mma keeps the scalar contraction (docs/planner.md).
struct MatchCodes {
  static constexpr std::string_view kOrdered = "ordered";
  static constexpr std::string_view kElementTypes = "element_types";
  static constexpr std::string_view kSeveralAxes = "several_axes";
  static constexpr std::string_view kExtentGranule = "extent_granule";
  static constexpr std::string_view kNestedParallel = "nested_parallel";
  static constexpr std::string_view kConditional = "conditional";
  static constexpr std::string_view kPlaced = "placed";
  static constexpr std::string_view kNotStored = "not_stored";
  static constexpr std::string_view kNeverRuns = "never_runs";
};

struct MmaForm {
  tile::OpId op;
  tile::AxisId row, column, contraction;
  std::int64_t rows = 0, columns = 0, depth = 0;  ///< extents; positive multiples of 8
};

/// `op` is an mma of a bound program. Refused: an order that must be kept (kOrdered); operands that are not both f32,
/// both f16 or both bf16, or an accumulator that is not f32 (kElementTypes); more than one axis of extent above one in
/// a role, or any such batch axis (kSeveralAxes); an extent that is no positive multiple of 8 (kExtentGranule); a
/// parallel region between launch and mma (kNestedParallel); a branch around it (kConditional); an operand or result
/// with a placement of its own (kPlaced).
std::expected<MmaForm, Refusal> mma_form(const proof::Subject& subject, tile::OpId op);

/// The loads behind the operands a and b: through relabellings only; none where another operation makes the operand.
struct OperandLoads {
  std::array<tile::OpId, 2> load;
  std::array<std::vector<tile::ValueId>, 2> chain;  ///< values from the load's to the operand
};
OperandLoads operand_loads(const tile::Program& program, const tile::MmaOp& mma);

}  // namespace tilewright::realize
