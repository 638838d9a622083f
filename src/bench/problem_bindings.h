// A problem as this compiler takes it.
#pragma once

#include <string>

#include <tilewright/compile.h>

#include "bench/problem.h"

namespace tilewright::bench {

/// Of the standard library.
std::string program_file(BenchProgram program);
/// Its symbols; parameters are left to their defaults.
Bindings bindings_of(const Problem& problem);

}  // namespace tilewright::bench
