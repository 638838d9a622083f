// The list of programs.
#pragma once

#include <string>

#include "driver/program_list.h"

namespace tilewright::report {

/// One aligned line a program.
std::string list_text(const driver::ProgramList& list);
/// An array of {schema, name, summary, symbols, params}; a parameter is {name, choices, default}.
std::string list_json(const driver::ProgramList& list);

}  // namespace tilewright::report
