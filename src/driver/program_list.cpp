#include "driver/program_list.h"

namespace tilewright::driver {

Result<ProgramList> list_programs() {
  TW_TRY(const std::vector<std::string> paths, find_programs());
  ProgramList list;
  for (const std::string& path : paths) {
    const auto program = Program::load(path);
    if (program)
      list.programs.push_back({program->name(), program->summary(), program->symbols(), program->params()});
    else
      list.faults.insert(list.faults.end(), program.error().begin(), program.error().end());
  }
  return list;
}

}  // namespace tilewright::driver
