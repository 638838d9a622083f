// tilewright run: compiles and runs a program, checks it, measures it, reads and writes .npy files.
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "command.h"
#include "driver/run.h"
#include "report/run_report.h"

namespace tilewright::cli {

namespace {

constexpr const char* kFooter =
    R"(Without --in, inputs are filled: dyadic repeats 127 multiples of 1/64; random:SEED is uniform in [-1, 1); integers are
0..7. A scalar without value or default is 1.5 (integers 1). --check compares every output element with the FP64
interpreter on poisoned, guarded memory, with both fills unless --fill chooses one; --check=rows:N samples rows.
--view: strides count elements, one a dimension, and may be 0 or negative, for example A=offset:64,strides:512x1.

  tilewright run gemm M=512 N=512 K=512 --check
  tilewright run gemm M=2 N=3 K=4 --in A=a.npy --in B=b.npy --out C=c.npy
  tilewright run gemm M=64 N=64 K=64 --view A=strides:1x64 --time

Exit status: 0 done, 1 a wrong result, 2 bad usage or input, 3 refused, 4 a fault of this program.)";

struct RunOptionTexts {
  ProgramOptions program;
  Words inputs, outputs;
  std::string threads, fill, check;
  bool time = false;

  void declare(CLI::App& app) {
    program.declare(app);
    app.add_option("--threads", threads, "Threads to use (all cores)")->type_name("N");
    app.add_option("--in", inputs, "Contents of an input, or the start of an inout buffer")
        ->type_name("NAME=FILE.npy")
        ->allow_extra_args(false);
    app.add_option("--out", outputs, "Where an output goes")->type_name("NAME=FILE.npy")->allow_extra_args(false);
    app.add_option("--fill", fill, "dyadic or random:SEED, for inputs without a file")->type_name("FILL");
    app.add_flag("--check{all}", check, "Compare with the reference, all rows or N");
    app.add_flag("--time", time, "Measure the stages and the kernel")->disable_flag_override();
    app.footer(kFooter);
  }

  Result<driver::RunRequest> read() const {
    Diags faults;
    driver::RunRequest request = take(program.read(), faults).value_or(driver::RunRequest{});
    read_files("--in", inputs, request.inputs, faults);
    read_files("--out", outputs, request.outputs, faults);
    if (!threads.empty()) request.threads = take(driver::parse_threads(threads), faults).value_or(0);
    if (!fill.empty()) request.fill = take(driver::parse_fill(fill), faults);
    request.check = !check.empty();
    if (request.check) request.sample_rows = take(driver::parse_check(check), faults).value_or(0);
    request.time = time;
    if (!faults.empty()) return std::unexpected(std::move(faults));
    return request;
  }

  static void read_files(const char* option, const Words& texts, std::map<std::string, std::string>& files,
                         Diags& faults) {
    for (const std::string& text : texts) {
      const auto named = take(driver::parse_named(option, text), faults);
      if (named && !files.insert(*named).second)
        faults.push_back(Diag{DiagCode::BadOption,
                              std::string(option) + " is given twice for '" + named->first + "'",
                              {},
                              "give it once",
                              {}});
    }
  }
};

/// A line on a terminal that says how far the reference is; it is wiped at the end.
void show_progress(double fraction) {
  std::fprintf(stderr, fraction < 1 ? "\rchecking %3.0f %%" : "\r\033[K", fraction * 100);
  std::fflush(stderr);
}

}  // namespace

int run_command(const Words& words) {
  CLI::App app("Compiles and runs a program.", "tilewright run");
  RunOptionTexts options;
  options.declare(app);
  if (const auto status = read_options(app, words)) return *status;
  const bool json = options.program.json;

  auto request = options.read();
  if (!request) return fail(request.error(), json);
  if (isatty(STDERR_FILENO) != 0) request->progress = show_progress;
  const auto run = driver::run_program(*request);
  if (request->progress && request->check) show_progress(1);
  if (!run) return fail(run.error(), json);

  std::fputs((json ? report::run_json(*run) : report::run_text(*run)).c_str(), stdout);
  const Diags faults = driver::check_faults(*run);
  std::fflush(stdout);
  return fail(faults, false);
}

}  // namespace tilewright::cli
