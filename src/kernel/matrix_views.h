// What a view of an atom promises that names its place in a matrix (MatrixOrigin).
#pragma once

#include <cstdint>
#include <string>

#include "kernel/program.h"

namespace tilewright::kernel {

/// The numbers of a view when its atom is made.
struct ViewNumbers {
  std::int64_t index = 0, row_stride = 0, rows = 0, columns = 0;
  std::int64_t inner = 0, outer = 0;
};

/// Which part of the promise does not hold, with the numbers; empty: all of it does. Premise: view.origin is known;
/// `left`: it is the operand a.
std::string broken_promise(const AtomOp& atom, bool left, const BufferMatrix& matrix, const ViewNumbers& view);

}  // namespace tilewright::kernel
