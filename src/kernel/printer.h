// The text of a kernel program; kernel/parser.h reads it back. docs/kernel-ir.md has the grammar.
//
// parse(print(p)) == p for every canonical, verified program, and print(parse(text)) == text for printed text. Floats
// print with the fewest digits that read back to the same bits; NaN is nan, infinities are inf and -inf.
//
//   kernel program axpy {
//     buffer x: f32[1024] read
//     buffer y: f32[1024] readwrite
//     kernel axpy tasks(%0: 64) {
//       %1: i64 = const 16
//       %2: i64 = mul %0, %1
//       %3: f32x16 = load x[%2]
//       %4: f32x16 = load y[%2]
//       %5: f32x16 = add %3, %4
//       store y[%2] = %5
//     }
//   }
#pragma once

#include <string>

#include "kernel/program.h"

namespace tilewright::kernel {

std::string print(const Program& program);

/// One operation on one line, blocks left out ("loop %3 = %0 to %1 step 1"). Ids that do not exist print as they are.
std::string print_op(const Program& program, const Op& op);

}  // namespace tilewright::kernel
