#include "driver/program_list.h"

#include "driver/take.h"

namespace tilewright::driver {

Result<ProgramList> list_programs() {
  TW_TRY(const std::vector<std::string> paths, find_programs());
  ProgramList list;
  for (const std::string& path : paths) {
    const auto program = take(Program::load(path), list.faults);
    if (program) list.programs.push_back({program->name(), program->summary(), program->symbols(), program->params()});
  }
  return list;
}

}  // namespace tilewright::driver
