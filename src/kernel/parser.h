// Reads the text of a kernel program (kernel/printer.h shows it).
#pragma once

#include <string_view>

#include <tilewright/errors.h>

#include "kernel/program.h"

namespace tilewright::kernel {

/// The program in canonical form, verified. Values may have any names (%acc). A statement ends at a ';', a '}' or the
/// end of its line, but it may go on in the next line where it is incomplete. `file` is the name that places carry.
///
/// Errors, as many as are independent, each with line and column: SyntaxError, LiteralOutOfRange, UnknownName,
/// Redefinition, NestingTooDeep, TypeMismatch, CarryType (yields of a loop), WriteToInput, ReadOfOutput; and what
/// verify() finds beyond these, without a place (MalformedProgram).
Result<Program> parse(std::string_view text, std::string_view file = "kernel");

}  // namespace tilewright::kernel
