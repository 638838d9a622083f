// The version.
#pragma once

#include <string>

#include "driver/version.h"

namespace tilewright::report {

std::string version_text(const driver::VersionFacts& facts);
/// {schema, version, llvm, host, cores}
std::string version_json(const driver::VersionFacts& facts);

}  // namespace tilewright::report
