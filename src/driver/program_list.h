// The programs of the standard library, for `list`.
#pragma once

#include <string>
#include <vector>

#include <tilewright/compile.h>

#include "support/result.h"

namespace tilewright::driver {

struct ListedProgram {
  std::string name;
  std::string summary;
  std::vector<std::string> symbols;
  std::vector<ParamInfo> params;
};

struct ProgramList {
  std::vector<ListedProgram> programs;  ///< sorted by name
  Diags faults;                         ///< of files that are no programs
};

Result<ProgramList> list_programs();

}  // namespace tilewright::driver
