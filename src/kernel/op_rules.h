// The rules of one operation by itself: operand types, result types, memory it names. Builder, parser and verifier
// share them.
#pragma once

#include <string>
#include <vector>

#include <tilewright/errors.h>

#include "kernel/program.h"

namespace tilewright::kernel {

/// code is what a reader of text is told; a program that was not read from text is MalformedProgram instead.
struct OpFault {
  DiagCode code = DiagCode::TypeMismatch;
  std::string message;
};

/// Every rule that the operation breaks, one sentence each; empty when it is well formed. Premise: every value id that
/// it names is in range. Scoping, blocks, and the results of loops and ifs are not looked at.
std::vector<OpFault> op_faults(const Program& program, const Op& op);

/// "buffer A" or "allocation t0", for messages.
std::string memory_label(const Program& program, MemoryRef memory);

}  // namespace tilewright::kernel
