// The words of questions: how every text and report names an operation or a value of a program.
#pragma once

#include <string>
#include <string_view>

#include "proof/subject.h"

namespace tilewright::proof {

/// "op 5 mma(a#2, b#3, acc#1)", "op 3 load A[i*64 + m, s*32 + k]", "op 2 pipeline s in 32": the number that the bound
/// program gives it, and its kind with what it works on.
std::string operation_text(const tile::Program& program, tile::OpId op);
/// "acc#3": label and number.
std::string value_text(const tile::Program& program, tile::ValueId value);

/// "load A[i*64 + m, s*32 + k] stays inside at every point": the operation, then what is asked of it.
std::string question_about(const Subject& subject, tile::OpId op, std::string_view what);

}  // namespace tilewright::proof
