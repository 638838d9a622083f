// tilewright list: the programs of the standard library.
#include <cstdio>

#include "command.h"
#include "driver/program_list.h"
#include "report/list_report.h"

namespace tilewright::cli {

int list_command(const Words& words) {
  CLI::App app("Lists the programs that can be named.", "tilewright list");
  bool json = false;
  app.add_flag("--json", json, "Print JSON instead of text");
  if (const auto status = read_options(app, words)) return *status;

  const auto list = driver::list_programs();
  if (!list) return fail(list.error(), json);
  std::fputs((json ? report::list_json(*list) : report::list_text(*list)).c_str(), stdout);
  return fail(list->faults, false);
}

}  // namespace tilewright::cli
