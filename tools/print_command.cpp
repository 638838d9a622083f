// tilewright print: a program as text after one of its stages.
#include <cstdio>

#include "command.h"
#include "driver/print.h"
#include "report/print_report.h"

namespace tilewright::cli {

int print_command(const Words& words) {
  CLI::App app("Prints a program after a stage.", "tilewright print");
  ProgramOptions options;
  std::string stage = "parse";
  options.declare(app);
  app.add_option("--after", stage, "parse, bind, plan, kernel, msl, llvm or assembly")
      ->type_name("STAGE")
      ->capture_default_str();
  app.footer("  tilewright print gemm\n  tilewright print gemm M=64 N=64 K=64 --after kernel");
  if (const auto status = read_options(app, words)) return *status;

  const auto request = options.read();
  if (!request) return fail(request.error(), options.json);
  const auto text = driver::print_after(*request, stage);
  if (!text) return fail(text.error(), options.json);
  const std::string json = options.json ? report::print_json(request->program, stage, *text) : "";
  std::fputs(options.json ? json.c_str() : text->c_str(), stdout);
  return 0;
}

}  // namespace tilewright::cli
