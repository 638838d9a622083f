// ValueForms: what becomes of a tile value. Each mapping answers for itself.
#pragma once

#include <cstdint>

#include "tile/program.h"

namespace tilewright::lower {

enum class ValueForm : std::uint8_t {
  Dead,    ///< nobody needs it
  Scalar,  ///< rank 0: a number
  Free,    ///< computed anew at each use
  Fused,   ///< computed inside its one consumer
  Stored,  ///< its elements lie in a slot
};

class ValueForms {
 public:
  virtual ~ValueForms() = default;
  virtual ValueForm form(tile::ValueId value) const = 0;
};

}  // namespace tilewright::lower
