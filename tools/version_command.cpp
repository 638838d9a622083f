// tilewright version: versions of this build and the machine it runs on.
#include <cstdio>

#include "command.h"
#include "driver/version.h"
#include "report/version_report.h"

namespace tilewright::cli {

int version_command(const Words& words) {
  CLI::App app("Prints the version, the code generator and the processor.", "tilewright version");
  bool json = false;
  app.add_flag("--json", json, "Print JSON instead of text")->disable_flag_override();
  if (const auto status = read_options(app, words)) return *status;

  const driver::VersionFacts facts = driver::version_facts();
  std::fputs((json ? report::version_json(facts) : report::version_text(facts)).c_str(), stdout);
  return 0;
}

}  // namespace tilewright::cli
