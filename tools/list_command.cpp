// tilewright list: the programs of the standard library, or the options of the planner.
#include <cstdio>

#include "command.h"
#include "driver/option_list.h"
#include "driver/program_list.h"
#include "report/list_report.h"
#include "report/option_report.h"

namespace tilewright::cli {

int list_command(const Words& words) {
  CLI::App app("Lists the programs that can be named, or the options of the planner.", "tilewright list");
  bool json = false;
  app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
  bool options = false;
  app.add_flag("--options", options, "List what `plan --set` accepts instead")->disable_flag_override();
  if (const auto status = read_options(app, words)) return *status;

  if (options) {
    const auto listed = driver::list_options();
    std::fputs((json ? report::options_json(listed) : report::options_text(listed)).c_str(), stdout);
    return 0;
  }
  const auto list = driver::list_programs();
  if (!list) return fail(list.error(), json);
  std::fputs((json ? report::list_json(*list) : report::list_text(*list)).c_str(), stdout);
  return fail(list->faults, false);
}

}  // namespace tilewright::cli
