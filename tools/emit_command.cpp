// tilewright emit: the code of a planned program.
#include <cstdio>
#include <filesystem>
#include <optional>

#include <unistd.h>

#include "command.h"
#include "driver/c_header.h"
#include "driver/emit.h"
#include "driver/kit_write.h"
#include "report/emit_report.h"
#include "report/kit_report.h"
#include "support/files.h"
#include "support/result.h"

namespace tilewright::cli {

namespace {

constexpr const char* kEmitFooter =
    "The targets metal-simdgroup and metal-mpp give Metal text, which goes to the standard output without -o; cpu "
    "gives an "
    "object, and beside it a C header of the same name, with which the names in the object begin.\n\n"
    "  tilewright emit gemm M=512 N=512 K=512 --device apple-m1-max -o gemm.metal\n"
    "  tilewright emit softmax N=64 C=1000 --json\n"
    "  tilewright emit gemm M=64 N=64 K=64 --target cpu -o gemm_64.o\n"
    "  tilewright emit gemm M=65 N=33 K=129 --kit gemm-kit\n";

/// A line on a terminal that says how far the reference of the kit is.
void show_oracle(double fraction) {
  std::fprintf(stderr, fraction < 1 ? "\rcomputing what is expected %3.0f %%" : "\r\033[K", fraction * 100);
  std::fflush(stderr);
}

/// The code and what goes beside it.
Result<void> write_emitted(const driver::EmitReport& emitted, const std::string& path) {
  TW_TRY_VOID(write_file_atomically(path, emitted.artifact.code));
  for (const driver::EmitCompanion& companion : emitted.companions)
    TW_TRY_VOID(write_file_atomically(driver::companion_path(path, companion), companion.contents));
  return {};
}

int emit_kit(driver::RunRequest request, const std::string& folder, bool json) {
  if (isatty(STDERR_FILENO) != 0) request.progress = show_oracle;
  const auto written = driver::write_kit(request, folder);
  if (request.progress) show_oracle(1);
  if (!written) return fail(written.error(), json);
  const std::string file = written->folder + "/" + written->kit.text_file;
  std::fputs((json ? report::emit_json(written->emitted, file, &*written) : report::kit_text(*written)).c_str(),
             stdout);
  return 0;
}

}  // namespace

int emit_command(const Words& words) {
  CLI::App app("Writes the code of a planned program.", "tilewright emit");
  ProgramOptions options;
  options.target = "metal-simdgroup";
  std::string path, kit;
  options.declare(app);
  CLI::Option* output = app.add_option("-o,--output", path, "Where the code goes")->type_name("FILE");
  CLI::Option* folder =
      app.add_option("--kit", kit,
                     "A folder to make, with kernels, inputs, expected results and a host program for a Mac")
          ->type_name("DIR");
  app.footer(kEmitFooter);
  if (const auto status = read_options(app, words)) return *status;

  auto request = options.read();
  if (!request) return fail(request.error(), options.json);
  if (output->count() > 0 && folder->count() > 0)
    return fail({Diag{DiagCode::Usage, "-o and --kit are given both", {}, "a kit holds the code too", {}}},
                options.json);
  if (folder->count() > 0) return emit_kit(*request, kit, options.json);
  if (!path.empty()) request->symbol_prefix = driver::c_identifier(std::filesystem::path(path).stem().string());
  const auto emitted = driver::emit_program(*request);
  if (!emitted) return fail(emitted.error(), options.json);
  const std::string& code = emitted->artifact.code;
  const bool text = emitted->artifact.kind == artifact::CodeKind::Text;
  if (path.empty() && !options.json && !text)
    return fail({Diag{DiagCode::Usage, "an object is no text to be printed", {}, "-o FILE, or --json", {}}}, false);
  std::optional<std::string> file;
  if (!path.empty()) {
    if (const auto written = write_emitted(*emitted, path); !written) return fail(written.error(), options.json);
    file = path;
  }
  if (options.json)
    std::fputs(report::emit_json(*emitted, file).c_str(), stdout);
  else if (!file)
    std::fputs(code.c_str(), stdout);
  else
    std::fputs(report::emit_text(*emitted, path).c_str(), stdout);
  return 0;
}

}  // namespace tilewright::cli
