// The words of a question about an operation of a program.
#pragma once

#include <string>
#include <string_view>

#include "proof/subject.h"

namespace tilewright::proof {

/// "load A[i*64 + m, s*32 + k] stays inside at every point": the operation, then what is asked of it.
std::string question_about(const Subject& subject, tile::OpId op, std::string_view what);

}  // namespace tilewright::proof
