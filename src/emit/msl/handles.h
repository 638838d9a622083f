// Which buffers of a program are bound as tensor handles, and the program that says so.
#pragma once

#include "kernel/program.h"

namespace tilewright::emit_msl {

/// The same program, in which a buffer is a matrix if and only if it is bound as a handle; its views then have no place
/// but that in the matrix, and all other views none but their index. `wanted`: whether any is.
///
/// A handle is read by views of tensor operations alone, in every kernel, and by no operation that may have to read it
/// element by element, which an operand without elements makes of the other one. Premise: verify(program) succeeds.
kernel::Program with_tensor_handles(const kernel::Program& program, bool wanted);

}  // namespace tilewright::emit_msl
