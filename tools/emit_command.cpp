// tilewright emit: the code of a planned program.
#include <cstdio>
#include <optional>

#include "command.h"
#include "driver/emit.h"
#include "report/emit_report.h"
#include "support/files.h"

namespace tilewright::cli {

namespace {

constexpr const char* kEmitFooter =
    "The targets metal-simdgroup and metal-mpp give Metal text, which goes to the standard output without -o; cpu "
    "gives an "
    "object.\n\n"
    "  tilewright emit gemm M=512 N=512 K=512 --device apple-m1-max -o gemm.metal\n"
    "  tilewright emit softmax N=64 C=1000 --json\n";

}  // namespace

int emit_command(const Words& words) {
  CLI::App app("Writes the code of a planned program.", "tilewright emit");
  ProgramOptions options;
  options.target = "metal-simdgroup";
  std::string path;
  options.declare(app);
  app.add_option("-o,--output", path, "Where the code goes")->type_name("FILE");
  app.footer(kEmitFooter);
  if (const auto status = read_options(app, words)) return *status;

  const auto request = options.read();
  if (!request) return fail(request.error(), options.json);
  const auto emitted = driver::emit_program(*request);
  if (!emitted) return fail(emitted.error(), options.json);
  const std::string& code = emitted->artifact.code;
  const bool text = emitted->artifact.kind == artifact::CodeKind::Text;
  if (path.empty() && !options.json && !text)
    return fail({Diag{DiagCode::Usage, "an object is no text to be printed", {}, "-o FILE, or --json", {}}}, false);
  std::optional<std::string> file;
  if (!path.empty()) {
    if (const auto written = write_file_atomically(path, code); !written) return fail(written.error(), options.json);
    file = path;
  }
  if (options.json)
    std::fputs(report::emit_json(*emitted, file).c_str(), stdout);
  else if (!file)
    std::fputs(code.c_str(), stdout);
  else
    std::printf("wrote %zu bytes to %s\n", code.size(), path.c_str());
  return 0;
}

}  // namespace tilewright::cli
