// The roles of the axes of an mma, from axis identity.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tile/program.h"

namespace tilewright::analysis {

struct MmaRoles {
  std::vector<tile::AxisId> batch;        ///< in a, b and c
  std::vector<tile::AxisId> rows;         ///< in a and c
  std::vector<tile::AxisId> columns;      ///< in b and c
  std::vector<tile::AxisId> contraction;  ///< in a and b
};

/// Orders: batch, rows and columns as in c, contraction as in a. op is an mma.
MmaRoles mma_roles(const tile::Program& program, tile::OpId op);

/// The mma of an operation; null for every other operation.
const tile::MmaOp* as_mma(const tile::Program& program, tile::OpId op);

}  // namespace tilewright::analysis
