// tilewright prove: what is proved about a program, what is refuted, and what is not known.
#include <cstdio>

#include "command.h"
#include "driver/prove.h"
#include "report/prove_report.h"

namespace tilewright::cli {

int prove_command(const Words& words) {
  CLI::App app("Asks every question of legality about a program.", "tilewright prove");
  ProgramOptions options;
  bool recheck = false;
  options.declare_program(app);
  app.add_flag("--recheck", recheck, "Validate every certificate with independent code")->disable_flag_override();
  app.footer(
      "Without any size, the verdicts hold for all sizes at once.\n\n"
      "  tilewright prove gemm\n  tilewright prove gemm M=100 N=100 K=100 --recheck");
  if (const auto status = read_options(app, words)) return *status;

  const auto request = options.read();
  if (!request) return fail(request.error(), options.json);
  const auto report = driver::prove(*request, recheck);
  if (!report) return fail(report.error(), options.json);
  std::fputs((options.json ? report::prove_json(*report) : report::prove_text(*report)).c_str(), stdout);
  return fail(report->recheck_faults, false);
}

}  // namespace tilewright::cli
