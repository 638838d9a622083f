// A printed stage for programs.
#pragma once

#include <string>

namespace tilewright::report {

/// {schema, program, stage, text}
std::string print_json(const std::string& program, const std::string& stage, const std::string& text);

}  // namespace tilewright::report
